// Internet radio stations.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from './client.ts';
import type { StationOut } from './routes.ts';

export const STATIONS = 'stations';

export const stationsQuery = () =>
  queryOptions({
    queryKey: [STATIONS] as const,
    queryFn: ({ signal }) => request('GET /stations', { signal }),
  });

type StationFields = Pick<StationOut, 'name' | 'stream_url' | 'home_page_url'>;

function useStationMutation<In, Out>(mutationFn: (input: In) => Promise<Out>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey: [STATIONS] }) });
}

/** Adds a station, or changes the station with this id. */
export const useSaveStation = (id: number | undefined) =>
  useStationMutation((body: StationFields) =>
    id === undefined ? request('POST /stations', { body }) : request('PUT /stations/{id}', { path: { id }, body }),
  );
export const useRemoveStation = () =>
  useStationMutation((id: number) => request('DELETE /stations/{id}', { path: { id } }));
