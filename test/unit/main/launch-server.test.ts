import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launchServer } from '../../../main/launch-server.ts';
import type { ServerChild } from '../../../main/server-process.ts';
import { app, fake } from '../../fakes/electron.ts';

const PROGRAM = `
  process.on('SIGTERM', () => { console.log('put away'); process.exit(0); });
  console.error('tonearm: complaint');
  setInterval(() => undefined, 1_000);
  console.log('ready');
`;

let dir: string;
const untilEnd = (child: ServerChild) => new Promise<Error | undefined>((resolve) => { child.onEnd(resolve); });
const untilSays = (child: ServerChild, text: string) =>
  new Promise<void>((resolve) => { child.stdout.on('data', (chunk: Buffer) => { if (chunk.toString().includes(text)) resolve(); }); });

function writeProgram(root: string): void {
  mkdirSync(join(root, 'dist', 'server'), { recursive: true });
  writeFileSync(join(root, 'dist', 'server', 'main.js'), PROGRAM);
}

beforeEach(() => {
  fake.reset();
  app.becomeReady();
  dir = mkdtempSync(join(tmpdir(), 'tonearm-launch-'));
  writeProgram(dir);
  writeProgram(join(dir, 'app.asar.unpacked'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe.each([{ isPackaged: false, root: '.' }, { isPackaged: true, root: 'app.asar' }])('packaged: $isPackaged', ({ isPackaged, root }) => {
  it('runs the built server, shows what it prints, and ends it gently', async () => {
    let shown = '';
    const child = launchServer({ root: join(dir, root), isPackaged, echo: (chunk) => { shown += chunk.toString(); } });
    const end = untilEnd(child);
    await untilSays(child, 'ready');
    child.signal('SIGTERM');
    expect(await end).toBeUndefined();
    expect(shown).toContain('tonearm: complaint');
    if (process.platform !== 'win32') expect(shown).toContain('put away');
  });

  it('takes a signal after the end for granted', async () => {
    const child = launchServer({ root: join(dir, root), isPackaged });
    const end = untilEnd(child);
    child.signal('SIGKILL');
    await end;
    expect(() => child.signal('SIGTERM')).not.toThrow();
  });
});

it('leaves the archive for a real file, which worker threads and native packages need', async () => {
  const child = launchServer({ root: join(dir, 'app.asar'), isPackaged: true });
  expect(fake.forks[0]?.modulePath).toBe(join(dir, 'app.asar.unpacked', 'dist', 'server', 'main.js'));
  const end = untilEnd(child);
  child.signal('SIGKILL');
  await end;
});
