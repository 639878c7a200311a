// How apps copy a library onto a phone: by the list of albums (Amperfy, Strawberry), by search3 without words, one kind
// at a time (Symfonium), and by folders (DSub). Each gives the ids of all songs, and how many requests it took.
// Other servers leave empty lists out.
import type { Phone, PhoneParams } from './phone.ts';

type Listed = Record<string, unknown> & { id: string; isDir?: boolean };
interface Synced {
  songs: string[];
  requests: number;
}

type Asked = Pick<Phone, 'ask'>;

const AT_ONCE = 8;

export const SYNCS: Record<'albums' | 'search3' | 'folders', (phone: Asked, size?: number) => Promise<Synced>> = {
  /** All pages at once, as many as the artists have albums; and the next ones, while they are full. */
  async albums(phone, size = 500) {
    const ask = counting(phone);
    const { index } = await ask<{ index: { artist: (Listed & { albumCount: number })[] }[] }>(
      'getArtists',
      {},
      'artists',
    );
    const count = index.flatMap(({ artist }) => artist).reduce((sum, { albumCount }) => sum + albumCount, 0);
    const pageAt = async (page: number): Promise<Listed[]> => {
      const params = { type: 'alphabeticalByName', size, offset: page * size };
      return (await ask<{ album?: Listed[] }>('getAlbumList2', params, 'albumList2')).album ?? [];
    };
    const pages = await inParallel(
      Array.from({ length: Math.ceil(count / size) }, (_, page) => page),
      pageAt,
    );
    while (pages.length === 0 || pages.at(-1)?.length === size) pages.push(await pageAt(pages.length));
    const albums = [...new Set(pages.flat().map(({ id }) => id))];
    const songs = await inParallel(
      albums,
      async (id) => (await ask<{ song?: Listed[] }>('getAlbum', { id }, 'album')).song ?? [],
    );
    return { songs: songs.flat().map(({ id }) => id), requests: ask.requests() };
  },

  async search3(phone, size = 500) {
    const ask = counting(phone);
    type Folders = { musicFolder: { id: number }[] };
    const { musicFolder } = await ask<Folders>('getMusicFolders', {}, 'musicFolders');
    const songs: string[] = [];
    for (const { id: musicFolderId } of musicFolder)
      for (const kind of ['artist', 'album', 'song'] as const)
        for (let offset = 0; ; offset += size) {
          const params: PhoneParams = { query: '""', musicFolderId, artistCount: 0, albumCount: 0, songCount: 0 };
          const asked = { ...params, [`${kind}Count`]: size, [`${kind}Offset`]: offset };
          const answer = await ask<Partial<Record<typeof kind, Listed[]>>>('search3', asked, 'searchResult3');
          const page = answer[kind] ?? [];
          if (kind === 'song') songs.push(...page.map(({ id }) => id));
          if (page.length < size) break;
        }
    return { songs, requests: ask.requests() };
  },

  async folders(phone) {
    const ask = counting(phone);
    type Indexes = { index: { artist: Listed[] }[]; child?: Listed[] };
    const { index, child = [] } = await ask<Indexes>('getIndexes', {}, 'indexes');
    const songs = child.map(({ id }) => id);
    let folders = index.flatMap(({ artist }) => artist.map(({ id }) => id));
    while (folders.length > 0) {
      const found = await inParallel(
        folders,
        async (id) => (await ask<{ child?: Listed[] }>('getMusicDirectory', { id }, 'directory')).child ?? [],
      );
      songs.push(...found.flat().flatMap(({ id, isDir }) => (isDir === true ? [] : id)));
      folders = found.flat().flatMap(({ id, isDir }) => (isDir === true ? id : []));
    }
    return { songs, requests: ask.requests() };
  },
};

function counting(phone: Asked) {
  let requests = 0;
  const ask = <T>(endpoint: string, params: PhoneParams, key: string): Promise<T> => {
    requests++;
    return phone.ask<T>(endpoint, params, key);
  };
  return Object.assign(ask, { requests: () => requests });
}

async function inParallel<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(run))));
  return results;
}
