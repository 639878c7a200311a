// Top lists for the plots and their tables. Pure.
import type { ListeningOut } from '../../../server/stats/wire.ts';
import { coverUrl, trackCover } from '../../api/urls.ts';
import type { CoverSize } from '../../../server/covers/cover-sizes.ts';
import type { Table } from './plot-data.ts';
import type { Rank } from './rank-plot.tsx';

export type Tops = Pick<ListeningOut, 'top_artists' | 'top_albums' | 'top_tracks' | 'top_genres'>;
type TopKind = 'artists' | 'albums' | 'tracks' | 'genres';
export const TOP_KINDS: readonly TopKind[] = ['artists', 'albums', 'tracks', 'genres'];
export type Measure = 'plays' | 'minutes';

interface Entry {
  name: string;
  by?: string | null;
  plays: number;
  minutes: number;
  to?: Rank['to'];
  cover?: string | null;
}

const album = (id: number | null): Rank['to'] =>
  id === null ? undefined : { to: '/albums/$albumId', params: { albumId: id } };

export const topTrackCover = (
  { track_id, album_id, has_cover }: Tops['top_tracks'][number],
  size: CoverSize,
): string | null => (track_id === null ? null : trackCover({ id: track_id, album_id, has_cover }, size));

function entriesOf(tops: Tops, kind: TopKind): Entry[] {
  switch (kind) {
    case 'artists':
      return tops.top_artists.map((a) => ({
        ...a,
        cover: a.artist_id !== null && a.has_cover ? coverUrl('artists', a.artist_id, 64) : null,
        ...(a.artist_id !== null && { to: { to: '/artists/$artistId', params: { artistId: a.artist_id } } }),
      }));
    case 'albums':
      return tops.top_albums.map((a) => ({
        ...a,
        name: a.title,
        by: a.artist_name,
        to: album(a.album_id),
        cover: a.album_id !== null && a.has_cover ? coverUrl('albums', a.album_id, 64) : null,
      }));
    case 'tracks':
      return tops.top_tracks.map((t) => ({
        ...t,
        name: t.title,
        by: t.artist_name,
        to: album(t.album_id),
        cover: topTrackCover(t, 64),
      }));
    case 'genres':
      return tops.top_genres.map((g) => ({ ...g, name: g.genre, to: { to: '/albums', search: { genre: g.genre } } }));
  }
}

/** Returns the top items, sorted by the chosen measure. The server sorts by plays only. */
export function ranksOf(tops: Tops, kind: TopKind, measure: Measure, maxRanks: number): Rank[] {
  return entriesOf(tops, kind)
    .sort((a, b) => b[measure] - a[measure])
    .slice(0, maxRanks)
    .map(({ name, by, to, cover, ...sums }, i) => ({
      key: `${i} ${name}`,
      name,
      ...(by !== undefined && { by }),
      ...(cover !== undefined && { cover }),
      value: sums[measure],
      ...(to && { to }),
    }));
}

export function topTable(
  tops: Tops,
  kind: TopKind,
  names: { name: string; artist: string; plays: string; minutes: string },
): Table {
  const withArtist = kind === 'albums' || kind === 'tracks';
  return {
    columns: [names.name, ...(withArtist ? [names.artist] : []), names.plays, names.minutes],
    rows: entriesOf(tops, kind).map(({ name, by, plays, minutes }) => [
      name,
      ...(withArtist ? [by ?? ''] : []),
      plays,
      minutes,
    ]),
  };
}
