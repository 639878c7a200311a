// The outline of a track for seek bars, which the server computes in the background.
import { queryOptions } from '@tanstack/react-query';
import type { WaveformOut } from '../../server/analysis/wire.ts';
import { request } from './client.ts';

/** One that is not there may have been computed the next time that the track plays. */
const LATER_MS = 60_000;

export const waveformQuery = (trackId: number) =>
  queryOptions({
    queryKey: ['waveform', trackId] as const,
    queryFn: ({ signal }) => request<WaveformOut>(`/tracks/${trackId}/waveform`, { signal }),
    staleTime: ({ state }) => (state.data?.points ? Infinity : LATER_MS),
    retry: false,
  });
