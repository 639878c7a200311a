import { hash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { eq } from 'drizzle-orm';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPlaceholderCovers } from '../../server/covers/placeholder-covers.ts';
import { coverRoutes } from '../../server/covers/routes.ts';
import type { StoredCover } from '../../server/covers/queries.ts';
import { createCoverService, type CoverService } from '../../server/covers/service.ts';
import { nearestSize } from '../../server/covers/cover-sizes.ts';
import type { CoverCandidates } from '../../server/covers/wire.ts';
import type { AlbumId } from '../../server/db/ids.ts';
import { albumCovers, albums, formerCovers, sourceFiles, sourceFolders, tracks } from '../../server/db/schema.ts';
import { AppError } from '../../server/errors.ts';
import { createAudioStore } from '../../server/storage/audio-store.ts';
import { createLocalStorage } from '../../server/storage/local.ts';
import type { Storage } from '../../server/storage/storage.ts';
import { openArchive } from '../support/cover-archive.ts';
import { ascii, flac, id3, id3Frame, silentMp3, u32 } from '../support/audio-bytes.ts';
import { paths } from '../support/product.ts';
import { codeOf, inPieces } from './storage-conformance.ts';
import { SNAPSHOT_TIME, openLibrary, serveRoutes, silent, type OpenLibrary, type Served } from './storage-server.ts';

const workerUrl = paths.workers.cover;
const itOnUnix = it.skipIf(process.platform === 'win32');

let jpeg: Buffer;
let png: Buffer;
beforeAll(async () => {
  const noiseOptions = {
    create: {
      width: 700,
      height: 500,
      channels: 3 as const,
      background: '#804020',
      noise: { type: 'gaussian' as const, mean: 128, sigma: 30 },
    },
  };
  jpeg = await sharp(noiseOptions).jpeg({ quality: 90 }).toBuffer();
  png = await sharp({ create: { width: 100, height: 100, channels: 4, background: '#2040f080' } })
    .png()
    .toBuffer();
});

let dir: string;
let musicDir: string;
let library: OpenLibrary;
let storage: Storage;
let covers: CoverService;
let servedRoutes: Served;
let changedAlbums: AlbumId[];
let now: Date;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tonearm-covers-'));
  musicDir = join(dir, 'music');
  fs.mkdirSync(musicDir);
  library = openLibrary(join(dir, 'tonearm.db'));
  storage = createLocalStorage({ root: join(dir, 'library') });
  changedAlbums = [];
  now = new Date('2024-06-01T00:00:00Z');
  covers = openCovers(storage);
  servedRoutes = await serveRoutes(
    coverRoutes(
      covers,
      createPlaceholderCovers({
        db: library.db,
        cacheDir: join(dir, 'cache'),
        now: () => now,
        fetchPicture: () => Promise.resolve(undefined),
        readEmbedded: covers.readEmbedded,
      }),
      { assertAlbum: () => undefined },
    ),
  );
});
afterEach(async () => {
  await servedRoutes.close();
  await covers.close();
  library.db.$client.close();
  await rm(dir, { recursive: true, force: true });
});

const openCovers = (usedStorage: Storage, usedWorkerUrl = workerUrl): CoverService =>
  createCoverService({
    db: library.db,
    log: silent,
    now: () => now,
    storage: usedStorage,
    cacheDir: join(dir, 'cache'),
    workerUrl: usedWorkerUrl,
    onCover: (id) => changedAlbums.push(id),
    onArtistPicture: () => {},
    asksCommons: () => false,
    assertFree: () => Promise.resolve(),
    archive: openArchive(undefined),
    audioStore: createAudioStore({ storage: usedStorage, musicRoots: () => musicDir }),
  });

const makeMp3WithPicture = (picture: Buffer, mime = 'image/jpeg'): Buffer =>
  Buffer.concat([id3([id3Frame('APIC', Buffer.concat([ascii(`\0${mime}\0\x03\0`), picture]))]), silentMp3(30)]);
const makeFlacPicture = (picture: Buffer, mime: string): Buffer =>
  Buffer.concat([
    u32(3),
    u32(mime.length),
    ascii(mime),
    u32(0),
    u32(0),
    u32(0),
    u32(0),
    u32(0),
    u32(picture.length),
    picture,
  ]);

const addAudio = async (albumId: AlbumId, audio: Buffer, trackNumber = 1, ext = 'mp3'): Promise<void> => {
  const { key } = await storage.putAudio(inPieces(audio), ext);
  library.addTrack({ albumId, storageUri: `local:${key}`, hasPicture: true, trackNumber, discNumber: 1 });
};

/** Adds a track of the album in a scanned folder, which may contain an image. */
function addFolder(albumId: AlbumId, path: string, image?: { name: string; bytes: Buffer }, discNumber = 1): void {
  const folderPath = join(musicDir, path);
  fs.mkdirSync(folderPath, { recursive: true });
  if (image) fs.writeFileSync(join(folderPath, image.name), image.bytes);
  const folderRow = library.db
    .insert(sourceFolders)
    .values({ source: 'local_folder', path, imageName: image?.name ?? null })
    .returning()
    .get();
  const trackId = library.addTrack({ albumId, storageUri: null, discNumber });
  library.db
    .insert(sourceFiles)
    .values({
      folderId: folderRow.id,
      name: 'a.mp3',
      sizeBytes: 1,
      mtimeUs: 1,
      dev: 1,
      ino: trackId,
      state: 'track',
      trackId,
    })
    .run();
}

const rowOf = (albumId: AlbumId) => library.db.select().from(albumCovers).where(eq(albumCovers.albumId, albumId)).get();
const readStoredCover = async (albumId: AlbumId): Promise<Buffer | undefined> => {
  const key = rowOf(albumId)?.key;
  return key ? fs.readFileSync(storage.localPath(key) ?? '') : undefined;
};
const getRoute = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${servedRoutes.url}${path}`, { headers: { authorization: 'Bearer good', ...headers } });
const readBytes = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

describe('finding a cover', () => {
  it('takes the image embedded in the audio, unchanged', async () => {
    const album = library.addAlbum();
    await addAudio(album, makeMp3WithPicture(jpeg));
    expect(await covers.resolveCover(album)).toBe(true);
    expect((await readStoredCover(album))?.equals(jpeg)).toBe(true);
    expect(rowOf(album)).toMatchObject({ key: `covers/${album}.jpg`, origin: 'embedded', checkedAt: now });
    expect(changedAlbums).toEqual([album]);
  });

  it('recognizes the format by the image, not by the tag', async () => {
    const album = library.addAlbum();
    await addAudio(album, flac([6, makeFlacPicture(png, 'image/jpeg')]), 1, 'flac');
    expect(await covers.resolveCover(album)).toBe(true);
    expect(rowOf(album)?.key).toBe(`covers/${album}.png`);
    expect((await readStoredCover(album))?.equals(png)).toBe(true);
  });

  it('takes the first track of the album in its order', async () => {
    const album = library.addAlbum();
    await addAudio(album, makeMp3WithPicture(png), 2);
    await addAudio(album, makeMp3WithPicture(jpeg), 1);
    await covers.resolveCover(album);
    expect((await readStoredCover(album))?.equals(jpeg)).toBe(true);
  });

  it('takes an image from the folder when none is embedded', async () => {
    const album = library.addAlbum();
    addFolder(album, 'Artist/Album', { name: 'cover.png', bytes: png });
    expect(await covers.resolveCover(album)).toBe(true);
    expect(rowOf(album)).toMatchObject({ key: `covers/${album}.png`, origin: 'folder' });
    expect((await readStoredCover(album))?.equals(png)).toBe(true);
  });

  it('prefers the embedded image to the one in the folder', async () => {
    const album = library.addAlbum();
    addFolder(album, 'Artist/Album', { name: 'cover.png', bytes: png });
    await addAudio(album, makeMp3WithPicture(jpeg));
    await covers.resolveCover(album);
    expect(rowOf(album)?.origin).toBe('embedded');
  });

  it('finds the image of a set in the parent of its disc folders, but of no other folder', async () => {
    const [boxSet, otherAlbum] = [library.addAlbum(), library.addAlbum()];
    for (const path of ['Artist', 'Artist/Set']) {
      fs.mkdirSync(join(musicDir, path), { recursive: true });
      fs.writeFileSync(join(musicDir, path, 'folder.jpg'), jpeg);
      library.db.insert(sourceFolders).values({ source: 'local_folder', path, imageName: 'folder.jpg' }).run();
    }
    addFolder(boxSet, 'Artist/Set/Disc 1', undefined, 1);
    addFolder(boxSet, 'Artist/Set/CD2', undefined, 2);
    addFolder(otherAlbum, 'Artist/Other album');
    expect(await covers.resolveCover(boxSet)).toBe(true);
    expect(await covers.resolveCover(otherAlbum)).toBe(false);
  });

  itOnUnix('finds an image in a folder whose name is not UTF-8', async () => {
    const folder = Buffer.concat([Buffer.from(`${musicDir}/`), Buffer.from([0x43, 0x61, 0x66, 0xe9])]);
    fs.mkdirSync(folder);
    fs.writeFileSync(Buffer.concat([folder, Buffer.from('/cover.jpg')]), jpeg);
    const album = library.addAlbum();
    addFolder(album, 'Placeholder');
    library.db.update(sourceFolders).set({ path: 'Caf\\xe9', imageName: 'cover.jpg' }).run();
    expect(await covers.resolveCover(album)).toBe(true);
  });

  itOnUnix('does not follow a picture that leads out of the music folder', async () => {
    const album = library.addAlbum();
    addFolder(album, 'Artist');
    fs.writeFileSync(join(dir, 'secret.jpg'), jpeg);
    fs.symlinkSync(join(dir, 'secret.jpg'), join(musicDir, 'Artist', 'cover.jpg'));
    library.db.update(sourceFolders).set({ imageName: 'cover.jpg' }).run();
    expect(await covers.resolveCover(album)).toBe(false);
  });

  it('records that there is no cover, and searches again only after the album changed', async () => {
    const album = library.addAlbum();
    expect(await covers.resolveCover(album)).toBe(false);
    expect(rowOf(album)).toMatchObject({ key: null, checkedAt: now });
    const resolvePending = () =>
      covers.resolvePending({
        signal: new AbortController().signal,
        progress: () => {},
      });
    expect(await resolvePending()).toEqual({ albums: 0, found: 0 });
    addFolder(album, 'Artist', { name: 'cover.jpg', bytes: jpeg });
    library.db
      .update(albums)
      .set({ updatedAt: new Date(now.getTime() + 1) })
      .where(eq(albums.id, album))
      .run();
    now = new Date(now.getTime() + 1000);
    expect(await resolvePending()).toEqual({ albums: 1, found: 1 });
    expect(await resolvePending()).toEqual({ albums: 0, found: 0 });
  });

  it('never overwrites a cover', async () => {
    const album = library.addAlbum();
    await addAudio(album, makeMp3WithPicture(jpeg));
    await covers.setCover(album, png);
    expect(await covers.resolveCover(album)).toBe(false);
    expect((await readStoredCover(album))?.equals(png)).toBe(true);
    expect(rowOf(album)?.origin).toBe('manual');
  });

  it('searches an album once for two requests at once', async () => {
    const album = library.addAlbum();
    await addAudio(album, makeMp3WithPicture(jpeg));
    expect((await Promise.all([covers.resolveCover(album), covers.resolveCover(album)])).filter(Boolean)).toHaveLength(
      1,
    );
    expect(changedAlbums).toEqual([album]);
  });

  it('processes all pending albums, and reports progress', async () => {
    const ids = Array.from({ length: 12 }, () => library.addAlbum());
    for (const id of ids.slice(0, 7)) addFolder(id, `Folder ${id}`, { name: 'front.jpg', bytes: jpeg });
    const steps: number[] = [];
    const result = await covers.resolvePending({
      signal: new AbortController().signal,
      progress: (done, total) => steps.push(done / total),
    });
    expect(result).toEqual({ albums: 12, found: 7 });
    expect(steps).toHaveLength(12);
    expect(steps.at(-1)).toBe(1);
  });

  it('gives an album the cover that was chosen for it during the search', async () => {
    const [album, otherAlbum] = [library.addAlbum(), library.addAlbum()];
    await covers.setCover(otherAlbum, png);
    const chosenCover = rowOf(otherAlbum);
    const result = await covers.resolvePending({
      signal: new AbortController().signal,
      progress(done) {
        if (done > 1) return;
        library.db.delete(albumCovers).where(eq(albumCovers.albumId, album)).run();
        library.db
          .insert(formerCovers)
          .values({
            albumId: otherAlbum,
            titleSort: '',
            key: chosenCover?.key ?? null,
            etag: chosenCover?.etag ?? null,
            removedAt: now,
            successorId: album,
          })
          .run();
      },
    });
    expect(result).toEqual({ albums: 1, found: 1 });
    expect((await readStoredCover(album))?.equals(png)).toBe(true);
    expect(library.db.select().from(formerCovers).all()).toEqual([]);
  });

  it('stops when it is cancelled', async () => {
    library.addAlbum();
    await expect(covers.resolvePending({ signal: AbortSignal.abort(), progress: () => {} })).rejects.toThrow();
    expect(library.db.select().from(albumCovers).all()).toEqual([]);
  });
});

describe('unusable images', () => {
  const makePngChunk = (name: string, body: Buffer): Buffer =>
    Buffer.concat([u32(body.length), ascii(name), body, u32(0)]);
  /** Makes a PNG of 30,000 by 30,000 pixels in a few kilobytes. */
  const makePngBomb = (): Buffer =>
    Buffer.concat([
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      makePngChunk('IHDR', Buffer.concat([u32(30_000), u32(30_000), Buffer.from([8, 2, 0, 0, 0])])),
      makePngChunk('IDAT', deflateSync(Buffer.alloc(1_000_000))),
      makePngChunk('IEND', Buffer.alloc(0)),
    ]);
  const svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10"/></svg>',
  );

  it('are skipped: too many pixels, not an image, vector graphics, empty, too large', async () => {
    const unusableImages = [
      makePngBomb(),
      Buffer.from('%PDF-1.4 not a picture'),
      svg,
      Buffer.alloc(0),
      Buffer.concat([jpeg, Buffer.alloc(21 << 20)]),
      jpeg.subarray(0, 3),
    ];
    for (const [i, bytes] of unusableImages.entries()) {
      const album = library.addAlbum();
      addFolder(album, `Folder ${i}`, { name: 'cover.jpg', bytes });
      expect(await covers.resolveCover(album)).toBe(false);
      expect(rowOf(album)).toMatchObject({ key: null });
      expect(await codeOf(covers.setCover(album, bytes))).toBe('unsupported_type');
    }
  });

  it('in the folder do not hide a good one beside them', async () => {
    const album = library.addAlbum();
    addFolder(album, 'Two Images', { name: 'cover.jpg', bytes: Buffer.from('not a picture') });
    fs.writeFileSync(join(musicDir, 'Two Images', 'booklet.png'), png);
    fs.writeFileSync(join(musicDir, 'Two Images', 'Folder.jpg'), jpeg);
    expect(await covers.resolveCover(album)).toBe(true);
    expect(rowOf(album)).toMatchObject({ origin: 'folder', etag: hash('sha256', jpeg, 'hex').slice(0, 32) });
  });

  it('embedded in the audio are replaced by the image in the folder', async () => {
    const album = library.addAlbum();
    await addAudio(album, makeMp3WithPicture(makePngBomb()));
    addFolder(album, 'Artist', { name: 'cover.png', bytes: png });
    expect(await covers.resolveCover(album)).toBe(true);
    expect(rowOf(album)?.origin).toBe('folder');
  });

  it('do not end the thread that reads them: the next file is read', async () => {
    const [brokenAlbum, intactAlbum] = [library.addAlbum(), library.addAlbum()];
    await addAudio(brokenAlbum, Buffer.from('this is no audio at all'));
    await addAudio(intactAlbum, makeMp3WithPicture(jpeg));
    expect(await covers.resolveCover(brokenAlbum)).toBe(false);
    expect(await covers.resolveCover(intactAlbum)).toBe(true);
  });

  it('are displayed in part when they are truncated', async () => {
    const album = library.addAlbum();
    addFolder(album, 'Artist', { name: 'cover.jpg', bytes: jpeg.subarray(0, jpeg.length >> 1) });
    expect(await covers.resolveCover(album)).toBe(true);
    const response = await getRoute(`/albums/${album}/cover?size=160`);
    expect(response.status).toBe(200);
    expect(await sharp(await readBytes(response)).metadata()).toMatchObject({ format: 'webp', width: 160 });
  });

  it('are searched again when the audio cannot be read now', async () => {
    const album = library.addAlbum();
    await addAudio(album, makeMp3WithPicture(jpeg));
    fs.renameSync(join(dir, 'library', 'audio'), join(dir, 'elsewhere'));
    expect(await covers.resolveCover(album)).toBe(false);
    expect(rowOf(album)).toBeUndefined();
    fs.renameSync(join(dir, 'elsewhere'), join(dir, 'library', 'audio'));
    expect(await covers.resolveCover(album)).toBe(true);
  });

  it('make tryResolveCover return false instead of throwing', async () => {
    const album = library.addAlbum();
    await addAudio(album, makeMp3WithPicture(jpeg));
    fs.writeFileSync(join(dir, 'library', 'covers'), 'a file where the folder should be');
    expect(await codeOf(covers.resolveCover(album))).toBe('unavailable');
    expect(await covers.tryResolveCover(album)).toBe(false);
    expect(rowOf(album)).toBeUndefined();
    expect(fs.readdirSync(join(dir, 'library', 'tmp'))).toEqual([]);
  });
});

describe('searching for covers when something fails', () => {
  it('stops at a full disk, and records no cover that it could not store', async () => {
    const ids = Array.from({ length: 60 }, () => library.addAlbum());
    for (const id of ids) addFolder(id, `Folder ${id}`, { name: 'cover.png', bytes: png });
    let putCalls = 0;
    const fullCovers = openCovers({
      ...storage,
      put: () => {
        putCalls++;
        return Promise.reject(new AppError('storage_full', 'The disk is full.'));
      },
    });
    expect(
      await codeOf(
        fullCovers.resolvePending({
          signal: new AbortController().signal,
          progress: () => {},
        }),
      ),
    ).toBe('storage_full');
    expect(putCalls).toBeLessThan(60);
    expect(library.db.select().from(albumCovers).all()).toEqual([]);
    await fullCovers.close();
  });

  it('restarts the thread when a file crashes it', async () => {
    const album = library.addAlbum();
    await addAudio(album, makeMp3WithPicture(jpeg));
    await addAudio(album, makeMp3WithPicture(png), 2);
    const crashingCovers = openCovers(
      storage,
      new URL(
        `data:text/javascript,import{parentPort}from'node:worker_threads';parentPort.on('message',()=>process.exit(1))`,
      ),
    );
    for (const times of [1, 2, 3]) {
      expect(await crashingCovers.resolveCover(album)).toBe(false);
      // a crash proves nothing about the pictures, so the search is repeated twice
      expect(rowOf(album)).toEqual(times < 3 ? undefined : expect.objectContaining({ key: null }));
    }
    await crashingCovers.close();
  });

  it('searches again for a cover whose search was cut off when the server closed', async () => {
    const album = library.addAlbum();
    await addAudio(album, makeMp3WithPicture(jpeg));
    const markerFile = join(dir, 'asked');
    const code = `import{parentPort}from'node:worker_threads';import fs from'node:fs';
      parentPort.on('message',()=>fs.writeFileSync(${JSON.stringify(markerFile)},''))`;
    const hangingCovers = openCovers(storage, new URL(`data:text/javascript,${encodeURIComponent(code)}`));
    const search = hangingCovers.resolveCover(album);
    await expect.poll(() => fs.existsSync(markerFile)).toBe(true);
    await hangingCovers.close();
    expect(await search).toBe(false);
    expect(rowOf(album)).toBeUndefined();
    expect(await covers.resolveCover(album)).toBe(true);
  });

  it('searches again after a change in the millisecond of the last search', async () => {
    const album = library.addAlbum();
    expect(await covers.resolveCover(album)).toBe(false);
    await addAudio(album, makeMp3WithPicture(jpeg));
    library.db.update(albums).set({ updatedAt: now }).where(eq(albums.id, album)).run();
    expect(await covers.resolveCover(album)).toBe(true);
  });
});

describe('serving covers', () => {
  const addAlbumWithCover = async (bytes = jpeg): Promise<AlbumId> => {
    const album = library.addAlbum({ artistId: library.addArtist(`artist ${randomUUID()}`) });
    await covers.setCover(album, bytes);
    return album;
  };

  it('sends the original without a size', async () => {
    const response = await getRoute(`/albums/${await addAlbumWithCover()}/cover`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/jpeg');
    expect((await readBytes(response)).equals(jpeg)).toBe(true);
    expect(response.headers.get('cache-control')).toMatch(/^private, max-age=\d+/);
  });

  it('stores a smaller version of a picture that is far too large, or has data after its end', async () => {
    const large = await sharp({ create: { width: 4_000, height: 3_500, channels: 3, background: '#345' } })
      .png()
      .toBuffer();
    for (const bytes of [large, Buffer.concat([png, Buffer.alloc(6 << 20)])]) {
      const storedImage = await readBytes(await getRoute(`/albums/${await addAlbumWithCover(bytes)}/cover`));
      expect(storedImage.length).toBeLessThan(200_000);
      expect((await sharp(storedImage).metadata()).width).toBeLessThanOrEqual(3_000);
    }
  });

  it('sends the nearest size as WebP, in its proportions', async () => {
    const album = await addAlbumWithCover();
    for (const [requestedSize, width] of [
      [32, 64],
      [100, 64],
      [200, 160],
      [300, 300],
      [449, 300],
      [600, 600],
      [1200, 700],
    ] as const) {
      const response = await getRoute(`/albums/${album}/cover?size=${requestedSize}`);
      expect(response.headers.get('content-type')).toBe('image/webp');
      const { format, width: actualWidth, height } = await sharp(await readBytes(response)).metadata();
      expect([format, actualWidth]).toEqual(['webp', width]);
      expect(height).toBe(Math.round((width * 500) / 700));
    }
  });

  it('takes the larger of two equally near sizes', () => {
    expect([
      nearestSize(112),
      nearestSize(230),
      nearestSize(450),
      nearestSize(900),
      nearestSize(64),
      nearestSize(1200),
    ]).toEqual([160, 300, 600, 1200, 64, 1200]);
  });

  it.each(['31', '1201', '0', '-5', 'large', '', '1e2', '300.5'])('refuses the size %j', async (size) => {
    expect((await getRoute(`/albums/${await addAlbumWithCover()}/cover?size=${size}`)).status).toBe(422);
  });

  it('responds with 304 if the client has the image, with ETags that differ by size and image', async () => {
    const album = await addAlbumWithCover();
    const etags = await Promise.all(
      ['', '?size=64', '?size=300'].map(
        async (query) => (await getRoute(`/albums/${album}/cover${query}`)).headers.get('etag') ?? '',
      ),
    );
    expect(new Set(etags).size).toBe(3);
    const notModifiedResponse = await getRoute(`/albums/${album}/cover?size=300`, { 'if-none-match': etags[2] ?? '' });
    expect([
      notModifiedResponse.status,
      notModifiedResponse.headers.get('etag'),
      notModifiedResponse.headers.has('cache-control'),
    ]).toEqual([304, etags[2], true]);
    await covers.setCover(album, png);
    const changedResponse = await getRoute(`/albums/${album}/cover?size=300`, { 'if-none-match': etags[2] ?? '' });
    expect(changedResponse.status).toBe(200);
    expect((await sharp(await readBytes(changedResponse)).metadata()).width).toBe(100);
  });

  it('generates a size once for all requests at the same time, and caches it', async () => {
    const album = await addAlbumWithCover();
    const lengths = await Promise.all(
      Array.from(
        { length: 20 },
        async () => (await readBytes(await getRoute(`/albums/${album}/cover?size=300`))).length,
      ),
    );
    expect(new Set(lengths).size).toBe(1);
    await covers.thumbnails.flush();
    const cachedFiles = fs.readdirSync(join(dir, 'cache', 'covers', String(album)));
    expect(cachedFiles).toHaveLength(1);
    expect(cachedFiles[0]).toMatch(/^[0-9a-f]{32}-300\.webp$/);
    await rm(join(dir, 'library', 'covers'), { recursive: true });
    expect((await getRoute(`/albums/${album}/cover?size=300`)).status).toBe(200);
  });

  it('sends a size that cannot be stored in the cache', async () => {
    const album = await addAlbumWithCover();
    fs.mkdirSync(join(dir, 'cache'), { recursive: true });
    fs.writeFileSync(join(dir, 'cache', 'covers'), 'no folder');
    const widths = [];
    for (let n = 0; n < 2; n++)
      widths.push((await sharp(await readBytes(await getRoute(`/albums/${album}/cover?size=300`))).metadata()).width);
    expect(widths).toEqual([300, 300]);
  });

  it('does not keep a size in the cache if its cover is replaced while it is drawn', async () => {
    const album = await addAlbumWithCover();
    const drawing = covers.thumbnails.draw(covers.find.ofAlbum(album) as StoredCover, 300);
    await covers.setCover(album, png);
    await drawing;
    await covers.thumbnails.flush();
    expect(fs.existsSync(join(dir, 'cache', 'covers', String(album)))).toBe(false);
  });

  it('generates many sizes at once correctly', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => addAlbumWithCover()));
    const widths = await Promise.all(
      ids.flatMap((id) =>
        [64, 160, 300].map(async (size) => {
          const { width } = await sharp(await readBytes(await getRoute(`/albums/${id}/cover?size=${size}`))).metadata();
          return width === size;
        }),
      ),
    );
    expect(widths.every(Boolean)).toBe(true);
  });

  it('serves the cover of a track', async () => {
    const [album, bareAlbum] = [await addAlbumWithCover(), library.addAlbum()];
    expect(
      (await readBytes(await getRoute(`/tracks/${library.addTrack({ albumId: album })}/cover`))).equals(jpeg),
    ).toBe(true);
    expect((await getRoute(`/tracks/${library.addTrack({ albumId: bareAlbum })}/cover`)).status).toBe(404);
    expect((await getRoute(`/tracks/${library.addTrack()}/cover`)).status).toBe(404);
  });

  it('responds with 404 when there is no cover, or the stored image is missing or cannot be decoded', async () => {
    const album = await addAlbumWithCover();
    expect((await getRoute('/albums/999/cover')).status).toBe(404);
    expect((await getRoute(`/albums/${library.addAlbum()}/cover?size=300`)).status).toBe(404);
    fs.writeFileSync(join(dir, 'library', 'covers', `${album}.jpg`), 'damaged');
    expect((await getRoute(`/albums/${album}/cover?size=300`)).status).toBe(404);
    await rm(join(dir, 'library', 'covers'), { recursive: true });
    expect((await getRoute(`/albums/${album}/cover`)).status).toBe(404);
    expect((await getRoute(`/albums/${album}/cover?size=64`)).status).toBe(404);
  });

  it('accepts the token as a query parameter, and requires one', async () => {
    const album = await addAlbumWithCover();
    expect((await fetch(`${servedRoutes.url}/albums/${album}/cover?token=good`)).status).toBe(200);
    expect((await fetch(`${servedRoutes.url}/albums/${album}/cover`)).status).toBe(401);
  });
});

describe('changing a cover by hand', () => {
  const sendCover = (album: number, method: string, bytes?: Buffer, field = 'file'): Promise<Response> => {
    const body = new FormData();
    if (bytes) body.append(field, new Blob([new Uint8Array(bytes)]), 'anything.txt');
    return fetch(`${servedRoutes.url}/albums/${album}/cover`, {
      method,
      headers: { authorization: 'Bearer good' },
      ...(bytes && { body }),
    });
  };

  it('replaces the cover and its file', async () => {
    const album = library.addAlbum();
    await addAudio(album, makeMp3WithPicture(jpeg));
    await covers.resolveCover(album);
    expect((await sendCover(album, 'PUT', png)).status).toBe(204);
    expect(rowOf(album)).toMatchObject({ key: `covers/${album}.png`, origin: 'manual' });
    expect(fs.readdirSync(join(dir, 'library', 'covers'))).toEqual([`${album}.png`]);
    expect((await readBytes(await getRoute(`/albums/${album}/cover`))).equals(png)).toBe(true);
    expect(changedAlbums).toEqual([album, album]);
  });

  it('accepts AVIF too', async () => {
    const album = library.addAlbum();
    const avif = await sharp(png).avif().toBuffer();
    expect((await sendCover(album, 'PUT', avif)).status).toBe(204);
    const response = await getRoute(`/albums/${album}/cover`);
    expect([response.headers.get('content-type'), (await readBytes(response)).equals(avif)]).toEqual([
      'image/avif',
      true,
    ]);
    expect((await getRoute(`/albums/${album}/cover?size=64`)).status).toBe(200);
  });

  it('removes the cover permanently: the embedded image does not come back', async () => {
    const album = library.addAlbum();
    await addAudio(album, makeMp3WithPicture(jpeg));
    await covers.resolveCover(album);
    await getRoute(`/albums/${album}/cover?size=64`);
    expect((await sendCover(album, 'DELETE')).status).toBe(204);
    expect((await getRoute(`/albums/${album}/cover`)).status).toBe(404);
    expect(fs.readdirSync(join(dir, 'library', 'covers'))).toEqual([]);
    expect(fs.existsSync(join(dir, 'cache', 'covers', String(album)))).toBe(false);
    library.db
      .update(albums)
      .set({ updatedAt: new Date(now.getTime() + 5000) })
      .run();
    expect(
      await covers.resolvePending({
        signal: new AbortController().signal,
        progress: () => {},
      }),
    ).toEqual({ albums: 0, found: 0 });
    expect((await sendCover(album, 'DELETE')).status).toBe(204);
  });

  it('rejects files that cannot be a cover, and keeps the old cover', async () => {
    const album = library.addAlbum();
    await covers.setCover(album, jpeg);
    expect((await sendCover(album, 'PUT', Buffer.from('no picture'))).status).toBe(415);
    expect((await sendCover(album, 'PUT', png, 'other')).status).toBe(422);
    expect((await sendCover(album, 'PUT', Buffer.alloc((20 << 20) + 1))).status).toBe(413);
    expect(
      (
        await fetch(`${servedRoutes.url}/albums/${album}/cover`, {
          method: 'PUT',
          headers: { authorization: 'Bearer good', 'content-type': 'image/png' },
          body: new Uint8Array(png),
        })
      ).status,
    ).toBe(415);
    expect(
      (
        await fetch(`${servedRoutes.url}/albums/${album}/cover`, {
          method: 'PUT',
          headers: { authorization: 'Bearer good', 'content-type': 'multipart/form-data; x=y' },
          body: 'x',
        })
      ).status,
    ).toBe(400);
    expect((await sendCover(999, 'PUT', png)).status).toBe(404);
    expect((await sendCover(999, 'DELETE')).status).toBe(404);
    expect((await readStoredCover(album))?.equals(jpeg)).toBe(true);
    expect(fs.readdirSync(join(dir, 'library', 'tmp'))).toEqual([]);
  });

  it('deletes the cover with its album', async () => {
    const album = library.addAlbum({ createdAt: SNAPSHOT_TIME });
    await covers.setCover(album, jpeg);
    library.db.delete(tracks).run();
    library.db.delete(albums).where(eq(albums.id, album)).run();
    expect(rowOf(album)).toBeUndefined();
    expect(await covers.resolveCover(album)).toBe(false);
    expect(rowOf(album)).toBeUndefined();
  });
});

describe('choosing one of the pictures that were found', () => {
  const listCandidates = async (album: number): Promise<CoverCandidates['items']> => {
    const response = await getRoute(`/albums/${album}/cover/candidates`);
    expect(response.status).toBe(200);
    return ((await response.json()) as CoverCandidates).items;
  };
  const choose = (album: number, candidate: string): Promise<Response> =>
    fetch(`${servedRoutes.url}/albums/${album}/cover/choose`, {
      method: 'POST',
      headers: { authorization: 'Bearer good', 'content-type': 'application/json' },
      body: JSON.stringify({ candidate }),
    });

  it('lists each picture in tags and folders once, shows it, and makes it the cover', async () => {
    const album = library.addAlbum();
    const bookletBytes = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#123456' } })
      .png()
      .toBuffer();
    const frames = [jpeg, png].map((bytes) => id3Frame('APIC', Buffer.concat([ascii('\0image/x\0\x03\0'), bytes])));
    await addAudio(album, Buffer.concat([id3(frames), silentMp3(30)]), 1);
    await addAudio(album, makeMp3WithPicture(jpeg), 2);
    addFolder(album, 'Artist/Album', { name: 'cover.png', bytes: png });
    fs.writeFileSync(join(musicDir, 'Artist/Album', 'Booklet 1.PNG'), bookletBytes);
    fs.writeFileSync(join(musicDir, 'Artist/Album', 'broken.jpg'), 'no picture');
    await covers.resolveCover(album);

    const candidates = await listCandidates(album);
    expect(
      candidates.map(({ origin, name, width, height, is_current }) => [origin, name, width, height, is_current]),
    ).toEqual([
      ['embedded', 'Track', 700, 500, true],
      ['embedded', 'Track', 100, 100, false],
      ['folder', 'Booklet 1.PNG', 40, 30, false],
    ]);
    const [, , bookletCandidate] = candidates;
    const candidateResponse = await getRoute(`/albums/${album}/cover/candidates/${bookletCandidate?.id}`);
    expect([candidateResponse.status, candidateResponse.headers.get('content-type')]).toEqual([200, 'image/webp']);
    expect(await sharp(await readBytes(candidateResponse)).metadata()).toMatchObject({ width: 40, height: 30 });

    expect((await choose(album, bookletCandidate?.id ?? '')).status).toBe(204);
    expect((await readStoredCover(album))?.equals(bookletBytes)).toBe(true);
    expect(rowOf(album)).toMatchObject({ origin: 'manual' });
    expect((await listCandidates(album)).map(({ is_current }) => is_current)).toEqual([false, false, true]);
  });

  it('finds no picture of another album, or under another id', async () => {
    const [album, otherAlbum] = [library.addAlbum(), library.addAlbum()];
    await addAudio(album, makeMp3WithPicture(jpeg));
    const [picture] = await listCandidates(album);
    expect(await listCandidates(otherAlbum)).toEqual([]);
    expect((await choose(otherAlbum, picture?.id ?? '')).status).toBe(404);
    expect((await getRoute(`/albums/${otherAlbum}/cover/candidates/${picture?.id}`)).status).toBe(404);
    expect((await choose(album, `folder-${'0'.repeat(32)}`)).status).toBe(404);
    expect((await choose(album, '../../etc/passwd')).status).toBe(422);
  });
});
