// Reads a library of real names, and queries as people type them, each with the artist, album or track that it means.
// The queries were written by two readers of the library who did not know how the search works; the second one wrote
// theirs after the search was finished.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MainDb } from '../../server/db/client.ts';
import type { UserId } from '../../server/db/ids.ts';
import { createSearchService } from '../../server/search/service.ts';
import { openLibraryServices } from './library-services.ts';
import { root } from './product.ts';
import { silence } from './silence.ts';

interface LibraryRow {
  artist: string;
  album_artist: string;
  album: string;
  year: string;
  title: string;
  composer: string;
  artist_sort: string;
  album_sort: string;
  title_sort: string;
}

interface Names {
  artist: string;
  album: string;
  title: string;
}

export interface CorpusQuery extends Names {
  /** What makes the query difficult, such as `typo`. */
  kind: string;
  query: string;
  type: 'artist' | 'album' | 'track';
}

function readTable<T>(name: string): T[] {
  const [head = '', ...lines] = readFileSync(join(root, 'test', 'data', name), 'utf8')
    .trimEnd()
    .split('\n');
  const columns = head.split('\t');
  return lines.map((line) => {
    const values = line.split('\t');
    return Object.fromEntries(columns.map((column, i) => [column, values[i] ?? ''])) as T;
  });
}

export const readCorpusQueries = (): CorpusQuery[] => readTable<CorpusQuery>('search-queries.tsv');

/** Writes the library of the corpus, and returns a function that names the results of a query, best first. */
export function openCorpusSearch(db: MainDb) {
  const { library, tracks } = openLibraryServices(db);
  const optional = (text: string): string | undefined => text || undefined;
  db.$client
    .transaction(() =>
      tracks.batch(() =>
        readTable<LibraryRow>('search-library.tsv').forEach((row, n) =>
          tracks.insert({
            source: 'upload',
            sourceId: `${n}`,
            identity: {
              title: row.title,
              artists: [row.artist],
              albumArtist: optional(row.album_artist),
              album: optional(row.album),
              year: row.year === '' ? undefined : Number(row.year),
              composer: optional(row.composer),
              artistSort: optional(row.artist_sort),
              genres: [],
              more: {
                ...(row.title_sort !== '' && { titleSort: row.title_sort }),
                ...(row.album_sort !== '' && { albumSort: row.album_sort }),
              },
            },
            audio: silence,
          }),
        ),
      ),
    )
    .immediate();
  const search = createSearchService({ db, library });
  return (query: string, limit: number): Record<CorpusQuery['type'], Names[]> => {
    const { artists, albums, tracks: songs } = search.searchLibrary(1 as UserId, query, { limit, offset: 0 });
    return {
      artist: artists.items.map(({ name }) => ({ artist: name, album: '', title: '' })),
      album: albums.items.map(({ title, artistName }) => ({ artist: artistName ?? '', album: title, title: '' })),
      track: songs.items.map(({ title, artistName, albumTitle }) => ({
        artist: artistName ?? '',
        album: albumTitle ?? '',
        title,
      })),
    };
  };
}

/** Returns whether a result is the one that the query means; a query for a track may leave the album open. */
export const isMeant = (names: Names, query: CorpusQuery): boolean =>
  names.artist === query.artist &&
  names.title === query.title &&
  (names.album === query.album || (query.type === 'track' && query.album === ''));
