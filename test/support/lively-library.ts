// Adds realistic user data through the public API: likes and ratings, a year of plays with
// habits, playlists with versions, and smart ones.
import type { AlbumPage, TrackOut, TrackPage } from '../../server/library/wire.ts';
import type { PlaylistOut } from '../../server/playlists/wire.ts';
import { seededRandom } from './test-random.ts';

export type Api = <T>(path: string, init?: { method?: string; body?: unknown }) => Promise<T>;

const DAY_MS = 86_400_000;
const DAYS = 365;
/** Relative number of plays at each hour of the day. */
const HOURS = [3, 1, 1, 0, 0, 0, 2, 6, 9, 7, 5, 5, 6, 5, 5, 5, 6, 9, 12, 14, 16, 17, 13, 7];
const MOST_AT_ONCE = 1_000;

export async function enliven(
  api: Api,
  now = new Date(),
): Promise<{ tracks: number; plays: number; playlists: number }> {
  const random = seededRandom(7);
  const tracks = await allTracks(api);
  const albums = (await api<AlbumPage>('/albums?limit=200')).items;
  const shuffledTracks = tracks
    .map((track) => ({ track, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ track }) => track);
  const like = (item_type: string, item_id: number, rating?: number) =>
    api('/likes', { method: 'POST', body: { item_type, item_id, liked: true, ...(rating && { rating }) } });

  for (const [i, track] of shuffledTracks.slice(0, Math.ceil(tracks.length / 12)).entries())
    await like('track', track.id, i % 3 === 0 ? 5 - (i % 2) : undefined);
  for (const album of albums.filter(() => random() < 0.12)) await like('album', album.id);
  const plays = await play(api, shuffledTracks, random, now);
  const playlists = await makePlaylists(api, shuffledTracks, random);
  return { tracks: tracks.length, plays, playlists };
}

async function allTracks(api: Api): Promise<TrackOut[]> {
  const tracks: TrackOut[] = [];
  for (;;) {
    const { items, total } = await api<TrackPage>(`/tracks?limit=200&sort=title&offset=${tracks.length}`);
    tracks.push(...items);
    if (items.length === 0 || tracks.length >= total) return tracks;
  }
}

/** Plays a few tracks very often and most of them rarely; more in the evening, at weekends and recently. */
async function play(api: Api, lovedTracks: readonly TrackOut[], random: () => number, now: Date): Promise<number> {
  const hours = HOURS.flatMap((share, hour) => Array<number>(share).fill(hour));
  const items: unknown[] = [];
  for (let ago = DAYS; ago >= 0; ago--) {
    const day = new Date(now.getTime() - ago * DAY_MS);
    const isWeekend = day.getUTCDay() % 6 === 0;
    const count = random() < 0.12 ? 0 : Math.round((isWeekend ? 14 : 8) * (0.4 + random()) * (1.3 - ago / (2 * DAYS)));
    for (let n = 0; n < count; n++) {
      const time = new Date(day);
      time.setUTCHours(
        hours[Math.floor(random() * hours.length)]!,
        Math.floor(random() * 60),
        Math.floor(random() * 60),
        0,
      );
      if (time >= now) continue;
      const track = lovedTracks[Math.floor(lovedTracks.length * random() ** 3)]!;
      items.push({
        track_id: track.id,
        played_at: time.toISOString(),
        played_ms: track.duration_ms ?? 0,
        client: random() < 0.7 ? 'Chrome on Linux' : 'Symfonium',
      });
    }
  }
  for (let offset = 0; offset < items.length; offset += MOST_AT_ONCE)
    await api('/history', { method: 'POST', body: { items: items.slice(offset, offset + MOST_AT_ONCE) } });
  return items.length;
}

const LISTS = [
  ['Sunday morning', 'Slow, and not too loud.', 18],
  ['Running', null, 32],
  ['Cooking with friends', 'Everybody adds one.', 24],
  ['Late', null, 14],
  ['For the long drive', 'Four hours of it.', 60],
] as const;
const SMART = [
  [
    'Loved, not heard lately',
    {
      all: [
        { field: 'liked', op: 'is', value: true },
        { field: 'last_played_at', op: 'not_in_the_last', value: 30 },
      ],
      sort: [{ field: 'random', order: 'asc' }],
    },
  ],
  [
    'Top 50',
    {
      all: [{ field: 'play_count', op: 'greater_than', value: 0 }],
      sort: [{ field: 'play_count', order: 'desc' }],
      limit: 50,
    },
  ],
] as const;

/** Creates, extends and reorders playlists, so that they have versions. */
async function makePlaylists(api: Api, tracks: readonly TrackOut[], random: () => number): Promise<number> {
  const post = <T>(path: string, body: unknown) => api<T>(path, { method: 'POST', body });
  const pickTracks = (count: number) =>
    Array.from({ length: count }, () => tracks[Math.floor(random() * tracks.length)]!.id);
  for (const [name, description, count] of LISTS) {
    const { id } = await post<PlaylistOut>('/playlists', { name, description, track_ids: pickTracks(count) });
    await post(`/playlists/${id}/tracks`, { track_ids: pickTracks(4) });
    const { entries = [] } = await api<PlaylistOut>(`/playlists/${id}`);
    const lastEntry = entries.at(-1);
    if (lastEntry)
      await post(`/playlists/${id}/tracks/move`, {
        entry_ids: [lastEntry.entry_id],
        before_entry_id: entries[0]!.entry_id,
      });
  }
  for (const [name, rules] of SMART) await post('/playlists', { name, rules });
  return LISTS.length + SMART.length;
}
