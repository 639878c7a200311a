// The history of edits over REST.
import { z } from 'zod';
import { TrackEditIdIn, TrackIdIn } from '../db/ids.ts';
import { refusal } from '../db/rights.ts';
import { idParam } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import { toIso } from '../http/times.ts';
import type { EditHistory, TrackEdit } from './edit-history.ts';
import type { Editing } from './edit-rights.ts';
import type { LibraryService } from './service.ts';
import { toTrackOut } from './wire-maps.ts';
import { Batch, TrackEditOut, TrackOut, UndoneOut } from './wire.ts';

const TrackEditList = z.array(TrackEditOut);

const toTrackEditOut = (edit: TrackEdit): TrackEditOut => ({
  id: edit.id,
  created_at: toIso(edit.createdAt),
  user_id: edit.userId,
  user_name: edit.userName,
  batch: edit.batch,
  batch_tracks: edit.batchSize,
  changes: edit.changes,
});

const EditParam = z.object({ ...idParam(TrackIdIn).shape, edit_id: idParam(TrackEditIdIn).shape.id });
const BatchParam = z.object({ batch: Batch });
const MOST_FAILURES = 100;

export interface EditRouteDeps {
  history: EditHistory;
  library: Pick<LibraryService, 'getTrack'>;
  editing: Editing;
  libraryChanged: () => void;
}

export const editRoutes = ({ history, library, editing, libraryChanged }: EditRouteDeps): Route[] => [
  route(
    {
      method: 'get',
      path: '/tracks/:id/edits',
      access: 'user',
      summary: 'Edits of a track in the last 30 days, latest first, with what they changed',
      params: idParam(TrackIdIn),
      reply: TrackEditList,
    },
    ({ user, params }) => {
      library.getTrack(user.id, params.id);
      return history.list(params.id).map(toTrackEditOut);
    },
  ),

  route(
    {
      method: 'post',
      path: '/tracks/:id/edits/:edit_id/undo',
      access: 'user',
      right: 'canEdit',
      orOwn: true,
      summary: 'Set the metadata of a track back to what it was before an edit',
      params: EditParam,
      reply: TrackOut,
    },
    ({ user, params }) => {
      editing.assertTracks(user, [params.id]);
      history.undo(user.id, params.id, params.edit_id);
      libraryChanged();
      return toTrackOut(library.getTrack(user.id, params.id));
    },
  ),

  route(
    {
      method: 'post',
      path: '/edits/:batch/undo',
      access: 'user',
      right: 'canEdit',
      orOwn: true,
      summary: 'Undo edits that were made together, on each track that was not edited since',
      params: BatchParam,
      reply: UndoneOut,
    },
    async ({ user, params }) => {
      if (!user.rights.canEdit && !history.isBatch(params.batch)) throw refusal('canEdit');
      const { batch, undone, failed } = await history.undoBatch(user.id, params.batch, (id) =>
        editing.assertTracks(user, [id]),
      );
      if (undone.length > 0) libraryChanged();
      return { batch, undone: undone.length, failed: failed.slice(0, MOST_FAILURES) };
    },
  ),
];
