// REST API for the history of edits.
import { z } from 'zod';
import { TrackEditIdIn, TrackIdIn } from '../../db/ids.ts';
import { refusal } from '../../db/rights.ts';
import { idParam } from '../../http/paging.ts';
import { route, type Route } from '../../http/route.ts';
import { toIso } from '../../http/times.ts';
import type { EditHistory, TrackEdit } from './edit-history.ts';
import type { Editing } from './edit-rights.ts';
import type { Merges } from '../merges/merges.ts';
import type { PastMerge } from '../merges/carried-data.ts';
import type { LibraryService } from '../service.ts';
import { toTrackOut } from '../wire-maps.ts';
import { Batch, TrackEditOut, UndoneEditOut, UndoneOut } from '../wire.ts';

const TrackEditList = z.array(TrackEditOut);
const MAX_MERGES = 50;

const toTrackEditOut = (edit: TrackEdit): TrackEditOut => ({
  id: edit.id,
  kind: edit.kind,
  created_at: toIso(edit.createdAt),
  user_id: edit.userId,
  user_name: edit.userName,
  batch: edit.batch,
  batch_tracks: edit.batchSize,
  changes: edit.changes,
  merged: null,
});

const toMergedOut = (merge: PastMerge): TrackEditOut => ({
  id: merge.id,
  kind: 'merge',
  created_at: toIso(new Date(merge.deletedAt)),
  user_id: null,
  user_name: merge.deletedByName,
  batch: null,
  batch_tracks: 1,
  changes: [],
  merged: {
    title: merge.title,
    artist_name: merge.artistName,
    album_title: merge.albumTitle,
    source: merge.source,
    source_id: merge.sourceId,
    reason: merge.reason,
  },
});

const EditParam = z.object({ ...idParam(TrackIdIn).shape, edit_id: idParam(TrackEditIdIn).shape.id });
const BatchParam = z.object({ batch: Batch });
const MAX_FAILURES = 100;

interface EditRouteDeps {
  history: EditHistory;
  merges: Pick<Merges, 'list'>;
  library: Pick<LibraryService, 'getTrack'>;
  editing: Editing;
  libraryChanged: () => void;
}

export const editRoutes = ({ history, merges, library, editing, libraryChanged }: EditRouteDeps): Route[] => [
  route(
    {
      method: 'get',
      path: '/tracks/:id/edits',
      access: 'user',
      summary: 'Edits, chosen matches and merges of a track in the last 30 days, latest first, with what they changed',
      params: idParam(TrackIdIn),
      reply: TrackEditList,
    },
    ({ user, params }) => {
      library.getTrack(user.id, params.id);
      const { items } = merges.list({ limit: MAX_MERGES, offset: 0 }, params.id);
      return [...items.map(toMergedOut), ...history.list(params.id).map(toTrackEditOut)].toSorted((a, b) =>
        b.created_at < a.created_at ? -1 : Number(b.created_at > a.created_at),
      );
    },
  ),

  route(
    {
      method: 'post',
      path: '/tracks/:id/edits/:edit_id/undo',
      access: 'user',
      right: 'canEdit',
      orOwn: true,
      summary: 'Undo an edit of a track or a chosen match; what was changed again since stays',
      params: EditParam,
      reply: UndoneEditOut,
    },
    ({ user, params }) => {
      editing.assertTracks(user, [params.id]);
      const laterChanges = history.undo(user.id, params.id, params.edit_id);
      libraryChanged();
      return {
        ...toTrackOut(library.getTrack(user.id, params.id)),
        not_undone: laterChanges.map(({ field, after: value }) => ({ field, value })),
      };
    },
  ),

  route(
    {
      method: 'post',
      path: '/edits/:batch/undo',
      access: 'user',
      right: 'canEdit',
      orOwn: true,
      summary: 'Undo edits that were made together, but for what was edited again since',
      params: BatchParam,
      reply: UndoneOut,
    },
    async ({ user, params }) => {
      if (!user.rights.canEdit && !history.isBatch(params.batch)) throw refusal('canEdit');
      const { batch, undone, failures } = await history.undoBatch(user.id, params.batch, (id) =>
        editing.assertTracks(user, [id]),
      );
      if (undone.length > 0) libraryChanged();
      return { batch, undone: undone.length, failed: failures.slice(0, MAX_FAILURES) };
    },
  ),
];
