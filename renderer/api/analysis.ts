// Measured properties of a track's audio, and the progress of the analysis of the whole library.
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';
import type { TrackAnalysisOut } from './routes.ts';
import { LIBRARY } from './library.ts';

/** The state is fetched rarely, because the server counts the whole library for each reply. */
const REFETCH_MS = 30_000;
/** A missing waveform is fetched again after this time, because the server may have computed it by then. */
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

/** Returns the query of a track's waveform, which seek bars display. */
export const waveformQuery = (trackId: number) =>
  queryOptions({
    queryKey: ['waveform', trackId] as const,
    queryFn: ({ signal }) => request('GET /tracks/{id}/waveform', { path: { id: trackId }, signal }),
    staleTime: ({ state }) => (state.data?.points ? Infinity : IDLE_REFETCH_MS),
    retry: false,
  });

/** Deletes all results of the analysis. */
export const throwAnalysisAway = (): Promise<unknown> => request('DELETE /analysis');
