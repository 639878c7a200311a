// Moving a library to an object store and back, with kill -9 in between, checked by what a listener receives in the
// end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalStorage } from '../../server/storage/local.ts';
import { startFakeS3, type FakeS3, type S3Ask } from '../fakes/s3.ts';
import { serverEntry } from '../support/bundle.ts';
import { makeLibrary } from '../support/library.ts';
import { allTracks } from '../support/served-library.ts';
import { offline, startServer } from '../support/server.ts';

/** Time limit for six processes, one after the other, on a busy machine. */
const TIME_LIMIT = 240_000;

let base: string;
let original: string;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-migrate-'));
  const { dir } = makeLibrary({ tracks: 30, messy: 0, seed: 'migrate', art: 'folder' }, join(base, 'music'));
  original = join(base, 'original');
  const server = await startServer({ dir: original, env: { LOCAL_MEDIA_IMPORT_PATH: dir } });
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  const tracks = await allTracks(server);
  const album = tracks.findLast(({ album_id: id }) => id !== null && id !== tracks[0]?.album_id)?.album_id;
  for (const { id } of tracks.filter((track) => track.album_id === album))
    expect((await server.api(`/tracks/${id}`, { method: 'DELETE' })).status).toBe(204);
  await server.close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function copyOf(name: string): string {
  const dir = join(base, name);
  cpSync(original, dir, { recursive: true, preserveTimestamps: true });
  return dir;
}

/** Migrates the library; `killAt` kills the process, as a power cut would, when it sends that request. */
async function migrate(dir: string, to: 's3' | 'local', fake: FakeS3, killAt: (ask: S3Ask) => boolean = () => false) {
  const child = spawn(process.execPath, [serverEntry(), 'storage', 'migrate', '--to', to, '--data-dir', dir], {
    env: { ...process.env, LOCAL_MEDIA_WATCH: 'false', ...offline({}), ...fake.settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  fake.fault = (ask) => {
    if (killAt(ask)) child.kill('SIGKILL');
    return undefined;
  };
  const [code] = (await once(child, 'close')) as [number | null];
  fake.fault = () => undefined;
  return { code, output };
}

/** All tracks, including those in the trash, and the cover keys. */
interface StoredRows {
  tracks: { id: number; uri: string; hash: string }[];
  covers: string[];
}

function rowsIn(dir: string): StoredRows {
  const db = new Database(join(dir, 'tonearm.db'), { readonly: true });
  try {
    return {
      tracks: db
        .prepare('SELECT id, storage_uri AS uri, content_hash AS hash FROM stored_audio ORDER BY id')
        .all() as StoredRows['tracks'],
      covers: db
        .prepare(
          `SELECT key FROM album_covers WHERE key IS NOT NULL
          UNION SELECT cover_key FROM trashed_tracks WHERE cover_key IS NOT NULL ORDER BY 1`,
        )
        .pluck()
        .all() as string[],
    };
  } finally {
    db.close();
  }
}

const schemes = (dir: string): string[] => [
  ...new Set(rowsIn(dir).tracks.map(({ uri }) => uri.slice(0, uri.indexOf(':')))),
];
const fileOf = (dir: string, key: string): Buffer => readFileSync(join(dir, 'library', key));

function expectWholeIn(fake: FakeS3): void {
  const { tracks, covers } = rowsIn(original);
  for (const key of [...tracks.map(({ uri }) => uri.slice('local:'.length)), ...covers])
    expect(fake.objects.get(key)?.bytes.equals(fileOf(original, key)), key).toBe(true);
}

test(
  'a library is moved to the store and back, with the same tracks and bytes',
  async () => {
    const fake = await startFakeS3();
    const dir = copyOf('there-and-back');
    try {
      const migration = await migrate(dir, 's3', fake);
      expect(migration).toMatchObject({ code: 0, output: expect.stringContaining('STORAGE_BACKEND is set to s3') });
      expectWholeIn(fake);
      expect(rowsIn(dir).tracks).toEqual(
        rowsIn(original).tracks.map((track) => ({ ...track, uri: track.uri.replace('local:', 's3:') })),
      );

      rmSync(join(dir, 'library'), { recursive: true });
      const server = await startServer({ dir, env: { STORAGE_BACKEND: 's3', ...fake.settings } });
      const audio = await fetch(`${server.url}/stream/${(await allTracks(server))[0]?.id}`, {
        headers: { Authorization: `Bearer ${server.token}` },
      });
      expect(audio.status).toBe(200);
      await audio.body?.cancel();
      await server.close();

      expect((await migrate(dir, 'local', fake)).code).toBe(0);
      expect(rowsIn(dir)).toEqual(rowsIn(original));
      for (const { uri } of rowsIn(dir).tracks)
        expect(fileOf(dir, uri.slice(6)).equals(fileOf(original, uri.slice(6)))).toBe(true);
      for (const key of rowsIn(dir).covers) expect(fileOf(dir, key).equals(fileOf(original, key))).toBe(true);
    } finally {
      await fake.close();
    }
  },
  TIME_LIMIT,
);

test(
  'kill -9 at five points loses nothing: the library is in one of the two storages, and the next run continues',
  async () => {
    const fake = await startFakeS3();
    const dir = copyOf('killed');
    const objects = new Set(rowsIn(original).tracks.map(({ uri }) => uri)).size + rowsIn(original).covers.length;
    try {
      for (let point = 0; point < 5; point++) {
        let askedCount = 0;
        const wantedCount = point === 4 ? 1 : 1 + Math.floor(objects / 6);
        const { code } = await migrate(
          dir,
          's3',
          fake,
          ({ operation }) =>
            operation === (point === 0 ? 'ListObjectsV2' : 'PutObject') && ++askedCount === wantedCount,
        );
        expect(code).toBeNull();
        expect(schemes(dir)).toEqual(['local']);
      }
      fake.requests.length = 0;
      const { code, output } = await migrate(dir, 's3', fake);
      expect([code, output]).toEqual([0, expect.stringMatching(/[1-9]\d* were already there/)]);
      expect(schemes(dir)).toEqual(['s3']);
      expectWholeIn(fake);
      // moving back is fast
      expect([...new Set(readdirSync(join(dir, 'library')))]).toEqual(expect.arrayContaining(['audio', 'covers']));
      expect((await migrate(dir, 's3', fake)).output).toContain('0 objects copied');
    } finally {
      await fake.close();
    }
  },
  TIME_LIMIT,
);

test(
  'a store that fails half-way changes nothing; a damaged object keeps its old URI and is reported',
  async () => {
    const fake = await startFakeS3();
    const dir = copyOf('troubled');
    try {
      const [firstTrack, secondTrack] = rowsIn(dir).tracks as [StoredRows['tracks'][0], StoredRows['tracks'][0]];
      const bytes = fileOf(dir, firstTrack.uri.slice(6));
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      writeFileSync(join(dir, 'library', firstTrack.uri.slice(6)), bytes);
      await createLocalStorage({ root: join(dir, 'library') }).delete(secondTrack.uri.slice(6));
      const { bucket } = fake;
      fake.bucket = 'another';
      expect(await migrate(dir, 's3', fake)).toMatchObject({ code: 1, output: expect.stringContaining('bucket') });
      expect(schemes(dir)).toEqual(['local']);
      fake.bucket = bucket;
      const { code, output } = await migrate(dir, 's3', fake);
      expect([code, output]).toEqual([1, expect.stringContaining(firstTrack.uri.slice(6))]);
      const laterTracks = rowsIn(dir).tracks;
      expect(
        laterTracks
          .filter(({ uri }) => uri.startsWith('local:'))
          .map(({ hash }) => hash)
          .sort(),
      ).toEqual([firstTrack, secondTrack].map(({ hash }) => hash).sort());
      expect(fake.objects.has(firstTrack.uri.slice(6))).toBe(false);
    } finally {
      await fake.close();
    }
  },
  TIME_LIMIT,
);
