// kill -9 in backups and restores: what was whole stays whole, and the next run ends as if nothing had happened.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assertNotHalfRestored, restorePaths, writeState } from '../../server/backup/restore-state.ts';
import { backUpFolder, restoreFolder } from '../support/backup-folders.ts';
import { filesIn, livelyServer, makeBackup, rowsIn } from '../support/backups.ts';
import { makeLibrary } from '../support/library.ts';
import { migratedDatabase, startServer } from '../support/server.ts';

const POINTS = 10;

let base: string;
let library: string;
let rows: Record<string, unknown[]>;
let files: Record<string, string>;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-backup-kill-'));
  const music = makeLibrary({ tracks: 10, seed: 'kill', art: 'embedded', seconds: '1' }, join(base, 'music')).dir;
  library = join(base, 'library');
  mkdirSync(library);
  const server = await livelyServer({ music, dir: library });
  await server.close();
  rows = rowsIn(library);
  files = filesIn(join(library, 'library'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Runs to the nth step, or to its end with 0; the number of steps, or undefined when it was killed. */
async function run(mode: 'backup' | 'restore', backup: string, dataDir: string, killAt: number): Promise<number | undefined> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'backup-child.ts'), mode, library, backup, dataDir, String(killAt)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => { text += chunk.toString(); });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (signal === 'SIGKILL') return undefined;
  expect(code).toBe(0);
  return Number(text);
}

/** From the first step to the last, the first and the last two among them. */
const points = (steps: number): number[] => [...Array.from({ length: POINTS - 3 }, (_, n) => 1 + Math.floor((n * steps) / (POINTS - 3))), steps - 2, steps - 1, steps];

const folder = (name: string): string => {
  const path = join(base, name);
  mkdirSync(path);
  return path;
};

async function expectWhole(backup: string, place: string): Promise<void> {
  await restoreFolder(backup, place, { replace: true });
  expect(rowsIn(place)).toEqual(rows);
  expect(filesIn(join(place, 'library'))).toEqual(files);
}

test('a backup that is killed at any point goes on, and its earlier snapshot can be restored meanwhile', { timeout: 120_000 }, async () => {
  const earlier = folder('earlier');
  const steps = await run('backup', folder('calm'), folder('calm-data'), 0) ?? 0;
  await backUpFolder(library, earlier, folder('earlier-data'));
  await Promise.all(points(steps).map(async (point) => {
    const backup = folder(`backup-${point}`);
    expect(await run('backup', backup, folder(`tmp-${point}`), point)).toBeUndefined();
    const left = Object.keys(filesIn(backup)).filter((name) => name.startsWith('snapshots/'));
    if (point < steps) expect(left).toEqual([]); // the last step is the snapshot's own
    await backUpFolder(library, backup, join(base, `tmp-${point}`));
    expect(readdirSync(join(backup, 'tmp'))).toEqual([]);
    await expectWhole(backup, folder(`restored-${point}`));
  }));
  const again = Object.keys(filesIn(earlier)).filter((name) => name.startsWith('objects/')).length;
  expect(await run('backup', earlier, join(base, 'earlier-data'), 1)).toBeUndefined(); // something new is being written
  expect(Object.keys(filesIn(earlier)).filter((name) => name.startsWith('objects/'))).toHaveLength(again);
  await expectWhole(earlier, folder('restored-earlier'));
});

test('a restore that is killed at any point goes on, loses nothing of the library it replaces, and no server begins an empty one there', { timeout: 120_000 }, async () => {
  const backup = folder('source');
  await backUpFolder(library, backup, folder('source-data'));
  const old = folder('old');
  migratedDatabase(join(old, 'tonearm.db'));
  mkdirSync(join(old, 'library'));
  cpSync(join(base, 'music.expected.json'), join(old, 'library', 'a-file-of-mine'));
  const before = filesIn(old);
  const place = (name: string): string => {
    cpSync(old, join(base, name), { recursive: true });
    return join(base, name);
  };
  const steps = await run('restore', backup, place('calm-place'), 0) ?? 0;
  const within = points(steps);
  let halfway = 0;
  await Promise.all([...within.slice(0, 4), ...Array.from({ length: 6 }, (_, n) => steps - n)].map(async (point) => {
    const data = place(`place-${point}`);
    expect(await run('restore', backup, data, point)).toBeUndefined();
    const all = Object.values(filesIn(data));
    for (const hash of Object.values(before)) expect(all).toContain(hash);
    if (!existsSync(join(data, 'tonearm.db'))) {
      halfway++;
      expect(() => { assertNotHalfRestored(data); }).toThrow(/A restore into .* was broken off/);
    }
    await expectWhole(backup, data);
    const aside = readdirSync(data).filter((name) => name.startsWith('replaced-'));
    expect(aside.length).toBeGreaterThan(0);
    expect(aside.flatMap((name) => Object.values(filesIn(join(data, name))))).toEqual(expect.arrayContaining(Object.values(before)));
  }));
  expect(halfway).toBeGreaterThan(0);
});

test('a backup that the server was making goes on by itself at the next start', async () => {
  const [backup, data] = [folder('by-itself'), join(base, 'by-itself-data')];
  cpSync(library, data, { recursive: true });
  const first = await startServer({ dir: data });
  await first.api('/backups', { method: 'POST', body: { to: backup } });
  await first.close(); // in the middle of it: it returns to the queue
  const second = await startServer({ dir: data });
  await second.app.drain();
  expect(Object.keys(filesIn(backup)).filter((name) => name.startsWith('snapshots/'))).toHaveLength(1);
  expect((await makeBackup(second, backup)).status).toBe('succeeded');
  await second.close();
});

test('a server does not begin an empty library where a restore was broken off', async () => {
  const data = folder('broken-off');
  writeState(restorePaths(data), { snapshot: '20261121T030000000Z', step: 'in', aside: null });
  await expect(startServer({ dir: data, setUp: false })).rejects.toThrow(/A restore into .* was broken off. Run the same restore again/);
});
