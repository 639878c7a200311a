import fs from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { eq } from 'drizzle-orm';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AlbumId } from '../../server/db/ids.ts';
import { albums, formerCovers, orphanedCovers, tracks } from '../../server/db/schema.ts';
import { AppError } from '../../server/errors.ts';
import type { Storage } from '../../server/storage/storage.ts';
import { ascii, flac, id3, id3Frame, u16le, u32, u32le, u64le } from '../support/audio-bytes.ts';
import { foreignAudio } from '../support/fallback-attacks.ts';
import { makeMp3WithPicture, neverAborted, openCoverServer, type CoverServer } from './cover-server.ts';

let jpeg: Buffer;
let large: Buffer;
beforeAll(async () => {
  const makeNoise = (side: number) =>
    sharp({
      create: {
        width: side,
        height: side,
        channels: 3,
        background: '#804020',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    });
  jpeg = await makeNoise(200).jpeg().toBuffer();
  large = await makeNoise(1_000).png().toBuffer(); // the noise takes about 3 MB
});

const makeFlacWithPicture = (picture: Buffer, ...blocks: [number, Buffer][]): Buffer =>
  flac(...blocks, [
    6,
    Buffer.concat([u32(3), u32(9), ascii('image/any'), Buffer.alloc(20), u32(picture.length), picture]),
  ]);

let server: CoverServer;
afterEach(() => server.close());

describe('embedded covers of audio in an object store', () => {
  let rangeReads: number;
  const asRemoteStorage =
    (open?: Storage['open']) =>
    (local: Storage): Storage => ({
      ...local,
      localPath: (key) => (key.startsWith('audio/') ? undefined : local.localPath(key)),
      open: (key, range) => {
        rangeReads += range ? 1 : 0;
        return (open && key.startsWith('audio/') ? open : local.open)(key, range);
      },
    });

  it.each([
    ['small', () => makeMp3WithPicture(jpeg), 'mp3', () => jpeg],
    ['of several megabytes', () => makeMp3WithPicture(large), 'mp3', () => large],
    [
      'behind two megabytes of other data',
      () => makeFlacWithPicture(large, [2, Buffer.alloc(2_000_000)]),
      'flac',
      () => large,
    ],
  ] as const)('are found: %s', async (_title, audio, format, picture) => {
    rangeReads = 0;
    server = await openCoverServer({ wrapStorage: asRemoteStorage() });
    const album = server.library.addAlbum();
    await server.addAudio(album, audio(), format);
    expect(await server.covers.resolveCover(album)).toBe(true);
    expect(fs.readFileSync(join(server.dir, 'library', server.rowOf(album)?.key ?? '')).equals(picture())).toBe(true);
    expect(rangeReads).toBeGreaterThan(0);
  });

  it('are read without downloading the rest of the file', async () => {
    rangeReads = 0;
    server = await openCoverServer({ wrapStorage: asRemoteStorage() });
    const album = server.library.addAlbum();
    await server.addAudio(album, Buffer.concat([makeFlacWithPicture(jpeg), Buffer.alloc(20_000_000)]), 'flac');
    expect(await server.covers.resolveCover(album)).toBe(true);
    expect(rangeReads).toBeLessThan(10);
  });

  it('are searched again later when the storage fails halfway', async () => {
    rangeReads = 0;
    const failToOpen = (): Promise<never> => Promise.reject(new AppError('unavailable', 'The store is down.'));
    server = await openCoverServer({ wrapStorage: asRemoteStorage(failToOpen) });
    const album = server.library.addAlbum();
    await server.addAudio(album, makeMp3WithPicture(jpeg), 'mp3');
    expect(await server.covers.resolveCover(album)).toBe(false);
    expect(server.rowOf(album)).toBeUndefined();
  });
});

describe('embedded covers in formats that music-metadata reads', () => {
  /** Makes an APE tag with one binary item. */
  const makeApeTag = (name: string, value: Buffer): Buffer => {
    const item = Buffer.concat([u32le(value.length), u32le(2), ascii(`${name}\0`), value]);
    const makeHeader = (flags: number): Buffer =>
      Buffer.concat([
        ascii('APETAGEX'),
        u32le(2_000),
        u32le(item.length + 32),
        u32le(1),
        u32le(flags),
        Buffer.alloc(8),
      ]);
    return Buffer.concat([makeHeader(0xa0000000), item, makeHeader(0x80000000)]);
  };
  const makeDsf = (picture: Buffer): Buffer => {
    const tag = id3([id3Frame('APIC', Buffer.concat([ascii('\0image/jpeg\0\x03\0'), picture]))]);
    const long = (n: number): Buffer => Buffer.concat([u32le(n), u32le(0)]);
    const format = Buffer.concat([
      ascii('fmt '),
      long(52),
      u32le(1),
      u32le(0),
      u32le(2),
      u32le(2),
      u32le(2_822_400),
      u32le(1),
      long(2_822_400),
      u32le(4_096),
      u32le(0),
    ]);
    const data = Buffer.concat([ascii('data'), long(12 + 8_192), Buffer.alloc(8_192)]);
    const tagOffset = 28 + format.length + data.length;
    return Buffer.concat([ascii('DSD '), long(28), long(tagOffset + tag.length), long(tagOffset), format, data, tag]);
  };
  const makeWavpack = (picture: Buffer): Buffer =>
    Buffer.concat([
      foreignAudio.find(({ name }) => name === 'good.wv')?.bytes ?? Buffer.alloc(0),
      makeApeTag('Cover Art (Front)', Buffer.concat([ascii('cover.jpg\0'), picture])),
    ]);

  const utf16 = (text: string): Buffer => Buffer.from(`${text}\0`, 'utf16le');
  const makeAsfObject = (id: string, body: Buffer): Buffer =>
    Buffer.concat([Buffer.from(id, 'hex'), u64le(body.length + 24), body]);
  const makeAsfPicture = (picture: Buffer, kind: number): Buffer =>
    Buffer.concat([Buffer.from([kind]), u32le(picture.length), utf16('image/jpeg'), utf16('the front'), picture]);
  const makeAsf = (object: Buffer): Buffer =>
    makeAsfObject('3026b2758e66cf11a6d900aa0062ce6c', Buffer.concat([u32le(1), Buffer.from([1, 2]), object]));
  /** Makes a WMA file with the picture in the older kind of tags, which hold 64 KB at most. */
  const makeWmaWithShortTag = (picture: Buffer): Buffer => {
    const makeTag = (name: string, value: Buffer): Buffer =>
      Buffer.concat([u16le(utf16(name).length), utf16(name), u16le(1), u16le(value.length), value]);
    return makeAsf(
      makeAsfObject(
        '40a4d0d207e3d21197f000a0c95ea850',
        Buffer.concat([
          u16le(3),
          makeTag('WM/Genre', utf16('Rock')),
          makeTag('WM/Picture', makeAsfPicture(Buffer.from('GIF89a no front'), 4)),
          makeTag('WM/Picture', makeAsfPicture(picture, 3)),
        ]),
      ),
    );
  };
  /** Makes a WMA file with the picture in the metadata library inside the header's extension. */
  const makeWmaWithLibrary = (picture: Buffer): Buffer => {
    const value = makeAsfPicture(picture, 3);
    const metadataLibrary = makeAsfObject(
      '941c23449894d149a1411d134e457054',
      Buffer.concat([
        u16le(1),
        u32le(0),
        u16le(utf16('WM/Picture').length),
        u16le(1),
        u32le(value.length),
        utf16('WM/Picture'),
        value,
      ]),
    );
    return makeAsf(
      makeAsfObject(
        'b503bf5f2ea9cf118ee300c00c205365',
        Buffer.concat([
          Buffer.from('11d2d3abbaa9cf118ee600c00c205365', 'hex'),
          u16le(6),
          u32le(metadataLibrary.length),
          metadataLibrary,
        ]),
      ),
    );
  };

  it.each([
    ['wv', makeWavpack],
    ['dsf', makeDsf],
    ['wma', makeWmaWithShortTag],
    ['wma', makeWmaWithLibrary],
  ] as const)('are found: %s', async (format, makeAudio) => {
    server = await openCoverServer();
    const [album, brokenAlbum] = [server.library.addAlbum(), server.library.addAlbum()];
    await server.addAudio(album, makeAudio(jpeg), format, false);
    await server.addAudio(brokenAlbum, makeAudio(Buffer.from('this is no picture')), format, false);
    expect(await server.covers.resolveCover(album)).toBe(true);
    expect(server.rowOf(album)).toMatchObject({ key: `covers/${album}.jpg`, origin: 'embedded' });
    expect(await server.covers.resolveCover(brokenAlbum)).toBe(false);
    expect(server.rowOf(brokenAlbum)).toMatchObject({ key: null });
  });
});

describe('stored covers without an album', () => {
  const addAlbumWithCover = async (): Promise<AlbumId> => {
    const album = server.library.addAlbum();
    await server.covers.setCover(album, jpeg);
    await server.call(`/albums/${album}/cover?size=64`);
    return album;
  };
  const listOrphans = () => server.library.db.select().from(orphanedCovers).all();
  const removeAlbum = (album: AlbumId): void => {
    server.library.db.delete(tracks).run();
    server.library.db.delete(albums).where(eq(albums.id, album)).run();
    server.library.db
      .update(formerCovers)
      .set({ removedAt: new Date(0) })
      .run(); // covers that were chosen by hand are kept for a while
  };

  it('are deleted with their smaller sizes, however the album was removed', async () => {
    server = await openCoverServer();
    const [removedAlbum, remainingAlbum] = [await addAlbumWithCover(), await addAlbumWithCover()];
    removeAlbum(removedAlbum);
    expect(server.listStoredCovers()).toEqual([`${removedAlbum}.jpg`, `${remainingAlbum}.jpg`]);
    await server.covers.sweepOrphans({ signal: neverAborted });
    expect(server.listStoredCovers()).toEqual([`${remainingAlbum}.jpg`]);
    expect(fs.readdirSync(join(server.dir, 'cache', 'covers'))).toEqual([String(remainingAlbum)]);
    expect(listOrphans()).toEqual([]);
  });

  it('are deleted later if the storage is unreachable', async () => {
    let isDown = true;
    server = await openCoverServer({
      wrapStorage: (local) => ({
        ...local,
        delete: (key) =>
          isDown ? Promise.reject(new AppError('unavailable', 'The store is down.')) : local.delete(key),
      }),
    });
    const album = await addAlbumWithCover();
    removeAlbum(album);
    await server.covers.sweepOrphans({ signal: neverAborted });
    expect(listOrphans()).toHaveLength(1);
    isDown = false;
    await server.covers.sweepOrphans({ signal: neverAborted });
    expect([listOrphans(), server.listStoredCovers()]).toEqual([[], []]);
  });

  it('are not deleted when an album uses them again', async () => {
    server = await openCoverServer();
    const album = await addAlbumWithCover();
    server.library.db
      .insert(orphanedCovers)
      .values({ key: `covers/${album}.jpg`, albumId: album })
      .run();
    await server.covers.sweepOrphans({ signal: neverAborted });
    expect([listOrphans(), server.listStoredCovers()]).toEqual([[], [`${album}.jpg`]]);
    await server.covers.setCover(album, large);
    await server.covers.setCover(album, jpeg);
    expect([listOrphans(), server.listStoredCovers()]).toEqual([[], [`${album}.jpg`]]);
  });
});
