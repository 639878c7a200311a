// Runs the covers module with a real database, storage and HTTP server.
import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { eq } from 'drizzle-orm';
import { createPlaceholderCovers } from '../../server/covers/placeholder-covers.ts';
import { coverRoutes } from '../../server/covers/routes.ts';
import { createCoverService } from '../../server/covers/service.ts';
import type { AlbumId, TrackId } from '../../server/db/ids.ts';
import { albumCovers, coverLookups } from '../../server/db/schema.ts';
import { createLog } from '../../server/log/log.ts';
import { createAudioStore } from '../../server/storage/audio-store.ts';
import { NO_PATH } from '../../server/storage/music-roots.ts';
import { createLocalStorage } from '../../server/storage/local.ts';
import type { Storage } from '../../server/storage/storage.ts';
import { ascii, id3, id3Frame, silentMp3 } from '../support/audio-bytes.ts';
import { openArchive } from '../support/cover-archive.ts';
import { paths } from '../support/product.ts';
import { inPieces } from './storage-conformance.ts';
import { openLibrary, serveRoutes } from './storage-server.ts';

export type CoverServer = Awaited<ReturnType<typeof openCoverServer>>;

export interface LogLine {
  level: string;
  msg: string;
  [field: string]: unknown;
}

/** Creates a log, and the list of its parsed lines. */
export function createReadableLog() {
  const lines: LogLine[] = [];
  const log = createLog(
    'debug',
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        lines.push(JSON.parse(chunk.toString()) as LogLine);
        done();
      },
    }),
  );
  return { log, lines };
}

interface CoverServerOptions {
  archiveUrl?: string;
  /** Wraps the local storage, for instance so that it fails. */
  wrapStorage?: (local: Storage) => Storage;
}

export async function openCoverServer({
  archiveUrl,
  wrapStorage: storageIs = (local) => local,
}: CoverServerOptions = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'tonearm-covers-'));
  const library = openLibrary(join(dir, 'tonearm.db'));
  const storage = storageIs(createLocalStorage({ root: join(dir, 'library') }));
  const changedAlbums: AlbumId[] = [];
  const { log, lines } = createReadableLog();
  const clock = { now: new Date('2024-06-01T00:00:00Z') };
  const covers = createCoverService({
    db: library.db,
    log,
    now: () => clock.now,
    storage,
    cacheDir: join(dir, 'cache'),
    workerUrl: paths.workers.cover,
    onCover: (id) => changedAlbums.push(id),
    onArtistPicture: () => {},
    audioStore: createAudioStore({ storage, musicRoots: () => NO_PATH }),
    asksCommons: () => false,
    assertFree: () => Promise.resolve(),
    archive: openArchive(archiveUrl, log, () => clock.now),
  });
  const servedRoutes = await serveRoutes(
    coverRoutes(
      covers,
      createPlaceholderCovers({
        db: library.db,
        cacheDir: join(dir, 'cache'),
        now: () => clock.now,
        fetchPicture: () => Promise.resolve(undefined),
        readEmbedded: covers.readEmbedded,
      }),
      { assertAlbum: () => undefined },
    ),
  );
  return {
    dir,
    library,
    storage,
    covers,
    changedAlbums: changedAlbums,
    lines,
    clock,
    rowOf: (albumId: AlbumId) => library.db.select().from(albumCovers).where(eq(albumCovers.albumId, albumId)).get(),
    lookupOf: (albumId: AlbumId) =>
      library.db.select().from(coverLookups).where(eq(coverLookups.albumId, albumId)).get(),
    listStoredCovers: (): string[] =>
      fs.existsSync(join(dir, 'library', 'covers')) ? fs.readdirSync(join(dir, 'library', 'covers')).sort() : [],
    call: (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${servedRoutes.url}${path}`, {
        ...init,
        headers: { authorization: 'Bearer good', ...(init.headers as Record<string, string>) },
      }),
    /** Stores audio and creates a track with it. */
    async addAudio(albumId: AlbumId, audio: Buffer, format: string, hasPicture = true): Promise<TrackId> {
      const { key } = await storage.putAudio(inPieces(audio), format);
      return library.addTrack({
        albumId,
        storageUri: `local:${key}`,
        hasPicture,
        format,
        trackNumber: 1,
        discNumber: 1,
      });
    },
    advanceClock(ms: number): void {
      clock.now = new Date(clock.now.getTime() + ms);
    },
    async close(): Promise<void> {
      await servedRoutes.close();
      await covers.close();
      library.db.$client.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export const makeMp3WithPicture = (picture: Buffer): Buffer =>
  Buffer.concat([id3([id3Frame('APIC', Buffer.concat([ascii('\0image/jpeg\0\x03\0'), picture]))]), silentMp3(30)]);
export const readBytes = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());
export const neverAborted = new AbortController().signal;
