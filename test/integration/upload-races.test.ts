// Uploads during a scan, and during deletions of the same content: in any order, no track is left without its audio.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TrackId } from '../../server/db/ids.ts';
import { rightsFrom } from '../../server/db/rights.ts';
import { trashedTracks, users } from '../../server/db/schema.ts';
import { createReaderPool } from '../../server/files/reader-pool.ts';
import { toAudio, toIdentity } from '../../server/files/track-draft.ts';
import { createStoreFile } from '../../server/files/store-file.ts';
import { createUploadService } from '../../server/uploads/service.ts';
import type { UploadOut } from '../../server/uploads/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import { createLibraryService } from '../../server/library/service.ts';
import { createTrackWriter } from '../../server/library/tracks/track-writer.ts';
import { createTrash } from '../../server/library/trash/trash.ts';
import { createAudioStore } from '../../server/storage/audio-store.ts';
import { createLeases, type Leases } from '../../server/storage/leases.ts';
import { createLocalStorage } from '../../server/storage/local.ts';
import type { Storage } from '../../server/storage/storage.ts';
import { makeLibrary, type Manifest } from '../support/library.ts';
import { paths } from '../support/product.ts';
import { allTracks } from '../support/served-library.ts';
import { quiet, startServer, type Answer, type ServerOptions, type TestServer } from '../support/server.ts';
import { openTempDatabase } from '../support/temp-database.ts';
import { turns } from '../support/until.ts';

let base: string;
let manifest: Manifest;
let clean: string[];
const open: { close(): Promise<void> }[] = [];

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-races-'));
  manifest = makeLibrary({ tracks: 150, even: true, seed: 'races' }, join(base, 'music'));
  clean = manifest.files
    .filter((file) => !file.messy && !file.duplicateOf && /^[\x20-\x7e]+$/.test(file.path))
    .map((file) => join(manifest.dir, file.path));
});
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function serve(options?: ServerOptions): Promise<TestServer> {
  const server = await startServer(options);
  open.push(server);
  return server;
}

function upload(server: TestServer, path: string): Promise<Answer<UploadOut>> {
  const form = new FormData();
  form.append('files', new Blob([readFileSync(path)]), basename(path));
  return server.api<UploadOut>('/tracks/upload', { method: 'POST', body: form });
}

const remove = (server: TestServer, id: number | undefined): Promise<Answer> =>
  server.api(`/tracks/${id}`, { method: 'DELETE' });
const purge = (server: TestServer, id: number | undefined): Promise<Answer> =>
  server.api(`/trash/${id}`, { method: 'DELETE' });
const objects = (server: TestServer): string[] => {
  const folder = join(server.dir, 'library', 'audio');
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name)
    : [];
};

/** Expects that every track has its audio, and that every stored object has a track, maybe in the trash. */
async function expectWhole(server: TestServer): Promise<void> {
  const tracks = await allTracks(server);
  const trashedRows = server.app.db.select({ storage_uri: trashedTracks.storageUri }).from(trashedTracks).all();
  for (const track of tracks) {
    const response = await fetch(`${server.url}/stream/${track.id}?token=${server.token}`);
    expect([response.status, (await response.arrayBuffer()).byteLength], track.title).toEqual([200, track.size_bytes]);
  }
  const usedNames = [...tracks, ...trashedRows].map((track) => basename(track.storage_uri ?? ''));
  expect(objects(server).sort()).toEqual([...new Set(usedNames)].sort());
}

test('twenty different uploads at once while a scan runs', async () => {
  const server = await serve({ env: { LOCAL_MEDIA_IMPORT_PATH: manifest.dir } });
  const scan = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
  const extra = makeLibrary({ tracks: 30, even: true, seed: 'others' }, join(base, 'others'));
  const otherFiles = extra.files.filter((file) => !file.messy && !file.duplicateOf).slice(0, 20);
  const answers = await Promise.all(otherFiles.map((file) => upload(server, join(extra.dir, file.path))));
  expect(answers.map((answer) => [answer.status, answer.body.items[0]?.title])).toEqual(
    otherFiles.map((file) => [201, file.tags?.title]),
  );
  await server.app.drain();
  expect((await server.api<JobOut>(`/jobs/${scan.body.id}`)).body.status).toBe('succeeded');
  await expectWhole(server);
});

test('the same content uploaded and deleted repeatedly never leaves a track without audio', async () => {
  const server = await serve();
  const path = clean[0] as string;
  for (let round = 0; round < 40; round++) {
    const firstUpload = await upload(server, path);
    expect(firstUpload.status).toBeLessThan(300);
    const [secondUpload] = await Promise.all([
      upload(server, path),
      remove(server, firstUpload.body.items[0]?.id).then((answer) =>
        round % 2 === 0 ? answer : purge(server, firstUpload.body.items[0]?.id),
      ),
      upload(server, path),
    ]);
    // 404 if the track was found, and deleted before the response
    expect([200, 201, 404]).toContain(secondUpload.status);
    await expectWhole(server);
  }
});

test('content that a scan finds again while its only track is deleted', async () => {
  const folder = join(base, 'again');
  mkdirSync(folder);
  for (const path of clean.slice(0, 12)) cpSync(path, join(folder, basename(path)));
  for (let round = 0; round < 4; round++) {
    const server = await serve({ env: { LOCAL_MEDIA_IMPORT_PATH: folder } });
    const ids = (await Promise.all(clean.slice(0, 12).map((path) => upload(server, path)))).map(
      (answer) => answer.body.items[0]?.id,
    );
    await server.api('/sources/local_folder/scan', { method: 'POST' });
    await Promise.all(
      ids.map(async (id, i) => {
        await turns((i * round * 5) % 35);
        await remove(server, id);
        return purge(server, id);
      }),
    );
    await server.app.drain();
    const tracks = await allTracks(server);
    expect(tracks.every((track) => track.source === 'local_folder')).toBe(true);
    await expectWhole(server);
  }
});

/** Creates a point where work stops until the test continues it. */
function gate() {
  const waiting: (() => void)[] = [];
  let arrivedCount = 0;
  let isOpen = true;
  return {
    close: (): void => {
      isOpen = false;
    },
    pass: async (): Promise<void> => {
      arrivedCount++;
      if (!isOpen)
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
    },
    arrived: (): number => arrivedCount,
    letOne: (): void => waiting.shift()?.(),
    open(): void {
      isOpen = true;
      for (const resume of waiting.splice(0)) resume();
    },
  };
}

describe('a deletion and an upload of the same content, stopped at the worst moment', () => {
  /** Opens the services with a real storage that stops after storing and before deleting. */
  async function openUploads() {
    const { db, dir, close } = openTempDatabase();
    const music = join(dir, 'music');
    const real = createLocalStorage({ root: join(dir, 'library') });
    const [afterStoring, beforeDeleting] = [gate(), gate()];
    const storage: Storage = {
      ...real,
      putAudio: async (...args) => {
        const storedAudio = await real.putAudio(...args);
        await afterStoring.pass();
        return storedAudio;
      },
      delete: async (key) => {
        await beforeDeleting.pass();
        return real.delete(key);
      },
    };
    let leaseCount = 0;
    const free = createLeases();
    const leases: Leases = {
      ...free,
      lease: (key, work) => {
        leaseCount++;
        return free.lease(key, work);
      },
    };
    const now = (): Date => new Date();
    const tracks = createTrackWriter({ db, now });
    const reader = createReaderPool({
      workerUrl: paths.workers.reader,
      log: quiet,
    });
    const library = createLibraryService({ db, tracks, storage, leases, now, log: quiet });
    const trash = createTrash({
      db,
      tracks,
      now,
      onRestored: () => {},
      lookForFiles: () => Promise.resolve(),
      release: library.release,
    });
    const rights = rightsFrom(() => true);
    const name = 'ann';
    const user = db
      .insert(users)
      .values({ ...rights, username: name, usernameKey: name, passwordHash: '', createdAt: now() })
      .returning()
      .get();
    const toTrash = (id: TrackId): void =>
      void db.transaction((tx) => trash.put(tx, user.id, id), { behavior: 'immediate' });
    const uploads = createUploadService({
      db,
      log: quiet,
      tracks,
      storeFile: createStoreFile({ storage, leases, reader }),
      audioStore: createAudioStore({ storage, musicRoots: () => music }),
      settings: { get: () => 10_000_000 } as never,
      tmpDir: join(dir, 'tmp'),
      quota: {
        reserve: () => Promise.resolve({ take: () => Promise.resolve(true), release: () => undefined }),
        assertFree: () => Promise.resolve(),
        assertQuota: () => undefined,
        quotaOf: () => null,
      },
      trash,
      releaseAudio: library.releaseAudio,
      onUploaded: () => undefined,
    });
    const http = createServer((req, res) => {
      uploads.receive(user.id, req as never, { signal: new AbortController().signal }).then(
        ({ uploaded }) => res.end(String(uploaded[0]?.trackId)),
        (error: unknown) => res.writeHead(500).end(String(error)),
      );
    });
    await new Promise<void>((resolve) => {
      http.listen(0, '127.0.0.1', resolve);
    });
    open.push({
      close: async () => {
        http.close();
        await reader.close();
        close();
      },
    });
    const { port } = http.address() as AddressInfo;
    return {
      /** Does what a scan in reference mode does with a file in the music folder. */
      async index(): Promise<TrackId> {
        mkdirSync(music);
        cpSync(clean[0] as string, join(music, 'a.mp3'));
        const [file] = await reader.read({ root: music, paths: ['a.mp3'], copyTo: null, hashLarge: true });
        if (!file?.ok) throw new Error('the file cannot be read');
        const { content, audioHash, sizeBytes } = file;
        return tracks.insert({
          source: 'local_folder',
          sourceId: 'a.mp3',
          identity: toIdentity(content, 'a.mp3'),
          audio: toAudio(content, { storageUri: 'file:a.mp3', contentHash: null, audioHash, sizeBytes }),
        });
      },
      leases,
      leasesAsked: () => leaseCount,
      toTrash,
      deleteForGood(id: TrackId): Promise<void> {
        toTrash(id);
        return trash.deleteNow({ ...user, rights }, id);
      },
      stored: afterStoring,
      deleting: beforeDeleting,
      async send(): Promise<TrackId> {
        const form = new FormData();
        form.append('files', new Blob([readFileSync(clean[0] as string)]), 'a.mp3');
        const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: form });
        expect(response.status).toBe(200);
        return Number(await response.text()) as TrackId;
      },
      hasAudio: async (id: TrackId): Promise<boolean> =>
        (await real.stat(library.getTrack(user.id, id).storageUri?.slice('local:'.length) ?? '')) !== undefined,
      objects: (): string[] =>
        readdirSync(join(dir, 'library', 'audio'), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => entry.name),
    };
  }

  test('the upload begins while the object is being deleted', async () => {
    const { send, deleteForGood, deleting, hasAudio, leasesAsked } = await openUploads();
    const firstId = await send();
    deleting.close();
    const deletion = deleteForGood(firstId);
    await expect.poll(deleting.arrived).toBe(1);
    const secondUpload = send();
    // without the second lease, the upload would find the object before it is deleted
    await expect.poll(leasesAsked).toBe(2);
    deleting.open();
    await deletion;
    expect(await hasAudio(await secondUpload)).toBe(true);
  });

  test('the track is deleted while another upload has found its object and not yet written its row', async () => {
    const { send, deleteForGood, stored: afterStoring, hasAudio } = await openUploads();
    afterStoring.close();
    const uploads = [send(), send()];
    await expect.poll(afterStoring.arrived).toBe(2);
    afterStoring.letOne();
    const firstId = await Promise.race(uploads);
    await deleteForGood(firstId);
    afterStoring.open();
    const secondId = (await Promise.all(uploads)).find((id) => id !== firstId) as TrackId;
    expect(await hasAudio(secondId)).toBe(true);
  });

  test('the track goes to the trash while another upload has found its object: it is back', async () => {
    const { send, toTrash, stored: afterStoring, hasAudio } = await openUploads();
    afterStoring.close();
    const uploads = [send(), send()];
    await expect.poll(afterStoring.arrived).toBe(2);
    afterStoring.letOne();
    const firstId = await Promise.race(uploads);
    toTrash(firstId);
    afterStoring.open();
    expect(await Promise.all(uploads)).toEqual([firstId, firstId]);
    expect(await hasAudio(firstId)).toBe(true);
  });

  test('a scan in reference mode adds the same file before the upload has written its row: it is that track', async () => {
    const { send, index, stored: afterStoring, objects } = await openUploads();
    afterStoring.close();
    const pendingUpload = send();
    await expect.poll(afterStoring.arrived).toBe(1);
    const id = await index();
    afterStoring.open();
    expect(await pendingUpload).toBe(id);
    expect(objects()).toHaveLength(0);
  });

  test('the track is deleted while a scan has copied the same content and not yet written its row', async () => {
    const { leases, send, deleteForGood, objects } = await openUploads();
    const firstId = await send();
    await leases.leaseAll(async () => {
      await deleteForGood(firstId);
      expect(objects()).toHaveLength(1);
    });
    expect(objects()).toHaveLength(0); // the scan did not need the object after all
  });
});
