// The ways in which apps copy a library onto a phone: by the list of albums (Amperfy, Strawberry), by search3 without
// words, one kind at a time (Symfonium), and by folders (DSub). Each returns the ids of all songs, and the number of
// requests. Other servers omit empty lists.
import type { Phone, PhoneParams } from './phone.ts';

type Listed = Record<string, unknown> & { id: string; isDir?: boolean };
interface Synced {
  songs: string[];
  requests: number;
}

type AskingPhone = Pick<Phone, 'ask'>;

const AT_ONCE = 8;

export const SYNCS: Record<'albums' | 'search3' | 'folders', (phone: AskingPhone, size?: number) => Promise<Synced>> = {
  /** Requests at once all pages that the artists' album counts suggest, then more pages as long as they are full. */
  async albums(phone, size = 500) {
    const countedAsk = counting(phone);
    const { index } = await countedAsk<{ index: { artist: (Listed & { albumCount: number })[] }[] }>(
      'getArtists',
      {},
      'artists',
    );
    const count = index.flatMap(({ artist }) => artist).reduce((sum, { albumCount }) => sum + albumCount, 0);
    const pageAt = async (page: number): Promise<Listed[]> => {
      const params = { type: 'alphabeticalByName', size, offset: page * size };
      return (await countedAsk<{ album?: Listed[] }>('getAlbumList2', params, 'albumList2')).album ?? [];
    };
    const pages = await inParallel(
      Array.from({ length: Math.ceil(count / size) }, (_, page) => page),
      pageAt,
    );
    while (pages.length === 0 || pages.at(-1)?.length === size) pages.push(await pageAt(pages.length));
    const albums = [...new Set(pages.flat().map(({ id }) => id))];
    const songs = await inParallel(
      albums,
      async (id) => (await countedAsk<{ song?: Listed[] }>('getAlbum', { id }, 'album')).song ?? [],
    );
    return { songs: songs.flat().map(({ id }) => id), requests: countedAsk.requests() };
  },

  async search3(phone, size = 500) {
    const countedAsk = counting(phone);
    type Folders = { musicFolder: { id: number }[] };
    const { musicFolder } = await countedAsk<Folders>('getMusicFolders', {}, 'musicFolders');
    const songs: string[] = [];
    for (const { id: musicFolderId } of musicFolder)
      for (const kind of ['artist', 'album', 'song'] as const)
        for (let offset = 0; ; offset += size) {
          const params: PhoneParams = { query: '""', musicFolderId, artistCount: 0, albumCount: 0, songCount: 0 };
          const searchParams = { ...params, [`${kind}Count`]: size, [`${kind}Offset`]: offset };
          const searchResult = await countedAsk<Partial<Record<typeof kind, Listed[]>>>(
            'search3',
            searchParams,
            'searchResult3',
          );
          const page = searchResult[kind] ?? [];
          if (kind === 'song') songs.push(...page.map(({ id }) => id));
          if (page.length < size) break;
        }
    return { songs, requests: countedAsk.requests() };
  },

  async folders(phone) {
    const countedAsk = counting(phone);
    type Indexes = { index: { artist: Listed[] }[]; child?: Listed[] };
    const { index, child = [] } = await countedAsk<Indexes>('getIndexes', {}, 'indexes');
    const songs = child.map(({ id }) => id);
    let folders = index.flatMap(({ artist }) => artist.map(({ id }) => id));
    while (folders.length > 0) {
      const albums = await inParallel(
        folders,
        async (id) => (await countedAsk<{ child?: Listed[] }>('getMusicDirectory', { id }, 'directory')).child ?? [],
      );
      songs.push(...albums.flat().flatMap(({ id, isDir }) => (isDir === true ? [] : id)));
      folders = albums.flat().flatMap(({ id, isDir }) => (isDir === true ? id : []));
    }
    return { songs, requests: countedAsk.requests() };
  },
};

function counting(phone: AskingPhone) {
  let requests = 0;
  const askCounted = <T>(endpoint: string, params: PhoneParams, key: string): Promise<T> => {
    requests++;
    return phone.ask<T>(endpoint, params, key);
  };
  return Object.assign(askCounted, { requests: () => requests });
}

async function inParallel<T, R>(items: readonly T[], handleItem: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let offset = 0; offset < items.length; offset += AT_ONCE)
    results.push(...(await Promise.all(items.slice(offset, offset + AT_ONCE).map(handleItem))));
  return results;
}
