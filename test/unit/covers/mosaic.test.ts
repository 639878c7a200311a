import { describe, expect, it } from 'vitest';
import { isMosaic, mosaicOf, tilesOf } from '../../../server/covers/mosaic.ts';
import type { StoredCover } from '../../../server/covers/queries.ts';
import type { AlbumId } from '../../../server/db/ids.ts';

const cover = (albumId: number, etag = `e${albumId}`): StoredCover => ({
  albumId: albumId as AlbumId,
  key: `covers/${albumId}.jpg`,
  etag,
});

describe('a mosaic', () => {
  it('is absent without covers, and the cover itself when there is only one', () => {
    expect(mosaicOf('artist-1', [])).toBeUndefined();
    expect(mosaicOf('artist-1', [cover(1)])).toEqual(cover(1));
    expect(mosaicOf('artist-1', [cover(1, 'same'), cover(2, 'same')])).toEqual(cover(1, 'same'));
  });

  it('is made of the first four different images, and identified by these images and their order', () => {
    const mosaic = mosaicOf('artist-1', [cover(1), cover(2, 'e1'), cover(3), cover(4), cover(5), cover(6)]);
    expect(mosaic).toMatchObject({ owner: 'artist-1', covers: [cover(1), cover(3), cover(4), cover(5)] });
    const etag = (...albums: number[]): string | undefined =>
      mosaicOf(
        'playlist-1',
        albums.map((id) => cover(id)),
      )?.etag;
    expect(etag(1, 3, 4, 5)).toBe(mosaic?.etag);
    expect(new Set([etag(1, 2), etag(2, 1), etag(1, 2, 3), etag(1, 2, 4)]).size).toBe(4);
    expect(mosaic !== undefined && isMosaic(mosaic)).toBe(true);
  });

  it.each([1, 2, 3, 4])('of %i fills its square without overlaps', (count) => {
    for (const size of [64, 160, 300, 600, 1200]) {
      const tiles = tilesOf(
        Array.from({ length: count }, () => Buffer.alloc(0)),
        size,
      );
      expect(tiles).toHaveLength(count);
      expect(tiles.reduce((area, { width, height }) => area + width * height, 0)).toBe(size * size);
      expect(tiles.every(({ left, top, width, height }) => left + width <= size && top + height <= size)).toBe(true);
      expect(new Set(tiles.map(({ left, top }) => `${left},${top}`)).size).toBe(count);
    }
  });
});
