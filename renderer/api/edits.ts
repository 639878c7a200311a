// What edits of tracks replaced, and undoing them.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { TrackEditOut, UndoneEditOut, UndoneOut } from '../../server/library/wire.ts';
import { request } from './client.ts';
import { LIBRARY } from './library.ts';

export const editsQuery = (trackId: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${trackId}/edits`] as const,
    queryFn: ({ signal }) => request<TrackEditOut[]>(`/tracks/${trackId}/edits`, { signal }),
  });

function useUndo<In, Out>(mutationFn: (input: In) => Promise<Out>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey: [LIBRARY] }) });
}

export const useUndoEdit = (trackId: number) =>
  useUndo((id: number) => request<UndoneEditOut>(`/tracks/${trackId}/edits/${id}/undo`, { method: 'POST' }));
export const useUndoEdits = () =>
  useUndo((batch: string) => request<UndoneOut>(`/edits/${batch}/undo`, { method: 'POST' }));
