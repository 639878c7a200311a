// The values that edits of tracks replaced, and undoing edits.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { request, type Input } from './client.ts';
import { LIBRARY } from './library.ts';

/** An edit of one track: of single fields, or of all its metadata if its names change. */
export type TrackChange = { id: number } & (
  | { route: 'PATCH /tracks/{id}'; body: Input<'PATCH /tracks/{id}'>['body'] }
  | { route: 'PUT /tracks/{id}/metadata'; body: Input<'PUT /tracks/{id}/metadata'>['body'] }
);

/** Sends an edit. Edits with the same batch are undone together. */
export async function sendChange({ id, ...change }: TrackChange, batch: string): Promise<void> {
  if (change.route === 'PATCH /tracks/{id}')
    await request(change.route, { path: { id }, query: { batch }, body: change.body });
  else await request(change.route, { path: { id }, query: { batch }, body: change.body });
}

export const editsQuery = (trackId: number) =>
  queryOptions({
    queryKey: [LIBRARY, `/tracks/${trackId}/edits`] as const,
    queryFn: ({ signal }) => request('GET /tracks/{id}/edits', { path: { id: trackId }, signal }),
  });

function useUndo<In, Out>(mutationFn: (input: In) => Promise<Out>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey: [LIBRARY] }) });
}

export const useUndoEdit = (trackId: number) =>
  useUndo((id: number) => request('POST /tracks/{id}/edits/{edit_id}/undo', { path: { id: trackId, edit_id: id } }));
export const useUndoEdits = () => useUndo((batch: string) => request('POST /edits/{batch}/undo', { path: { batch } }));
