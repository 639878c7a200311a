// Entry of the server and of every sub-command: reads the command line, and prints one clear line when it cannot
// continue. An old Node has to reach the version check, so nothing here is newer than Node 14: no `??=`, no named
// imports that built-in modules got later.
import '../scripts/check-node.js';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';

// copies are flushed in parallel, and a disk can handle many flushes at once
process.env['UV_THREADPOOL_SIZE'] = process.env['UV_THREADPOOL_SIZE'] ?? '8';
nodeModule.enableCompileCache(); // caches compiled code, so that the bundle is not compiled at every start

const bundled = import.meta.filename.endsWith('.js');
const root = join(import.meta.dirname, ...(bundled ? ['..', '..'] : ['..']));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

const { runCommand } = await import('./cli/run.ts');
await runCommand({ argv: process.argv.slice(2), env: process.env, root, isBundled: bundled, version });
