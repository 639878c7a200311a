// Similarity by sound: similar tracks, radio, path, map and mixes.
import { queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import type { SeedIn } from '../../server/likeness/wire.ts';
import type { MapLineOut, MapOut, MixTracksOut, MixesOut, RadioOut, ReasonOut } from './routes.ts';
import { request } from './client.ts';
import { LIBRARY, type PageAt } from './library.ts';

export type Seed = z.input<typeof SeedIn>;
export type Reason = ReasonOut;
export type MapPart = MapOut;
export type MapLine = MapLineOut;
export type Mix = MixesOut['items'][number];

/** The tracks that a radio has played, and its steering; the server stores neither. */
interface RadioCourse {
  seed: Seed;
  played: readonly number[];
  more: readonly number[];
  less: readonly number[];
}

const MAX_SENT_PLAYED = 2_000;
const MAX_SENT_STEERING = 200;

export const fetchRadio = ({ seed, played, more, less }: RadioCourse, count: number): Promise<RadioOut> =>
  request('POST /radio/next', {
    body: {
      seed,
      count,
      played: played.slice(-MAX_SENT_PLAYED),
      more: more.slice(-MAX_SENT_STEERING),
      less: less.slice(-MAX_SENT_STEERING),
    },
  });

const NEVER = 'radio-never';
export const neverQuery = () =>
  queryOptions({
    queryKey: [NEVER] as const,
    queryFn: ({ signal }) => request('GET /radio/never', { signal }),
  });
export const setNever = (kind: 'tracks' | 'artists', id: number, isExcluded: boolean): Promise<unknown> =>
  request(`${isExcluded ? 'PUT' : 'DELETE'} /radio/never/${kind}/{id}`, { path: { id } });

export const similarQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}/similar`] as const,
    queryFn: ({ signal }) => request('GET /tracks/{id}/similar', { path: { id }, query: { limit: 12 }, signal }),
  });

export interface PathEnds {
  from: number;
  to: number;
  steps: number;
}
export const pathQuery = ({ from, to, steps }: PathEnds) =>
  queryOptions({
    queryKey: [LIBRARY, '/path', from, to, steps] as const,
    queryFn: ({ signal }) => request('GET /path', { query: { from, to, steps }, signal }),
    retry: false,
  });

/** Map coordinates, integers from 0 to the size of the map. */
export interface MapArea {
  min_x: number;
  min_y: number;
  max_x: number;
  max_y: number;
}
export const mapQuery = (area: MapArea, points: number) =>
  queryOptions({
    queryKey: [LIBRARY, '/map', area, points] as const,
    queryFn: async ({ signal }) => ({
      area,
      part: await request('GET /map', { query: { ...area, points }, signal }),
    }),
    staleTime: 60_000,
  });
export const mapTracksQuery = (area: MapArea, page: PageAt) =>
  queryOptions({
    queryKey: [LIBRARY, '/map/tracks', area, page] as const,
    queryFn: ({ signal }) => request('GET /map/tracks', { query: { ...area, ...page }, signal }),
  });
export const fetchMapLine = (points: readonly { x: number; y: number }[], count: number): Promise<MapLine> =>
  request('POST /map/line', { body: { points: [...points], count } });

/** Returns the browser's time zone, so that the server's days begin at the listener's midnight. */
const offset = () => ({ utc_offset_minutes: -new Date().getTimezoneOffset() });
export const mixesQuery = () =>
  queryOptions({
    queryKey: [LIBRARY, '/mixes'] as const,
    queryFn: ({ signal }) => request('GET /mixes', { query: offset(), signal }),
    staleTime: 10 * 60_000,
  });
export const fetchMix = (id: string, signal?: AbortSignal): Promise<MixTracksOut> =>
  request('GET /mixes/{mix}', { path: { mix: id }, query: offset(), signal });
export const mixQuery = (id: string) =>
  queryOptions({
    queryKey: [LIBRARY, '/mixes', id] as const,
    queryFn: ({ signal }) => fetchMix(id, signal),
  });

const PROGRESS_REFETCH_MS = 30_000;

/** How many tracks can be compared by their sound, fetched again while tracks are analyzed. */
export const likenessQuery = () =>
  queryOptions({
    queryKey: ['likeness'] as const,
    queryFn: ({ signal }) => request('GET /likeness', { signal }),
    refetchInterval: ({ state }) =>
      state.data && state.data.analyzed < state.data.total ? PROGRESS_REFETCH_MS : false,
  });

/** Returns the radio seed for the current hour in the listener's time zone. */
export const thisMoment = (): Seed => ({
  kind: 'moment',
  hour: new Date().getHours(),
  ...offset(),
});
