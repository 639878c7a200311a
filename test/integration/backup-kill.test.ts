// kill -9 during backups and restores: complete snapshots stay complete, and the next run succeeds. In a
// folder and in a bucket, encrypted and not.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Repository } from '../../server/backup/repository.ts';
import { assertNotHalfRestored, finishRestore, restorePaths, writeState } from '../../server/backup/restore-state.ts';
import { startFakeS3, type FakeS3 } from '../fakes/s3.ts';
import { backUpInto, openBackup, restoreFrom } from '../support/backup-folders.ts';
import { filesIn, livelyServer, makeBackup, rowsIn } from '../support/backups.ts';
import { makeLibrary } from '../support/library.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer } from '../support/server.ts';
import { migratedDatabase } from '../support/temp-database.ts';
import { quickImports } from '../support/product.ts';
import type { ChildOptions, Moment } from './backup-child.ts';

const POINTS = 5;
/** What happens only where the backup is in a bucket. All else is the same as in a folder. */
const SENDING = 'in the middle of sending';
const AT_ONCE = 3;
const LATER = 3 * 86_400_000;

/** The rows and files of a library. */
interface Whole {
  rows: Record<string, unknown[]>;
  files: Record<string, string>;
}

let base: string;
/** The current library, and that of some days ago. */
let library: string;
let earlier: string;
let now: Whole;
let before: Whole;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-backup-kill-'));
  const music = makeLibrary({ tracks: 10, seed: 'kill', art: 'embedded', seconds: '1' }, join(base, 'music')).dir;
  [library, earlier] = [folder('library'), join(base, 'earlier')];
  const server = await livelyServer({ music, dir: library });
  await server.close();
  cpSync(library, earlier, { recursive: true, preserveTimestamps: true });
  const again = await startServer({ dir: library });
  const [track] = await allTracks(again);
  await again.api(`/tracks/${track?.id}`, { method: 'DELETE' });
  await again.app.drain();
  await again.close();
  [now, before] = [wholeOf(library), wholeOf(earlier)];
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const wholeOf = (dataDir: string): Whole => ({ rows: rowsIn(dataDir), files: filesIn(join(dataDir, 'library')) });

function folder(name: string): string {
  const path = join(base, name);
  mkdirSync(path);
  return path;
}

/** Runs until a moment, or to the end; returns the moments, or undefined when it was killed. */
async function run(wish: ChildOptions, env: Record<string, string>): Promise<string[] | undefined> {
  const child = spawn(
    process.execPath,
    ['--import', quickImports, join(import.meta.dirname, 'backup-child.ts'), JSON.stringify(wish)],
    {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (signal === 'SIGKILL') return undefined;
  expect(code).toBe(0);
  return JSON.parse(text) as string[];
}

/**
 * One of each kind, in the middle or just before the last; the rest spread over all moments. With a bucket, moments of
 * sending.
 */
function points(moments: string[]): Moment[] {
  const sent = moments.filter((what) => what === SENDING).length;
  if (sent > 0) return [0.25, 0.5, 0.9].map((part) => ({ kind: SENDING, number: Math.ceil(part * sent) }));
  const ofEach = [...new Set(moments)].map((what) => {
    const all = moments.flatMap((one, i) => (one === what ? [i + 1] : []));
    return all.at(what.startsWith('after') ? -2 : all.length >> 1) ?? all[0] ?? 1;
  });
  const spread = Array.from({ length: POINTS }, (_, n) => 1 + Math.floor((n * (moments.length - 1)) / (POINTS - 1)));
  return [...new Set([...ofEach, ...spread])].slice(0, Math.max(POINTS, ofEach.length)).map((at) => {
    const what = moments[at - 1] as string;
    return { kind: what, number: moments.slice(0, at).filter((one) => one === what).length };
  });
}

async function atEach(
  moments: string[] | undefined,
  work: (point: Moment, name: string) => Promise<void>,
): Promise<void> {
  const all = points(moments ?? []);
  expect(all.length).toBeGreaterThanOrEqual(AT_ONCE);
  for (let i = 0; i < all.length; i += AT_ONCE)
    await Promise.all(
      all.slice(i, i + AT_ONCE).map((point) => work(point, `${point.kind} ${point.number}`.replaceAll(/\W+/g, '-'))),
    );
}

/** A backup target that can be recreated for every kill. */
interface Where {
  place: string;
  env: Record<string, string>;
  passphrase: string | undefined;
  close: () => Promise<void>;
}

const PASSPHRASE = 'a passphrase of some length';

function inFolder(name: string, from?: string): Promise<Where> {
  const place = folder(name);
  if (from !== undefined) cpSync(from, place, { recursive: true, preserveTimestamps: true });
  return Promise.resolve({ place, env: {}, passphrase: undefined, close: () => Promise.resolve() });
}

async function inBucket(_name: string, from?: string): Promise<Where> {
  const fake: FakeS3 = await startFakeS3();
  if (from !== undefined)
    for (const file of Object.keys(filesIn(from))) fake.put(`backups/${file}`, readFileSync(join(from, file)));
  return { place: 's3', env: fake.backupSettings, passphrase: PASSPHRASE, close: () => fake.close() };
}

const WHERE: [string, (name: string, from?: string) => Promise<Where>, string | undefined][] = [
  ['a folder', inFolder, undefined],
  ['a bucket, encrypted', inBucket, PASSPHRASE],
];

const open = ({ place, env, passphrase }: Where, isNew = false): Promise<Repository> =>
  openBackup(place, { env, passphrase, isNew });

async function expectWhole(
  repo: Repository,
  snapshot: string | undefined,
  place: string,
  expected: Whole,
): Promise<void> {
  await restoreFrom(repo, place, { replace: true, snapshot });
  expect(wholeOf(place)).toEqual(expected);
}

/** The number of network writes differs between runs: one with fewer may end before its moment. */
function expectKilled(point: Moment, moments: string[] | undefined): void {
  if (point.kind === SENDING && moments)
    expect(moments.filter((what) => what === SENDING).length).toBeLessThan(point.number);
  else expect([point, moments]).toEqual([point, undefined]);
}

describe.each(WHERE)('in %s', (words, make, passphrase) => {
  const kind = words.replaceAll(/\W+/g, '-');

  test('a backup that is killed at any point continues, and existing snapshots can be restored meanwhile', async () => {
    // from some days ago: the next backup removes its snapshot and some of its objects
    const old = folder(`${kind}-old`);
    const first = await openBackup(old, { passphrase, isNew: true });
    const { snapshot } = await backUpInto(first, earlier, folder(`${kind}-old-tmp`));
    const wish = (name: string, where: Where, killAt?: Moment): ChildOptions => ({
      mode: 'backup',
      library,
      backup: where.place,
      dataDir: folder(name),
      passphrase,
      killAt,
      later: LATER,
    });

    const calm = await make(`${kind}-calm`, old);
    const moments = await run(wish(`${kind}-calm-data`, calm), calm.env);
    // so there was a deletion among the moments
    expect(await open(calm).then((repo) => repo.snapshotIds())).not.toContain(snapshot);
    await calm.close();

    await atEach(moments, async (point, name) => {
      const where = await make(`${kind}-backup-${name}`, old);
      expectKilled(point, await run(wish(`${kind}-data-${name}`, where, point), where.env));
      const repo = await open(where);
      const left = await repo.snapshotIds();
      expect(left.length).toBeGreaterThan(0);
      for (const id of left)
        await expectWhole(repo, id, join(base, `${kind}-left-${name}-${id}`), id === snapshot ? before : now);
      await backUpInto(repo, library, join(base, `${kind}-data-${name}`, 'tmp'), {
        now: () => new Date(Date.now() + LATER + 60_000),
        keep: { daily: 1, weekly: 0 },
      });
      await expectWhole(repo, undefined, join(base, `${kind}-restored-${name}`), now);
      await where.close();
    });
  });

  test('a restore that is killed at any point continues, and loses nothing of the library it replaces', async () => {
    const source = folder(`${kind}-source`);
    await backUpInto(await openBackup(source, { passphrase, isNew: true }), library, folder(`${kind}-source-tmp`));
    const mine = folder(`${kind}-mine`);
    migratedDatabase(join(mine, 'tonearm.db'));
    mkdirSync(join(mine, 'library'));
    writeFileSync(join(mine, 'library', 'a-file-of-mine'), 'mine');
    const own = Object.values(filesIn(mine));
    const place = (name: string): string => {
      cpSync(mine, join(base, name), { recursive: true });
      return join(base, name);
    };
    const wish = (where: Where, dataDir: string, killAt?: Moment): ChildOptions => ({
      mode: 'restore',
      library,
      backup: where.place,
      dataDir,
      passphrase,
      killAt,
    });
    const calm = await make(`${kind}-calm-source`, source);
    const moments = await run(wish(calm, place(`${kind}-calm-place`)), calm.env);
    await calm.close();
    let halfway = 0;
    await atEach(moments, async (point, name) => {
      const data = place(`${kind}-place-${name}`);
      const where = await make(`${kind}-source-${name}`, source); // one that another reads is read without a lease
      expectKilled(point, await run(wish(where, data, point), where.env));
      expect(Object.values(filesIn(data))).toEqual(expect.arrayContaining(own));
      if (!existsSync(join(data, 'tonearm.db'))) {
        halfway++;
        expect(() => {
          assertNotHalfRestored(data);
        }).toThrow(/A restore into .* was interrupted/);
      }
      const isAfter = point.kind === 'while tidying up'; // the library is complete, only leftovers remain
      if (isAfter) await finishRestore(data, () => new Date());
      else await restoreFrom(await open(where), data, { replace: true });
      expect(wholeOf(data)).toEqual(now);
      expect(existsSync(join(data, '.restoring'))).toBe(false);
      const aside = readdirSync(data).filter((name) => name.startsWith('replaced-'));
      expect(aside.flatMap((name) => Object.values(filesIn(join(data, name))))).toEqual(expect.arrayContaining(own));
      await where.close();
    });
    if (words === 'a folder') expect(halfway).toBeGreaterThan(0); // the bucket is read before anything is replaced
  });
});

test('a backup that was running continues at the next start of the server', async () => {
  const [backup, data] = [folder('by-itself'), join(base, 'by-itself-data')];
  cpSync(library, data, { recursive: true });
  const first = await startServer({ dir: data });
  await first.api('/backups', { method: 'POST', body: { to: backup } });
  await first.close(); // in the middle: it returns to the queue
  const second = await startServer({ dir: data });
  await second.app.drain();
  expect(Object.keys(filesIn(backup)).filter((name) => name.startsWith('snapshots/'))).toHaveLength(1);
  expect((await makeBackup(second, backup)).status).toBe('succeeded');
  await second.close();
});

test('a server does not create an empty library where a restore was interrupted', async () => {
  const data = folder('broken-off');
  writeState(restorePaths(data), { snapshot: '20261121T030000000Z', step: 'in', aside: null });
  await expect(startServer({ dir: data, setUp: false })).rejects.toThrow(
    /A restore into .* was interrupted. Run the same restore again/,
  );
});
