// What has to be there before the server starts: a Node that is new enough, and builds as new as their sources.
import './check-node.js';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { staleOf } = await import('./built-parts.js');
const stale = staleOf(['server', 'renderer']);
if (stale.length > 0) {
  const build = [join(import.meta.dirname, 'build.ts'), ...stale];
  // on stderr, so that what a command prints can go into a file; in a process of its own, which takes its memory along
  const { status } = spawnSync(process.execPath, build, { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}

// The start script is `exec node …`: else signals for npm end at the shell between. Windows has no exec, so here is one.
if (process.platform === 'win32')
  writeFileSync(join(import.meta.dirname, '..', 'node_modules', '.bin', 'exec.cmd'), '@%*\r\n');
