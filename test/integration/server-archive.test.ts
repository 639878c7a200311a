// `npm run package -- server`: the archive is unpacked and started, with nothing else installed.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../support/product.ts';

const MAX_ARCHIVE_BYTES = 45_000_000;

let dir: string;
/** The unpacked folder of the archive. */
let unpackedDir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm archive-'));
  const script = join(root, 'scripts', 'package.ts');
  execFileSync(process.execPath, [script, 'server', '--without-node', '--to', dir], { stdio: 'pipe' });
  const [archive = ''] = readdirSync(dir);
  execFileSync('tar', ['-xf', join(dir, archive), '-C', dir]);
  unpackedDir = join(dir, archive.replace(/\.(tar\.gz|zip)$/, ''));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

test('it has no sources, tests or build tools, and stays small', () => {
  const files = listFiles(unpackedDir);
  expect(
    files.filter((file) =>
      /\.(ts|tsx|map)$|[\\/](main|test)[\\/]|vite|electron-builder/.test(file.slice(unpackedDir.length)),
    ),
  ).toEqual([]);
  expect(files.reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThan(MAX_ARCHIVE_BYTES);
});

test('it starts from another folder, serves its pages, and stops', async () => {
  const program = join(unpackedDir, process.platform === 'win32' ? 'tonearm.cmd' : 'tonearm');
  const child = spawn(program, ['--data-dir', join(dir, 'data'), '--port', '0'], {
    cwd: tmpdir(),
    env: { ...process.env, PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, NODE_COMPILE_CACHE: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const [, address] = /listening on (http:\S+)/.exec(output) ?? [];
      if (address) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${output}`)));
  });
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect(await (await fetch(url)).text()).toContain('<div id="root">');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
