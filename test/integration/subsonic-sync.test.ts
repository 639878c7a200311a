// Copies of a library in which every kind of tag is missing somewhere: whole copies, copies during a scan, and copies
// of changes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FOLDER_LIBRARY, writeFolderLibrary } from '../support/folder-library.ts';
import { OFFLINE, openPhone, type Phone } from '../support/phone.ts';
import { SYNCS } from '../support/phone-syncs.ts';
import { seededRandom } from '../support/test-random.ts';
import { startServer, type TestServer } from '../support/server.ts';

type ListItem = Record<string, unknown> & { id: string };
const SYNC_NAMES = Object.keys(SYNCS) as (keyof typeof SYNCS)[];
const GENERATED_COUNT = 85;

let server: TestServer;
let dir: string;
let phone: Phone;

/** Returns the tags of files by path, each file without some of its tags. */
function messy(firstNumber: number, count: number): Record<string, Record<string, string>> {
  const random = seededRandom(firstNumber);
  const files: Record<string, Record<string, string>> = {};
  for (let n = firstNumber; n < firstNumber + count; n++) {
    const [artist, album] = [`Artist ${n % 7}`, `Album ${n % 11}`];
    const allTags = {
      ARTIST: artist,
      ALBUMARTIST: artist,
      ALBUM: album,
      TITLE: `Song ${n}`,
      DATE: `${1970 + (n % 40)}`,
    };
    const keptTags = Object.entries({ ...allTags, TRACKNUMBER: `${n % 12}`, GENRE: 'Rock' }).filter(
      () => random() < 0.7,
    );
    const folder = random() < 0.3 ? `Misc ${n % 3}` : `${artist}/${album}`;
    files[`${folder}/${n}.flac`] = Object.fromEntries(keptTags);
  }
  return files;
}

const scan = async (): Promise<void> => {
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
};
const total = async (): Promise<number> => (await server.api<{ total: number }>('/tracks?limit=1')).body.total;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-sync-'));
  writeFolderLibrary(join(dir, 'music'));
  writeFolderLibrary(join(dir, 'music'), messy(100, GENERATED_COUNT), 100);
  server = await startServer({ env: { ...OFFLINE, LOCAL_MEDIA_IMPORT_PATH: join(dir, 'music') } });
  phone = await openPhone(server, { client: 'sync' });
  await scan();
});
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

describe('a copy of the library', () => {
  it.each(SYNC_NAMES)('by %s has every track once', async (name) => {
    const { songs } = await SYNCS[name](phone, 7);
    expect(await total()).toBe(Object.keys(FOLDER_LIBRARY).length + GENERATED_COUNT);
    expect([songs.length, new Set(songs).size]).toEqual([await total(), await total()]);
  });

  it.each(SYNC_NAMES)('by %s misses nothing while a scan adds to it', async (name) => {
    const previousSongs = new Set((await SYNCS.search3(phone)).songs);
    const firstNumber = 1_000 * (SYNC_NAMES.indexOf(name) + 1);
    writeFolderLibrary(join(dir, 'music'), messy(firstNumber, 60), firstNumber);
    await server.api('/sources/local_folder/scan', { method: 'POST' });
    const drainPromise = server.app.drain();
    const { songs } = await SYNCS[name](phone, 7);
    expect([...previousSongs].filter((id) => !songs.includes(id))).toEqual([]);
    expect(new Set(songs).size).toBe(songs.length);
    await drainPromise;
    expect((await SYNCS[name](phone, 7)).songs).toHaveLength(await total());
  });

  it.each(['alphabeticalByName', 'newest', 'random'])(
    'by pages of the list %s keeps step with changes',
    async (type) => {
      const page = async (offset: number): Promise<string[]> => {
        const params = { type, size: 5, offset };
        const { album } = await phone.ask<{ album: ListItem[] }>('getAlbumList2', params, 'albumList2');
        return album.map(({ id }) => id);
      };
      const albumAnswer = await phone.ask<{ album: ListItem[] }>(
        'search3',
        { query: '', artistCount: 0, songCount: 0, albumCount: 500 },
        'searchResult3',
      );
      const pages = [await page(0)];
      // an album of the first page is removed, and another album is added
      const { song } = await phone.ask<{ song: ListItem[] }>('getAlbum', { id: pages[0]?.[0] ?? '' }, 'album');
      for (const { id } of song) await server.api(`/tracks/${id.slice(3)}`, { method: 'DELETE' });
      writeFolderLibrary(join(dir, 'music'), { [`${type}/1.flac`]: { ALBUM: `0 ${type}`, TITLE: type } }, 20_000);
      await scan();
      while (pages.at(-1)?.length === 5) pages.push(await page(pages.length * 5));
      const readItems = pages.flat();
      expect(new Set(readItems).size).toBe(readItems.length);
      expect(albumAnswer.album.map(({ id }) => id).filter((id) => !readItems.includes(id))).toEqual([]);
      expect(readItems).toHaveLength(albumAnswer.album.length + 1);
    },
  );

  it('of an unchanged library is one request', async () => {
    const { lastModified } = await phone.ask<{ lastModified: number }>('getIndexes', {}, 'indexes');
    const indexesAgain = await phone.ask<ListItem>('getIndexes', { ifModifiedSince: lastModified }, 'indexes');
    expect(indexesAgain).toMatchObject({ lastModified, index: [] });
    writeFolderLibrary(join(dir, 'music'), messy(9_000, 1), 9_000);
    await scan();
    const changedIndexes = await phone.ask<{ index: unknown[] }>(
      'getIndexes',
      { ifModifiedSince: lastModified },
      'indexes',
    );
    expect(changedIndexes.index.length).toBeGreaterThan(0);
  });
});
