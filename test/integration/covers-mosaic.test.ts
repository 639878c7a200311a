import fs from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AlbumId, ArtistId } from '../../server/db/ids.ts';
import { trackArtists } from '../../server/db/schema.ts';
import { readBytes, openCoverServer, type CoverServer } from './cover-server.ts';

const COLOURS = {
  red: [255, 0, 0],
  green: [0, 255, 0],
  blue: [0, 0, 255],
  grey: [128, 128, 128],
  yellow: [255, 255, 0],
} as const;
type Colour = keyof typeof COLOURS;

let pictures: Record<Colour, Buffer>;
beforeAll(async () => {
  const makePicture = async (name: Colour): Promise<Buffer> => {
    const [r, g, b] = COLOURS[name];
    const image = sharp({
      create: { width: name === 'red' ? 900 : 400, height: 400, channels: 3, background: { r, g, b } },
    });
    return name === 'grey' ? image.toColourspace('b-w').jpeg({ quality: 100 }).toBuffer() : image.png().toBuffer();
  };
  pictures = Object.fromEntries(
    await Promise.all((Object.keys(COLOURS) as Colour[]).map(async (name) => [name, await makePicture(name)])),
  ) as Record<Colour, Buffer>;
});

let server: CoverServer;
let artistId: ArtistId;
beforeEach(async () => {
  server = await openCoverServer();
  artistId = server.library.addArtist('Someone');
});
afterEach(() => server.close());

async function addAlbum(
  colour: Colour | undefined,
  year: number | null,
  albumArtistId: ArtistId | null = artistId,
): Promise<AlbumId> {
  const album = server.library.addAlbum({ artistId: albumArtistId, year });
  if (colour) await server.covers.setCover(album, pictures[colour]);
  return album;
}
const creditArtist = (albumId: AlbumId): void => {
  const trackId = server.library.addTrack({ albumId });
  server.library.db.insert(trackArtists).values({ trackId, position: 0, artistId, credit: 'Someone' }).run();
};
const getCover = (query = '', headers: Record<string, string> = {}) =>
  server.call(`/artists/${artistId}/cover${query}`, { headers });

/** Returns the colours in the middle of the quarters: upper left, upper right, lower left, lower right. */
async function readQuarters(response: Response): Promise<Colour[]> {
  const { data, info } = await sharp(await readBytes(response))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const colourAt = (x: number, y: number): Colour => {
    const offset = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
    const distanceTo = (name: Colour): number =>
      COLOURS[name].reduce<number>((sum, part, channel) => sum + Math.abs(part - (data[offset + channel] ?? 0)), 0);
    return (Object.keys(COLOURS) as Colour[]).toSorted((a, b) => distanceTo(a) - distanceTo(b))[0] as Colour;
  };
  return [colourAt(0.25, 0.25), colourAt(0.75, 0.25), colourAt(0.25, 0.75), colourAt(0.75, 0.75)];
}

describe('the image of an artist', () => {
  it('is made of the covers of their first four albums', async () => {
    for (const [colour, year] of [
      ['yellow', null],
      ['grey', 2010],
      ['blue', 1990],
      ['red', 1970],
      ['green', 1980],
    ] as const)
      await addAlbum(colour, year);
    const response = await getCover('?size=300');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp']);
    const { width, height } = await sharp(await readBytes(response.clone())).metadata();
    expect([width, height]).toEqual([300, 300]);
    expect(await readQuarters(response)).toEqual(['red', 'green', 'blue', 'grey']);
  });

  it('is filled with two and with three covers', async () => {
    await addAlbum('red', 1970);
    await addAlbum('green', 1980);
    expect(await readQuarters(await getCover())).toEqual(['red', 'green', 'red', 'green']);
    await addAlbum('blue', 1990);
    expect(await readQuarters(await getCover())).toEqual(['red', 'green', 'red', 'blue']);
  });

  it('is the cover itself when there is only one, or several with the same image', async () => {
    await addAlbum('red', 1970);
    await addAlbum(undefined, 1971);
    await addAlbum('red', 1972);
    expect((await readBytes(await getCover())).equals(pictures.red)).toBe(true);
  });

  it('uses albums of other artists that they play on after their own albums', async () => {
    await addAlbum('blue', 1990);
    const [compilation, otherAlbum, bareAlbum] = [
      await addAlbum('red', 1960, null),
      await addAlbum('green', 1961, server.library.addArtist('Other')),
      await addAlbum(undefined, 1962, null),
    ];
    for (const album of [compilation, otherAlbum, bareAlbum, otherAlbum]) creditArtist(album);
    expect(await readQuarters(await getCover())).toEqual(['blue', 'red', 'blue', 'green']);
    expect((await server.call(`/artists/${server.library.addArtist('Nobody')}/cover`)).status).toBe(404);
  });

  it('has a strong ETag that stays the same until one of the covers changes', async () => {
    const firstAlbum = await addAlbum('red', 1970);
    await addAlbum('green', 1980);
    const etag = (await getCover('?size=160')).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{32}-160"$/);
    expect((await getCover('?size=160', { 'if-none-match': etag })).status).toBe(304);
    expect((await getCover('?size=300')).headers.get('etag')).not.toBe(etag);
    await server.covers.setCover(firstAlbum, pictures.yellow);
    const changedResponse = await getCover('?size=160', { 'if-none-match': etag });
    expect([changedResponse.status, await readQuarters(changedResponse)]).toEqual([
      200,
      ['yellow', 'green', 'yellow', 'green'],
    ]);
  });

  it('is cached, and images of earlier covers are removed from the cache', async () => {
    await addAlbum('red', 1970);
    const secondAlbum = await addAlbum('green', 1980);
    const listCachedImages = () => fs.readdirSync(join(server.dir, 'cache', 'covers', `artist-${artistId}`));
    await Promise.all(Array.from({ length: 10 }, () => getCover('?size=64')));
    await getCover('?size=160');
    await server.covers.thumbnails.flush();
    expect(listCachedImages()).toHaveLength(2);
    await server.covers.setCover(secondAlbum, pictures.blue);
    await getCover('?size=64');
    await server.covers.thumbnails.flush();
    expect(listCachedImages()).toHaveLength(1);
    await rm(join(server.dir, 'library', 'covers'), { recursive: true });
    expect((await getCover('?size=64')).status).toBe(200);
  });

  it('is made of the readable covers when others are damaged or missing, and is 404 when none is', async () => {
    const albums = [await addAlbum('red', 1970), await addAlbum('green', 1980), await addAlbum('blue', 1990)];
    const coverPath = (albumIndex: number): string =>
      join(server.dir, 'library', 'covers', `${albums[albumIndex]}.png`);
    fs.writeFileSync(coverPath(0), 'damaged');
    expect(await readQuarters(await getCover('?size=160'))).toEqual(['green', 'blue', 'green', 'blue']);
    fs.rmSync(coverPath(1));
    expect(await readQuarters(await getCover('?size=64'))).toEqual(['blue', 'blue', 'blue', 'blue']);
    fs.rmSync(coverPath(2));
    expect((await getCover('?size=300')).status).toBe(404);
  });
});
