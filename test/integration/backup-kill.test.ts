// kill -9 during backups and restores: complete snapshots stay complete, and the next run succeeds. Tested with a
// folder and with an encrypted bucket.
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

const KILL_COUNT = 5;
/** The kind of moment that exists only for backups in a bucket. */
const SENDING = 'in the middle of sending';
const CONCURRENT_RUNS = 3;
const LATER_MS = 3 * 86_400_000;

/** The rows and files of a library. */
interface LibraryContent {
  rows: Record<string, unknown[]>;
  files: Record<string, string>;
}

let base: string;
/** The current library; `earlierLibrary` is the library of some days ago. */
let library: string;
let earlierLibrary: string;
let currentContent: LibraryContent;
let earlierContent: LibraryContent;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-backup-kill-'));
  const music = makeLibrary({ tracks: 10, seed: 'kill', art: 'embedded', seconds: '1' }, join(base, 'music')).dir;
  [library, earlierLibrary] = [makeFolder('library'), join(base, 'earlier')];
  const server = await livelyServer({ music, dir: library });
  await server.close();
  cpSync(library, earlierLibrary, { recursive: true, preserveTimestamps: true });
  const changedServer = await startServer({ dir: library });
  const [track] = await allTracks(changedServer);
  await changedServer.api(`/tracks/${track?.id}`, { method: 'DELETE' });
  await changedServer.app.drain();
  await changedServer.close();
  [currentContent, earlierContent] = [contentOf(library), contentOf(earlierLibrary)];
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const contentOf = (dataDir: string): LibraryContent => ({
  rows: rowsIn(dataDir),
  files: filesIn(join(dataDir, 'library')),
});

function makeFolder(name: string): string {
  const path = join(base, name);
  mkdirSync(path);
  return path;
}

/** Runs a backup process to its end; returns its moments, or undefined when it was killed. */
async function runChild(options: ChildOptions, env: Record<string, string>): Promise<string[] | undefined> {
  const child = spawn(
    process.execPath,
    ['--import', quickImports, join(import.meta.dirname, 'backup-child.ts'), JSON.stringify(options)],
    {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (signal === 'SIGKILL') return undefined;
  expect(code).toBe(0);
  return JSON.parse(stdout) as string[];
}

/**
 * Returns the moments at which to kill: one of each kind, in the middle or just before the last, and the rest spread
 * over all moments. With a bucket, returns only moments of sending.
 */
function chooseMoments(moments: string[]): Moment[] {
  const sendCount = moments.filter((kind) => kind === SENDING).length;
  if (sendCount > 0)
    return [0.25, 0.5, 0.9].map((fraction) => ({ kind: SENDING, number: Math.ceil(fraction * sendCount) }));
  const onePerKind = [...new Set(moments)].map((kind) => {
    const numbers = moments.flatMap((moment, i) => (moment === kind ? [i + 1] : []));
    return numbers.at(kind.startsWith('after') ? -2 : numbers.length >> 1) ?? numbers[0] ?? 1;
  });
  const spread = Array.from(
    { length: KILL_COUNT },
    (_, n) => 1 + Math.floor((n * (moments.length - 1)) / (KILL_COUNT - 1)),
  );
  return [...new Set([...onePerKind, ...spread])].slice(0, Math.max(KILL_COUNT, onePerKind.length)).map((number) => {
    const kind = moments[number - 1] as string;
    return { kind, number: moments.slice(0, number).filter((moment) => moment === kind).length };
  });
}

async function killAtEach(
  moments: string[] | undefined,
  runAt: (killedMoment: Moment, name: string) => Promise<void>,
): Promise<void> {
  const killedMoments = chooseMoments(moments ?? []);
  expect(killedMoments.length).toBeGreaterThanOrEqual(CONCURRENT_RUNS);
  for (let i = 0; i < killedMoments.length; i += CONCURRENT_RUNS)
    await Promise.all(
      killedMoments
        .slice(i, i + CONCURRENT_RUNS)
        .map((killedMoment) =>
          runAt(killedMoment, `${killedMoment.kind} ${killedMoment.number}`.replaceAll(/\W+/g, '-')),
        ),
    );
}

/** A backup target that can be recreated for every kill. */
interface BackupPlace {
  target: string;
  env: Record<string, string>;
  passphrase: string | undefined;
  close: () => Promise<void>;
}

const PASSPHRASE = 'a passphrase of some length';

function makeFolderPlace(name: string, sourceDir?: string): Promise<BackupPlace> {
  const target = makeFolder(name);
  if (sourceDir !== undefined) cpSync(sourceDir, target, { recursive: true, preserveTimestamps: true });
  return Promise.resolve({ target, env: {}, passphrase: undefined, close: () => Promise.resolve() });
}

async function makeBucketPlace(_name: string, sourceDir?: string): Promise<BackupPlace> {
  const fake: FakeS3 = await startFakeS3();
  if (sourceDir !== undefined)
    for (const file of Object.keys(filesIn(sourceDir)))
      fake.putObject(`backups/${file}`, readFileSync(join(sourceDir, file)));
  return { target: 's3', env: fake.backupSettings, passphrase: PASSPHRASE, close: () => fake.close() };
}

const PLACES: [string, (name: string, from?: string) => Promise<BackupPlace>, string | undefined][] = [
  ['a folder', makeFolderPlace, undefined],
  ['a bucket, encrypted', makeBucketPlace, PASSPHRASE],
];

const openPlace = ({ target: place, env, passphrase }: BackupPlace, isNew = false): Promise<Repository> =>
  openBackup(place, { env, passphrase, isNew });

async function expectRestored(
  repo: Repository,
  snapshot: string | undefined,
  dataDir: string,
  expected: LibraryContent,
): Promise<void> {
  await restoreFrom(repo, dataDir, { replace: true, snapshot });
  expect(contentOf(dataDir)).toEqual(expected);
}

/** Expects that the child was killed. A run that sends fewer network writes than the first may end before its moment. */
function expectKilled(killedMoment: Moment, moments: string[] | undefined): void {
  if (killedMoment.kind === SENDING && moments)
    expect(moments.filter((kind) => kind === SENDING).length).toBeLessThan(killedMoment.number);
  else expect([killedMoment, moments]).toEqual([killedMoment, undefined]);
}

describe.each(PLACES)('in %s', (title, makePlace, passphrase) => {
  const folderPrefix = title.replaceAll(/\W+/g, '-');

  test('a backup that is killed at any point continues, and existing snapshots can be restored meanwhile', async () => {
    // a backup from some days ago: the next backup removes its snapshot and some of its objects
    const oldBackup = makeFolder(`${folderPrefix}-old`);
    const oldRepository = await openBackup(oldBackup, { passphrase, isNew: true });
    const { snapshot } = await backUpInto(oldRepository, earlierLibrary, makeFolder(`${folderPrefix}-old-tmp`));
    const childOptions = (name: string, place: BackupPlace, killAt?: Moment): ChildOptions => ({
      mode: 'backup',
      library,
      backup: place.target,
      dataDir: makeFolder(name),
      passphrase,
      killAt,
      laterChange: LATER_MS,
    });

    const uninterruptedPlace = await makePlace(`${folderPrefix}-calm`, oldBackup);
    const moments = await runChild(
      childOptions(`${folderPrefix}-calm-data`, uninterruptedPlace),
      uninterruptedPlace.env,
    );
    // the old snapshot is gone, so a deletion is among the moments
    expect(await openPlace(uninterruptedPlace).then((repo) => repo.snapshotIds())).not.toContain(snapshot);
    await uninterruptedPlace.close();

    await killAtEach(moments, async (killedMoment, name) => {
      const place = await makePlace(`${folderPrefix}-backup-${name}`, oldBackup);
      expectKilled(
        killedMoment,
        await runChild(childOptions(`${folderPrefix}-data-${name}`, place, killedMoment), place.env),
      );
      const repo = await openPlace(place);
      const snapshotIds = await repo.snapshotIds();
      expect(snapshotIds.length).toBeGreaterThan(0);
      for (const id of snapshotIds)
        await expectRestored(
          repo,
          id,
          join(base, `${folderPrefix}-left-${name}-${id}`),
          id === snapshot ? earlierContent : currentContent,
        );
      await backUpInto(repo, library, join(base, `${folderPrefix}-data-${name}`, 'tmp'), {
        now: () => new Date(Date.now() + LATER_MS + 60_000),
        retention: { daily: 1, weekly: 0 },
      });
      await expectRestored(repo, undefined, join(base, `${folderPrefix}-restored-${name}`), currentContent);
      await place.close();
    });
  });

  test('a restore that is killed at any point continues, and loses nothing of the library it replaces', async () => {
    const sourceBackup = makeFolder(`${folderPrefix}-source`);
    await backUpInto(
      await openBackup(sourceBackup, { passphrase, isNew: true }),
      library,
      makeFolder(`${folderPrefix}-source-tmp`),
    );
    const existingLibrary = makeFolder(`${folderPrefix}-mine`);
    migratedDatabase(join(existingLibrary, 'tonearm.db'));
    mkdirSync(join(existingLibrary, 'library'));
    writeFileSync(join(existingLibrary, 'library', 'a-file-of-mine'), 'mine');
    const existingHashes = Object.values(filesIn(existingLibrary));
    const copyExistingLibrary = (name: string): string => {
      cpSync(existingLibrary, join(base, name), { recursive: true });
      return join(base, name);
    };
    const childOptions = (place: BackupPlace, dataDir: string, killAt?: Moment): ChildOptions => ({
      mode: 'restore',
      library,
      backup: place.target,
      dataDir,
      passphrase,
      killAt,
    });
    const uninterruptedPlace = await makePlace(`${folderPrefix}-calm-source`, sourceBackup);
    const moments = await runChild(
      childOptions(uninterruptedPlace, copyExistingLibrary(`${folderPrefix}-calm-place`)),
      uninterruptedPlace.env,
    );
    await uninterruptedPlace.close();
    let interruptedRestores = 0;
    await killAtEach(moments, async (killedMoment, name) => {
      const dataDir = copyExistingLibrary(`${folderPrefix}-place-${name}`);
      // a copy, because another process reads the backup, and reads it without a lease
      const place = await makePlace(`${folderPrefix}-source-${name}`, sourceBackup);
      expectKilled(killedMoment, await runChild(childOptions(place, dataDir, killedMoment), place.env));
      expect(Object.values(filesIn(dataDir))).toEqual(expect.arrayContaining(existingHashes));
      if (!existsSync(join(dataDir, 'tonearm.db'))) {
        interruptedRestores++;
        expect(() => {
          assertNotHalfRestored(dataDir);
        }).toThrow(/A restore into .* was interrupted/);
      }
      // the library is complete, only temporary files remain
      const isComplete = killedMoment.kind === 'while tidying up';
      if (isComplete) await finishRestore(dataDir, () => new Date());
      else await restoreFrom(await openPlace(place), dataDir, { replace: true });
      expect(contentOf(dataDir)).toEqual(currentContent);
      expect(existsSync(join(dataDir, '.restoring'))).toBe(false);
      const asideFolders = readdirSync(dataDir).filter((name) => name.startsWith('replaced-'));
      expect(asideFolders.flatMap((name) => Object.values(filesIn(join(dataDir, name))))).toEqual(
        expect.arrayContaining(existingHashes),
      );
      await place.close();
    });
    // a bucket is read completely before anything is replaced
    if (title === 'a folder') expect(interruptedRestores).toBeGreaterThan(0);
  });
});

test('a backup that was running continues at the next start of the server', async () => {
  const [backup, dataDir] = [makeFolder('by-itself'), join(base, 'by-itself-data')];
  cpSync(library, dataDir, { recursive: true });
  const firstServer = await startServer({ dir: dataDir });
  await firstServer.api('/backups', { method: 'POST', body: { to: backup } });
  await firstServer.close(); // stops the backup in the middle, so that its job returns to the queue
  const secondServer = await startServer({ dir: dataDir });
  await secondServer.app.drain();
  expect(Object.keys(filesIn(backup)).filter((name) => name.startsWith('snapshots/'))).toHaveLength(1);
  expect((await makeBackup(secondServer, backup)).status).toBe('succeeded');
  await secondServer.close();
});

test('a server does not create an empty library where a restore was interrupted', async () => {
  const dataDir = makeFolder('broken-off');
  writeState(restorePaths(dataDir), { snapshot: '20261121T030000000Z', step: 'in', aside: null });
  await expect(startServer({ dir: dataDir, setUp: false })).rejects.toThrow(
    /A restore into .* was interrupted. Run the same restore again/,
  );
});
