// A library recognizes its database, its data folder and its storage: a start that finds those of another library, or
// none, reports this and changes nothing. `tonearm rebuild` makes a database from the stored files.
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TrackPage } from '../../server/library/wire.ts';
import { loadConfig } from '../../server/config/config.ts';
import { openDataFolder } from '../../server/data-folder.ts';
import { migrate } from '../../server/db/migrate.ts';
import { createLog } from '../../server/log/log.ts';
import { createOwnedStorage, type OwnedStorage } from '../../server/storage/library-mark.ts';
import { createLocalStorage } from '../../server/storage/local.ts';
import { clientOf } from '../support/http-client.ts';
import { makeLibrary, type Manifest } from '../support/library.ts';
import { paths } from '../support/product.ts';
import { runServer, spawnServer } from '../support/process.ts';
import { lookAtDatabase } from '../../server/db/library-identity.ts';
import { migratedDatabase } from '../support/temp-database.ts';

const TRACKS = 12;
let base: string;
let music: Manifest;
/** The folder of a library in copy mode with an account, which is copied for every test. */
let wholeLibrary: string;
/** The folder of another library. */
let otherLibrary: string;
let folderNumber = 0;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-identity-'));
  music = makeLibrary({ tracks: TRACKS, seed: 'identity', art: 'embedded', seconds: '1' }, join(base, 'music'));
  [wholeLibrary, otherLibrary] = [join(base, 'whole'), join(base, 'other')];
  for (const dir of [wholeLibrary, otherLibrary]) {
    expect((await runServer(['scan', music.dir, '--data-dir', dir])).code).toBe(0);
    const { code } = await runWithInput(['user', 'add', 'owner', '--superuser', '--data-dir', dir]);
    expect(code).toBe(0);
  }
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const runWithInput = (args: string[]) => runServer(args, {}, { input: 'correct horse battery\n' });

function copyOf(dir: string): string {
  const copy = join(base, `copy-${++folderNumber}`);
  cpSync(dir, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

function removeDatabase(dir: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(join(dir, `tonearm.db${ending}`), { force: true });
}

const database = (dir: string): string => join(dir, 'tonearm.db');

/** Returns names and sizes of all files in the folder, except those that SQLite creates when it opens a database. */
const contents = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^tonearm\.(lock|db-(wal|shm))/.test(name))
    .map((name) => `${name} ${statSync(join(dir, name)).isFile() ? statSync(join(dir, name)).size : ''}`)
    .toSorted();

function query<T>(dir: string, sql: string): T[] {
  const db = new Database(database(dir), { readonly: true });
  try {
    return db.prepare<[], T>(sql).all();
  } finally {
    db.close();
  }
}

/** Sets the times of all stored files to long ago. */
function makeOld(dir: string): void {
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) utimesSync(join(dir, name), 1e9, 1e9);
}

function deleteAll(dir: string): void {
  const db = new Database(database(dir));
  db.exec('DELETE FROM tracks; DELETE FROM albums');
  db.close();
}

const idOf = (dir: string): string | undefined => query<{ id: string }>(dir, 'SELECT id FROM library_identity')[0]?.id;
const titles = (dir: string): string[] =>
  query<{ title: string }>(dir, 'SELECT title FROM tracks ORDER BY title').map(({ title }) => title);

/** Starts a server that must be refused; returns the reason. */
async function refusal(dir: string, env: Record<string, string> = {}): Promise<string> {
  const { code, stderr } = await runServer(['user', 'list', '--data-dir', dir], env);
  expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
  return stderr;
}

describe('a start', () => {
  test.each([
    ['is gone', removeDatabase, 'does not exist'],
    [
      'is empty',
      (dir: string) => {
        removeDatabase(dir);
        writeFileSync(database(dir), '');
      },
      'is empty',
    ],
    [
      'has no tables',
      (dir: string) => {
        removeDatabase(dir);
        new Database(database(dir)).exec('PRAGMA user_version = 1').close();
      },
      'is empty',
    ],
    [
      'was made anew by an older version',
      (dir: string) => {
        removeDatabase(dir);
        migratedDatabase(database(dir));
      },
      'is empty',
    ],
  ])('whose database %s is refused with the possible next steps, and changes nothing', async (_, damage, words) => {
    const dir = copyOf(wholeLibrary);
    damage(dir);
    const contentsBefore = contents(dir);
    const refusalText = await refusal(dir);
    expect(refusalText).toContain(words);
    expect(refusalText).toMatch(/tonearm restore.*tonearm rebuild.*--new-library/);
    expect(contents(dir)).toEqual(contentsBefore);
  });

  test('without a database is refused because of the audio alone, if an older version left no mark', async () => {
    const dir = copyOf(wholeLibrary);
    removeDatabase(dir);
    rmSync(join(dir, 'library.json'));
    rmSync(join(dir, 'library', 'library.json'));
    expect(await refusal(dir)).toMatch(/audio in the local disk.*does not exist/);
  });

  test('with the database of another program is refused', async () => {
    const dir = copyOf(wholeLibrary);
    removeDatabase(dir);
    new Database(database(dir)).exec('CREATE TABLE recipes (name TEXT)').close();
    expect(await refusal(dir)).toMatch(/the database of another program/);
    const { code, stderr } = await runServer(['user', 'list', '--new-library', '--data-dir', dir]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/the database of another program/)]);
    expect(query(dir, 'SELECT name FROM sqlite_schema')).toEqual([{ name: 'recipes' }]);
  });

  test('with the database of another library is refused, until a person confirms it', async () => {
    const dir = copyOf(wholeLibrary);
    removeDatabase(dir);
    copyFileSync(database(otherLibrary), database(dir));
    expect(await refusal(dir)).toMatch(/belongs to another library .* than/);
    const { code } = await runServer(['user', 'list', '--new-library', '--data-dir', dir]);
    expect(code).toBe(0);
    expect((await runServer(['user', 'list', '--data-dir', dir])).code).toBe(0);
    expect(idOf(dir)).toBe(idOf(otherLibrary));
  });

  test('with the storage of another library is refused', async () => {
    const dir = copyOf(wholeLibrary);
    expect(await refusal(dir, { STORAGE_ROOT: join(otherLibrary, 'library') })).toMatch(
      /The audio in the local disk belongs to another library/,
    );
  });

  test('with --new-library begins another one, and leaves the audio where it is', async () => {
    const dir = copyOf(wholeLibrary);
    removeDatabase(dir);
    const { code, stdout } = await runServer(['user', 'list', '--new-library', '--data-dir', dir]);
    expect([code, stdout]).toEqual([0, '']);
    expect(idOf(dir)).not.toBe(idOf(wholeLibrary));
    expect(titles(dir)).toEqual([]);
    expect(contents(join(dir, 'library', 'audio'))).toEqual(contents(join(wholeLibrary, 'library', 'audio')));
    expect((await runServer(['user', 'list', '--data-dir', dir])).code).toBe(0);
  });

  test('with --new-library keeps audio that the earlier library may need until its deletion is requested', async () => {
    const dir = copyOf(wholeLibrary);
    const audio = join(dir, 'library', 'audio');
    makeOld(join(dir, 'library'));
    removeDatabase(dir);
    expect((await runServer(['scan', music.dir, '--new-library', '--data-dir', dir])).code).toBe(0);
    expect(contents(join(dir, 'library', 'covers'))).toEqual(
      expect.arrayContaining(contents(join(wholeLibrary, 'library', 'covers'))),
    );
    deleteAll(dir);
    makeOld(join(dir, 'library')); // the scan stored the same audio again
    const keptResult = await runServer(['gc', '--data-dir', dir]);
    expect(keptResult.stdout).toMatch(/ 0 unused .*\n[1-9]\d* \(\d+ MB\) are kept, because an earlier library/);
    expect(contents(audio)).toEqual(contents(join(wholeLibrary, 'library', 'audio')));
    const forcedResult = await runServer(['gc', '--earlier-library', '--data-dir', dir]);
    expect(forcedResult.stdout).not.toContain('are kept');
    expect(contents(audio).filter((name) => name.includes('.'))).toEqual([]);
  });

  test('of a library that has moved, with all its files, is no other library', async () => {
    expect((await runServer(['user', 'list', '--data-dir', copyOf(wholeLibrary)])).stdout).toContain('owner');
  });
});

test('a database whose first write was interrupted counts as it was before the write', () => {
  const path = join(base, 'interrupted.db');
  const db = new Database(`${path}.open`);
  db.exec('PRAGMA cache_size = 1; CREATE TABLE recipes (name TEXT); BEGIN');
  for (let n = 0; n < 500; n++) db.prepare('INSERT INTO recipes VALUES (?)').run('x'.repeat(200));
  for (const ending of ['', '-journal']) copyFileSync(`${path}.open${ending}`, `${path}${ending}`);
  db.exec('ROLLBACK');
  db.close();
  expect(lookAtDatabase(path)).toEqual({ kind: 'foreign' });
});

describe('a storage that cannot be reached at the start', () => {
  const orphanKey = `audio/ab/ab${'0'.repeat(62)}.mp3`;
  /** Opens a library whose storage is unreachable; `work` receives the storage. */
  async function open(dir: string, isNewLibrary: boolean, work?: (ownedStorage: OwnedStorage) => Promise<void>) {
    const env = { DATA_DIR: dir, STORAGE_BACKEND: 'local', STORAGE_ROOT: join(dir, 'away'), SECRET_STORE: 'file' };
    const config = loadConfig({ file: {}, env });
    const { offers, close } = await openDataFolder({ config, paths, log: createLog('silent'), isNewLibrary });
    try {
      await work?.(createOwnedStorage(createLocalStorage({ root: join(dir, 'store') }), offers.owner));
    } finally {
      close();
    }
  }
  function makeDataDir(): string {
    const dir = copyOf(wholeLibrary);
    mkdirSync(join(dir, 'store', dirname(orphanKey)), { recursive: true });
    writeFileSync(join(dir, 'store', orphanKey), 'audio');
    makeOld(join(dir, 'store'));
    return dir;
  }

  test('is still recognized by a library from before the marks', async () => {
    const dir = makeDataDir();
    const db = new Database(database(dir));
    db.exec("UPDATE tracks SET storage_uri = 'file:' || id; DELETE FROM library_identity");
    db.close();
    rmSync(join(dir, 'library.json'));
    await open(dir, false);
    await open(dir, false, async (storage) => {
      await storage.claim();
      expect([await storage.holdsEarlierObjects(), await storage.delete(orphanKey)]).toEqual([false, true]);
    });
    writeFileSync(join(dir, 'store', 'library.json'), '');
    writeFileSync(join(dir, 'store', orphanKey), 'audio');
    // the storage was marked once, so an unmarked storage must be a different one
    await open(dir, false, (storage) => expect(storage.claim()).rejects.toThrow(/to another library/));
  });

  test('can still be taken over by another library, which deletes none of the existing files', async () => {
    const dir = makeDataDir();
    removeDatabase(dir);
    await open(dir, true);
    await open(dir, false, async (storage) => {
      expect([await storage.delete(orphanKey), await storage.holdsEarlierObjects()]).toEqual([false, true]);
      await storage.put('covers/1.jpg', Buffer.from('new'));
      const laterSeconds = Date.now() / 1_000 + 1; // the clock of a file system lags some milliseconds behind
      utimesSync(join(dir, 'store', 'covers/1.jpg'), laterSeconds, laterSeconds);
      expect(await storage.delete('covers/1.jpg')).toBe(true);
      await storage.releaseEarlierObjects();
      expect(await storage.delete(orphanKey)).toBe(true);
    });
    await open(dir, false, async (storage) => expect(await storage.holdsEarlierObjects()).toBe(false));
  });
});

describe('tonearm rebuild', () => {
  test('is refused where there is a database', async () => {
    const { code, stderr } = await runServer(['rebuild', '--data-dir', copyOf(wholeLibrary)]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/A database already exists/)]);
  });

  test('makes tracks of all stored audio, and a scan then finds their files', async () => {
    const dir = copyOf(wholeLibrary);
    removeDatabase(dir);
    // without settings.json the server does not know the music folder
    rmSync(join(dir, 'settings.json'), { force: true });
    const { code, stdout } = await runServer(['rebuild', '--data-dir', dir]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Made a new database with ${TRACKS} tracks`)]);
    expect(titles(dir)).toEqual(titles(wholeLibrary));
    expect(idOf(dir)).toBe(idOf(wholeLibrary));
    const scanResult = await runServer(['scan', music.dir, '--data-dir', dir]);
    expect(scanResult.stdout).toMatch(/, 12 moved \(/);
    const placesSql = 'SELECT title, source, source_id, storage_uri, audio_hash FROM tracks ORDER BY source_id';
    expect(query(dir, placesSql)).toEqual(query(wholeLibrary, placesSql));
    expect(query(dir, 'SELECT count(*) AS n FROM album_covers WHERE key IS NOT NULL')).toEqual(
      query(wholeLibrary, 'SELECT count(*) AS n FROM album_covers WHERE key IS NOT NULL'),
    );
  });

  test('keeps audio that it cannot read, also from gc, until the deletion is requested', async () => {
    const dir = copyOf(wholeLibrary);
    const unreadable = join(dir, 'library', 'audio', 'ab', `ab${'0'.repeat(62)}.mp3`);
    mkdirSync(dirname(unreadable), { recursive: true });
    writeFileSync(unreadable, 'no audio');
    makeOld(join(dir, 'library'));
    removeDatabase(dir);
    expect((await runServer(['rebuild', '--data-dir', dir])).stdout).toContain('1 files could not be read');
    await runServer(['gc', '--data-dir', dir]);
    expect(existsSync(unreadable)).toBe(true);
    await runServer(['gc', '--earlier-library', '--data-dir', dir]);
    expect(existsSync(unreadable)).toBe(false);
    expect(contents(join(dir, 'library', 'audio'))).toEqual(
      expect.arrayContaining(contents(join(wholeLibrary, 'library', 'audio'))),
    );
  });

  test('scans the music folder of a library that only indexes it', async () => {
    const env = { LOCAL_MEDIA_IMPORT_MODE: 'reference' };
    const dir = join(base, 'referenced');
    expect((await runServer(['scan', music.dir, '--data-dir', dir], env)).code).toBe(0);
    const titlesBefore = titles(dir);
    removeDatabase(dir);
    expect(await refusal(dir, env)).toMatch(/library\.json/);
    expect((await runServer(['rebuild', '--data-dir', dir], env)).code).toBe(0);
    expect(titles(dir)).toEqual(titlesBefore);
    expect(titlesBefore).toHaveLength(TRACKS);
  });

  test('that was killed leaves no database that looks complete, and continues', async () => {
    const dir = copyOf(wholeLibrary);
    removeDatabase(dir);
    const child = await runServer(
      ['rebuild', '--data-dir', dir],
      {},
      { killWhen: () => existsSync(`${database(dir)}.rebuilding-wal`) },
    );
    expect(child.code).toBeNull();
    expect(await refusal(dir)).toMatch(/interrupted: run "tonearm rebuild" again/);
    expect((await runServer(['rebuild', '--data-dir', dir])).code).toBe(0);
    expect(titles(dir)).toEqual(titles(wholeLibrary));
    expect(readdirSync(dir).filter((name) => name.includes('rebuilding'))).toEqual([]);
  });

  test('that was killed while it made its tables begins again', async () => {
    const dir = copyOf(wholeLibrary);
    removeDatabase(dir);
    const [firstMigration = ''] = readdirSync(paths.migrations).filter((name) => name.endsWith('.sql'));
    cpSync(join(paths.migrations, firstMigration), join(dir, 'first', firstMigration));
    const halfDatabase = new Database(`${database(dir)}.rebuilding`);
    migrate(halfDatabase, join(dir, 'first'), createLog('silent'));
    halfDatabase.close();
    expect(await refusal(dir)).toMatch(/interrupted: run "tonearm rebuild" again/);
    expect((await runServer(['rebuild', '--data-dir', dir])).code).toBe(0);
    expect(titles(dir)).toEqual(titles(wholeLibrary));
    expect(readdirSync(dir).filter((name) => name.includes('rebuilding'))).toEqual([]);
  });
});

test('the folder of --import lasts, and tracks that have lost theirs are counted', async () => {
  const dir = join(base, 'imported');
  const reference = { LOCAL_MEDIA_IMPORT_MODE: 'reference' };
  const firstServer = await spawnServer(['--data-dir', dir, '--port', '0', '--import', music.dir], reference);
  await expect.poll(() => firstServer.output()).toContain('Scan done');
  await firstServer.kill('SIGTERM');
  const secondServer = await spawnServer(['--data-dir', dir, '--port', '0']);
  const { ask: sendRequest, read: readState } = await clientOf(secondServer);
  const { items } = await readState<TrackPage>('/tracks');
  expect(items).toHaveLength(TRACKS);
  expect((await fetch(`${secondServer.url}/stream/${items[0]?.id}`)).status).toBe(401);
  expect(await readState('/status')).toEqual({ problems: [] });
  const response = await sendRequest('/settings', 'PATCH', { local_media_import_path: null });
  expect(response.status).toBe(200);
  const unplayable = { problems: [{ code: 'music_folder_unset', tracks: TRACKS }] };
  await expect.poll(() => readState('/status')).toEqual(unplayable);
  await secondServer.kill('SIGTERM');
  const thirdServer = await spawnServer(['--data-dir', dir, '--port', '0']);
  await expect.poll(() => thirdServer.output()).toContain('Tracks that are only there cannot be played');
  expect(await (await fetch(`${thirdServer.url}/health`)).json()).toMatchObject({
    status: 'degraded',
    problems: ['music_folder_unset'],
  });
  await thirdServer.kill('SIGTERM');
});
