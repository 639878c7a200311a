// Messages of a start when the copy of the sources cannot be built or is incomplete.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from '../support/product.ts';

const ORDINARY_ACCOUNT = 12_345;

let dir: string;
let umask: number;
beforeEach(() => {
  umask = process.umask(0o022); // another account reads the copy
  dir = mkdtempSync(join(tmpdir(), 'tonearm-first-start-'));
  cpSync(join(root, 'scripts'), join(dir, 'scripts'), { recursive: true });
  write('package.json', '{"type":"module"}');
  for (const part of ['server', 'renderer']) write(`${part}/source.ts`, '');
});
afterEach(() => {
  process.umask(umask);
  chmodSync(dir, 0o755);
  rmSync(dir, { recursive: true, force: true });
});

function write(name: string, content: string): void {
  mkdirSync(dirname(join(dir, name)), { recursive: true });
  writeFileSync(join(dir, name), content);
}

/** Replaces the build by a script with this code. */
function buildThat(code: string): void {
  write('node_modules/vite/package.json', '{}');
  write('scripts/build.ts', code);
}

const BUILD = `import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const dist = join(import.meta.dirname, '..', 'dist');
mkdirSync(join(dist, 'server'), { recursive: true });
writeFileSync(join(dist, '.' + process.argv[2] + '.built'), '');
`;

function start(uid?: number): { status: number | null; stdout: string; lines: string[] } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(dir, 'scripts', 'tonearm.js')], {
    encoding: 'utf8',
    ...(uid !== undefined && { uid }),
  });
  return { status, stdout, lines: stderr.trim().split('\n') };
}

async function startBeside(): Promise<{ stdout: string; lines: string[] }> {
  const child = spawn(process.execPath, [join(dir, 'scripts', 'tonearm.js')]);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, lines: stderr.trim().split('\n') };
}

test('says that it builds, on stderr, and runs what was built', () => {
  buildThat(`${BUILD}writeFileSync(join(dist, 'server', 'main.js'), 'console.log("the server")');`);
  expect(start()).toEqual({
    status: 0,
    stdout: 'the server\n',
    lines: [expect.stringMatching(/^Building .*, once\./), expect.stringMatching(/^Built in \d+ seconds\.$/)],
  });
  expect(start()).toEqual({ status: 0, stdout: 'the server\n', lines: [''] });
});

test('npm ci --omit=dev leaves out what a build needs', () => {
  expect(start()).toEqual({ status: 1, stdout: '', lines: [expect.stringMatching(/^tonearm: .*without --omit=dev/)] });
});

test.skipIf(process.platform === 'win32')('a copy that is read-only cannot be built', () => {
  buildThat(BUILD);
  chmodSync(dir, 0o555);
  expect(start(process.getuid?.() === 0 ? ORDINARY_ACCOUNT : undefined)).toEqual({
    status: 1,
    stdout: '',
    lines: [expect.stringMatching(/^tonearm: .*read-only/)],
  });
});

test.each(['SIGKILL', 'SIGABRT'])('a build that ends by %s most likely lacked memory', (signal) => {
  buildThat(`process.kill(process.pid, '${signal}'); setInterval(() => 0, 1000);`);
  const { status, lines } = start();
  expect([status, lines.at(-1)]).toEqual([1, expect.stringMatching(/^tonearm: .*memory ran out.*\d+ MB/)]);
});

test('a build that fails says that its own messages have the reason', () => {
  buildThat(`console.error('no such module'); process.exitCode = 1;`);
  expect(start().lines.slice(-2)).toEqual(['no such module', 'tonearm: The build failed; the lines above say why.']);
});

test('a package that is not installed is named', () => {
  buildThat(`${BUILD}writeFileSync(join(dist, 'server', 'main.js'), 'import "better-sqlite3";');`);
  expect(start().lines.at(-1)).toMatch(/^tonearm: The package better-sqlite3 is missing: run "npm ci"/);
});

test('of two first starts at once one builds, and the other waits for it', async () => {
  buildThat(`${BUILD}await new Promise((resolve) => setTimeout(resolve, 500));
writeFileSync(join(dist, 'server', 'main.js'), 'console.log("the server")');`);
  const servers = await Promise.all([startBeside(), startBeside()]);
  expect(servers.map(({ stdout }) => stdout)).toEqual(['the server\n', 'the server\n']);
  const firstWords = servers.map(({ lines }) => lines[0]?.split(' ')[0]);
  expect(firstWords).toHaveLength(2);
  expect(new Set(firstWords)).toEqual(new Set(['Another', 'Building']));
});

test('a build that was killed keeps no other start waiting', () => {
  buildThat(`${BUILD}writeFileSync(join(dist, 'server', 'main.js'), '');`);
  write('dist/.building', String(2 ** 22 + 1)); // a process id that no process has
  expect(start()).toMatchObject({ status: 0 });
});
