// What was measured of the audio of a track, and how far that is for the whole library.
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';
import type { TrackAnalysisOut } from './routes.ts';
import { LIBRARY } from './library.ts';

/** The server counts the whole library for it. */
const REFETCH_MS = 30_000;
/** A waveform that is not there may have been computed the next time that the track plays. */
const IDLE_REFETCH_MS = 60_000;

export const fetchAnalysis = (id: number): Promise<TrackAnalysisOut> =>
  request('GET /tracks/{id}/analysis', { path: { id } });

export const trackAnalysisQuery = (id: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${id}/analysis`] as const,
    queryFn: ({ signal }) => request('GET /tracks/{id}/analysis', { path: { id }, signal }),
  });

export const analysisQuery = () =>
  queryOptions({
    queryKey: ['analysis'] as const,
    queryFn: ({ signal }) => request('GET /analysis', { signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'done' || state.data?.state === 'off' ? false : REFETCH_MS),
  });

/** The outline for seek bars. */
export const waveformQuery = (trackId: number) =>
  queryOptions({
    queryKey: ['waveform', trackId] as const,
    queryFn: ({ signal }) => request('GET /tracks/{id}/waveform', { path: { id: trackId }, signal }),
    staleTime: ({ state }) => (state.data?.points ? Infinity : IDLE_REFETCH_MS),
    retry: false,
  });

/** All that was measured. */
export const throwAnalysisAway = (): Promise<unknown> => request('DELETE /analysis');
