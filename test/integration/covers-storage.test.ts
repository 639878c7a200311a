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
import { mp3With, noSignal, openCoverServer, type CoverServer } from './cover-server.ts';

let jpeg: Buffer;
let large: Buffer;
beforeAll(async () => {
  const noise = (side: number) =>
    sharp({
      create: {
        width: side,
        height: side,
        channels: 3,
        background: '#804020',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    });
  jpeg = await noise(200).jpeg().toBuffer();
  large = await noise(1_000).png().toBuffer(); // about 3 MB
});

const flacWith = (picture: Buffer, ...blocks: [number, Buffer][]): Buffer =>
  flac(...blocks, [
    6,
    Buffer.concat([u32(3), u32(9), ascii('image/any'), Buffer.alloc(20), u32(picture.length), picture]),
  ]);

let server: CoverServer;
afterEach(() => server.close());

describe('embedded covers of audio in an object store', () => {
  let ranges: number;
  const remote =
    (open?: Storage['open']) =>
    (local: Storage): Storage => ({
      ...local,
      localPath: (key) => (key.startsWith('audio/') ? undefined : local.localPath(key)),
      open: (key, range) => {
        ranges += range ? 1 : 0;
        return (open && key.startsWith('audio/') ? open : local.open)(key, range);
      },
    });

  it.each([
    ['small', () => mp3With(jpeg), 'mp3', () => jpeg],
    ['of several megabytes', () => mp3With(large), 'mp3', () => large],
    ['behind much else', () => flacWith(large, [2, Buffer.alloc(2_000_000)]), 'flac', () => large],
  ] as const)('are found: %s', async (_what, audio, format, picture) => {
    ranges = 0;
    server = await openCoverServer({ storageIs: remote() });
    const album = server.library.addAlbum();
    await server.addAudio(album, audio(), format);
    expect(await server.covers.resolveCover(album)).toBe(true);
    expect(fs.readFileSync(join(server.dir, 'library', server.rowOf(album)?.key ?? '')).equals(picture())).toBe(true);
    expect(ranges).toBeGreaterThan(0);
  });

  it('are read without downloading the audio around them', async () => {
    ranges = 0;
    server = await openCoverServer({ storageIs: remote() });
    const album = server.library.addAlbum();
    await server.addAudio(album, Buffer.concat([flacWith(jpeg), Buffer.alloc(20_000_000)]), 'flac');
    expect(await server.covers.resolveCover(album)).toBe(true);
    expect(ranges).toBeLessThan(10);
  });

  it('are read again later when the storage fails half-way, and nothing hangs', async () => {
    ranges = 0;
    const failing = (): Promise<never> => Promise.reject(new AppError('unavailable', 'The store is down.'));
    server = await openCoverServer({ storageIs: remote(failing) });
    const album = server.library.addAlbum();
    await server.addAudio(album, mp3With(jpeg), 'mp3');
    expect(await server.covers.resolveCover(album)).toBe(false);
    expect(server.rowOf(album)).toBeUndefined();
  });
});

describe('embedded covers in formats that music-metadata reads', () => {
  /** An APE tag with one binary item. */
  const apeTag = (name: string, value: Buffer): Buffer => {
    const item = Buffer.concat([u32le(value.length), u32le(2), ascii(`${name}\0`), value]);
    const head = (flags: number): Buffer =>
      Buffer.concat([
        ascii('APETAGEX'),
        u32le(2_000),
        u32le(item.length + 32),
        u32le(1),
        u32le(flags),
        Buffer.alloc(8),
      ]);
    return Buffer.concat([head(0xa0000000), item, head(0x80000000)]);
  };
  const dsf = (picture: Buffer): Buffer => {
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
    const at = 28 + format.length + data.length;
    return Buffer.concat([ascii('DSD '), long(28), long(at + tag.length), long(at), format, data, tag]);
  };
  const wavpack = (picture: Buffer): Buffer =>
    Buffer.concat([
      foreignAudio.find(({ name }) => name === 'good.wv')?.bytes ?? Buffer.alloc(0),
      apeTag('Cover Art (Front)', Buffer.concat([ascii('cover.jpg\0'), picture])),
    ]);

  const wide = (text: string): Buffer => Buffer.from(`${text}\0`, 'utf16le');
  const asfObject = (id: string, body: Buffer): Buffer =>
    Buffer.concat([Buffer.from(id, 'hex'), u64le(body.length + 24), body]);
  const asfPicture = (picture: Buffer, kind: number): Buffer =>
    Buffer.concat([Buffer.from([kind]), u32le(picture.length), wide('image/jpeg'), wide('the front'), picture]);
  const asf = (object: Buffer): Buffer =>
    asfObject('3026b2758e66cf11a6d900aa0062ce6c', Buffer.concat([u32le(1), Buffer.from([1, 2]), object]));
  /** In the tags of old files, which hold 64 KB at most. */
  const wmaShort = (picture: Buffer): Buffer => {
    const tag = (name: string, value: Buffer): Buffer =>
      Buffer.concat([u16le(wide(name).length), wide(name), u16le(1), u16le(value.length), value]);
    return asf(
      asfObject(
        '40a4d0d207e3d21197f000a0c95ea850',
        Buffer.concat([
          u16le(3),
          tag('WM/Genre', wide('Rock')),
          tag('WM/Picture', asfPicture(Buffer.from('GIF89a no front'), 4)),
          tag('WM/Picture', asfPicture(picture, 3)),
        ]),
      ),
    );
  };
  /** In the library inside the header's extension. */
  const wmaLong = (picture: Buffer): Buffer => {
    const value = asfPicture(picture, 3);
    const library = asfObject(
      '941c23449894d149a1411d134e457054',
      Buffer.concat([
        u16le(1),
        u32le(0),
        u16le(wide('WM/Picture').length),
        u16le(1),
        u32le(value.length),
        wide('WM/Picture'),
        value,
      ]),
    );
    return asf(
      asfObject(
        'b503bf5f2ea9cf118ee300c00c205365',
        Buffer.concat([
          Buffer.from('11d2d3abbaa9cf118ee600c00c205365', 'hex'),
          u16le(6),
          u32le(library.length),
          library,
        ]),
      ),
    );
  };

  it.each([
    ['wv', wavpack],
    ['dsf', dsf],
    ['wma', wmaShort],
    ['wma', wmaLong],
  ] as const)('are found: %s', async (format, make) => {
    server = await openCoverServer();
    const [album, broken] = [server.library.addAlbum(), server.library.addAlbum()];
    await server.addAudio(album, make(jpeg), format, false);
    await server.addAudio(broken, make(Buffer.from('this is no picture')), format, false);
    expect(await server.covers.resolveCover(album)).toBe(true);
    expect(server.rowOf(album)).toMatchObject({ key: `covers/${album}.jpg`, origin: 'embedded' });
    expect(await server.covers.resolveCover(broken)).toBe(false);
    expect(server.rowOf(broken)).toMatchObject({ key: null });
  });
});

describe('stored covers without an album', () => {
  const addCovered = async (): Promise<AlbumId> => {
    const album = server.library.addAlbum();
    await server.covers.setCover(album, jpeg);
    await server.call(`/albums/${album}/cover?size=64`);
    return album;
  };
  const orphans = () => server.library.db.select().from(orphanedCovers).all();
  const remove = (album: AlbumId): void => {
    server.library.db.delete(tracks).run();
    server.library.db.delete(albums).where(eq(albums.id, album)).run();
    server.library.db
      .update(formerCovers)
      .set({ removedAt: new Date(0) })
      .run(); // chosen by hand, kept for a while
  };

  it('are deleted with their smaller sizes, however the album was removed', async () => {
    server = await openCoverServer();
    const [gone, stays] = [await addCovered(), await addCovered()];
    remove(gone);
    expect(server.stored()).toEqual([`${gone}.jpg`, `${stays}.jpg`]);
    await server.covers.sweepOrphans({ signal: noSignal });
    expect(server.stored()).toEqual([`${stays}.jpg`]);
    expect(fs.readdirSync(join(server.dir, 'cache', 'covers'))).toEqual([String(stays)]);
    expect(orphans()).toEqual([]);
  });

  it('are remembered while the storage is unreachable', async () => {
    let isDown = true;
    server = await openCoverServer({
      storageIs: (local) => ({
        ...local,
        delete: (key) =>
          isDown ? Promise.reject(new AppError('unavailable', 'The store is down.')) : local.delete(key),
      }),
    });
    const album = await addCovered();
    remove(album);
    await server.covers.sweepOrphans({ signal: noSignal });
    expect(orphans()).toHaveLength(1);
    isDown = false;
    await server.covers.sweepOrphans({ signal: noSignal });
    expect([orphans(), server.stored()]).toEqual([[], []]);
  });

  it('are not deleted when an album uses them again', async () => {
    server = await openCoverServer();
    const album = await addCovered();
    server.library.db
      .insert(orphanedCovers)
      .values({ key: `covers/${album}.jpg`, albumId: album })
      .run();
    await server.covers.sweepOrphans({ signal: noSignal });
    expect([orphans(), server.stored()]).toEqual([[], [`${album}.jpg`]]);
    await server.covers.setCover(album, large);
    await server.covers.setCover(album, jpeg);
    expect([orphans(), server.stored()]).toEqual([[], [`${album}.jpg`]]);
  });
});
