// A library knows its database, its data folder and its storage: a start that finds another's, or none, says so and
// changes nothing. `tonearm rebuild` makes a database from what is stored.
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
/** A library in copy mode, with an account. Copied for every test. */
let whole: string;
/** Another one. */
let other: string;
let made = 0;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-identity-'));
  music = makeLibrary({ tracks: TRACKS, seed: 'identity', art: 'embedded', seconds: '1' }, join(base, 'music'));
  [whole, other] = [join(base, 'whole'), join(base, 'other')];
  for (const dir of [whole, other]) {
    expect((await runServer(['scan', music.dir, '--data-dir', dir])).code).toBe(0);
    const { code } = await runWithInput(['user', 'add', 'owner', '--superuser', '--data-dir', dir]);
    expect(code).toBe(0);
  }
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const runWithInput = (args: string[]) => runServer(args, {}, { input: 'correct horse battery\n' });

function copyOf(dir: string): string {
  const copy = join(base, `copy-${++made}`);
  cpSync(dir, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

function removeDatabase(dir: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(join(dir, `tonearm.db${ending}`), { force: true });
}

const database = (dir: string): string => join(dir, 'tonearm.db');

/** Names and sizes of everything in the folder but what SQLite makes when it looks into a file. */
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

/** As if everything had been stored long ago. */
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

/** Starts until it is refused; returns why. */
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
  ])('whose database %s is refused with the ways on, and changes nothing', async (_, damage, words) => {
    const dir = copyOf(whole);
    damage(dir);
    const before = contents(dir);
    const why = await refusal(dir);
    expect(why).toContain(words);
    expect(why).toMatch(/tonearm restore.*tonearm rebuild.*--new-library/);
    expect(contents(dir)).toEqual(before);
  });

  test('without a database is refused for the audio alone, where an older version left no mark', async () => {
    const dir = copyOf(whole);
    removeDatabase(dir);
    rmSync(join(dir, 'library.json'));
    rmSync(join(dir, 'library', 'library.json'));
    expect(await refusal(dir)).toMatch(/audio in the local disk.*does not exist/);
  });

  test('with the database of another program is refused', async () => {
    const dir = copyOf(whole);
    removeDatabase(dir);
    new Database(database(dir)).exec('CREATE TABLE recipes (name TEXT)').close();
    expect(await refusal(dir)).toMatch(/the database of another program/);
    const { code, stderr } = await runServer(['user', 'list', '--new-library', '--data-dir', dir]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/the database of another program/)]);
    expect(query(dir, 'SELECT name FROM sqlite_schema')).toEqual([{ name: 'recipes' }]);
  });

  test('with the database of another library is refused, until a person says that it is meant', async () => {
    const dir = copyOf(whole);
    removeDatabase(dir);
    copyFileSync(database(other), database(dir));
    expect(await refusal(dir)).toMatch(/belongs to another library .* than/);
    const { code } = await runServer(['user', 'list', '--new-library', '--data-dir', dir]);
    expect(code).toBe(0);
    expect((await runServer(['user', 'list', '--data-dir', dir])).code).toBe(0);
    expect(idOf(dir)).toBe(idOf(other));
  });

  test('with the storage of another library is refused', async () => {
    const dir = copyOf(whole);
    expect(await refusal(dir, { STORAGE_ROOT: join(other, 'library') })).toMatch(
      /The audio in the local disk belongs to another library/,
    );
  });

  test('with --new-library begins another one, and leaves the audio where it is', async () => {
    const dir = copyOf(whole);
    removeDatabase(dir);
    const { code, stdout } = await runServer(['user', 'list', '--new-library', '--data-dir', dir]);
    expect([code, stdout]).toEqual([0, '']);
    expect(idOf(dir)).not.toBe(idOf(whole));
    expect(titles(dir)).toEqual([]);
    expect(contents(join(dir, 'library', 'audio'))).toEqual(contents(join(whole, 'library', 'audio')));
    expect((await runServer(['user', 'list', '--data-dir', dir])).code).toBe(0);
  });

  test('with --new-library keeps what the earlier library may need until it is asked for', async () => {
    const dir = copyOf(whole);
    const audio = join(dir, 'library', 'audio');
    makeOld(join(dir, 'library'));
    removeDatabase(dir);
    expect((await runServer(['scan', music.dir, '--new-library', '--data-dir', dir])).code).toBe(0);
    expect(contents(join(dir, 'library', 'covers'))).toEqual(
      expect.arrayContaining(contents(join(whole, 'library', 'covers'))),
    );
    deleteAll(dir);
    makeOld(join(dir, 'library')); // the scan stored the same again
    const kept = await runServer(['gc', '--data-dir', dir]);
    expect(kept.stdout).toMatch(/ 0 unused .*\n[1-9]\d* \(\d+ MB\) are kept, because an earlier library/);
    expect(contents(audio)).toEqual(contents(join(whole, 'library', 'audio')));
    const asked = await runServer(['gc', '--earlier-library', '--data-dir', dir]);
    expect(asked.stdout).not.toContain('are kept');
    expect(contents(audio).filter((name) => name.includes('.'))).toEqual([]);
  });

  test('of a library that has moved, with all its files, is no other library', async () => {
    expect((await runServer(['user', 'list', '--data-dir', copyOf(whole)])).stdout).toContain('owner');
  });
});

test('a database whose first write was interrupted is looked at as what it was before', () => {
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
  const old = `audio/ab/ab${'0'.repeat(62)}.mp3`;
  /** Starts without the storage; then `work` gets it. */
  async function open(dir: string, isNewLibrary: boolean, work?: (owned: OwnedStorage) => Promise<void>) {
    const env = { DATA_DIR: dir, STORAGE_BACKEND: 'local', STORAGE_ROOT: join(dir, 'away'), SECRET_STORE: 'file' };
    const config = loadConfig({ file: {}, env });
    const { offers, close } = await openDataFolder({ config, paths, log: createLog('silent'), isNewLibrary });
    try {
      await work?.(createOwnedStorage(createLocalStorage({ root: join(dir, 'store') }), offers.owner));
    } finally {
      close();
    }
  }
  function made(): string {
    const dir = copyOf(whole);
    mkdirSync(join(dir, 'store', dirname(old)), { recursive: true });
    writeFileSync(join(dir, 'store', old), 'audio');
    makeOld(join(dir, 'store'));
    return dir;
  }

  test('is still the own one of a library from before', async () => {
    const dir = made();
    const db = new Database(database(dir));
    db.exec("UPDATE tracks SET storage_uri = 'file:' || id; DELETE FROM library_identity");
    db.close();
    rmSync(join(dir, 'library.json'));
    await open(dir, false);
    await open(dir, false, async (storage) => {
      await storage.claim();
      expect([await storage.holdsEarlierObjects(), await storage.delete(old)]).toEqual([false, true]);
    });
    writeFileSync(join(dir, 'store', 'library.json'), '');
    writeFileSync(join(dir, 'store', old), 'audio');
    // it was marked once, so this is another
    await open(dir, false, (storage) => expect(storage.claim()).rejects.toThrow(/to another library/));
  });

  test('is still taken over by another library, which deletes nothing that was there', async () => {
    const dir = made();
    removeDatabase(dir);
    await open(dir, true);
    await open(dir, false, async (storage) => {
      expect([await storage.delete(old), await storage.holdsEarlierObjects()]).toEqual([false, true]);
      await storage.put('covers/1.jpg', Buffer.from('new'));
      const later = Date.now() / 1_000 + 1; // the clock of a file system lags some milliseconds behind
      utimesSync(join(dir, 'store', 'covers/1.jpg'), later, later);
      expect(await storage.delete('covers/1.jpg')).toBe(true);
      await storage.releaseEarlierObjects();
      expect(await storage.delete(old)).toBe(true);
    });
    await open(dir, false, async (storage) => expect(await storage.holdsEarlierObjects()).toBe(false));
  });
});

describe('tonearm rebuild', () => {
  test('is refused where there is a database', async () => {
    const { code, stderr } = await runServer(['rebuild', '--data-dir', copyOf(whole)]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/A database already exists/)]);
  });

  test('makes tracks of all stored audio, which a scan then finds the files of', async () => {
    const dir = copyOf(whole);
    removeDatabase(dir);
    rmSync(join(dir, 'settings.json'), { force: true }); // so that it does not know the music folder
    const { code, stdout } = await runServer(['rebuild', '--data-dir', dir]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Made a new database with ${TRACKS} tracks`)]);
    expect(titles(dir)).toEqual(titles(whole));
    expect(idOf(dir)).toBe(idOf(whole));
    const scanned = await runServer(['scan', music.dir, '--data-dir', dir]);
    expect(scanned.stdout).toMatch(/, 12 moved \(/);
    const places = 'SELECT title, source, source_id, storage_uri, audio_hash FROM tracks ORDER BY source_id';
    expect(query(dir, places)).toEqual(query(whole, places));
    expect(query(dir, 'SELECT count(*) AS n FROM album_covers WHERE key IS NOT NULL')).toEqual(
      query(whole, 'SELECT count(*) AS n FROM album_covers WHERE key IS NOT NULL'),
    );
  });

  test('keeps audio that it cannot read, also from gc, until it is asked for', async () => {
    const dir = copyOf(whole);
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
      expect.arrayContaining(contents(join(whole, 'library', 'audio'))),
    );
  });

  test('scans the music folder of a library that only indexes it', async () => {
    const env = { LOCAL_MEDIA_IMPORT_MODE: 'reference' };
    const dir = join(base, 'referenced');
    expect((await runServer(['scan', music.dir, '--data-dir', dir], env)).code).toBe(0);
    const before = titles(dir);
    removeDatabase(dir);
    expect(await refusal(dir, env)).toMatch(/library\.json/);
    expect((await runServer(['rebuild', '--data-dir', dir], env)).code).toBe(0);
    expect(titles(dir)).toEqual(before);
    expect(before).toHaveLength(TRACKS);
  });

  test('that was killed leaves no database that looks whole, and continues', async () => {
    const dir = copyOf(whole);
    removeDatabase(dir);
    const child = await runServer(
      ['rebuild', '--data-dir', dir],
      {},
      { killWhen: () => existsSync(`${database(dir)}.rebuilding-wal`) },
    );
    expect(child.code).toBeNull();
    expect(await refusal(dir)).toMatch(/interrupted: run "tonearm rebuild" again/);
    expect((await runServer(['rebuild', '--data-dir', dir])).code).toBe(0);
    expect(titles(dir)).toEqual(titles(whole));
    expect(readdirSync(dir).filter((name) => name.includes('rebuilding'))).toEqual([]);
  });

  test('that was killed while it made its tables begins again', async () => {
    const dir = copyOf(whole);
    removeDatabase(dir);
    const [first = ''] = readdirSync(paths.migrations).filter((name) => name.endsWith('.sql'));
    cpSync(join(paths.migrations, first), join(dir, 'first', first));
    const half = new Database(`${database(dir)}.rebuilding`);
    migrate(half, join(dir, 'first'), createLog('silent'));
    half.close();
    expect(await refusal(dir)).toMatch(/interrupted: run "tonearm rebuild" again/);
    expect((await runServer(['rebuild', '--data-dir', dir])).code).toBe(0);
    expect(titles(dir)).toEqual(titles(whole));
    expect(readdirSync(dir).filter((name) => name.includes('rebuilding'))).toEqual([]);
  });
});

test('the folder of --import lasts, and tracks that have lost theirs are counted', async () => {
  const dir = join(base, 'imported');
  const reference = { LOCAL_MEDIA_IMPORT_MODE: 'reference' };
  const first = await spawnServer(['--data-dir', dir, '--port', '0', '--import', music.dir], reference);
  await expect.poll(() => first.output()).toContain('Scan done');
  await first.kill('SIGTERM');
  const second = await spawnServer(['--data-dir', dir, '--port', '0']);
  const { ask, read } = await clientOf(second);
  const { items } = await read<TrackPage>('/tracks');
  expect(items).toHaveLength(TRACKS);
  expect((await fetch(`${second.url}/stream/${items[0]?.id}`)).status).toBe(401);
  expect(await read('/status')).toEqual({ problems: [] });
  const unset = await ask('/settings', 'PATCH', { local_media_import_path: null });
  expect(unset.status).toBe(200);
  const unplayable = { problems: [{ code: 'music_folder_unset', tracks: TRACKS }] };
  await expect.poll(() => read('/status')).toEqual(unplayable);
  await second.kill('SIGTERM');
  const third = await spawnServer(['--data-dir', dir, '--port', '0']);
  await expect.poll(() => third.output()).toContain('Tracks that are only there cannot be played');
  expect(await (await fetch(`${third.url}/health`)).json()).toMatchObject({
    status: 'degraded',
    problems: ['music_folder_unset'],
  });
  await third.kill('SIGTERM');
});
