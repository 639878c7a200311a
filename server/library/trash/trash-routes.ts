// REST API of the trash.
import { z } from 'zod';
import { TrackIdIn, type TrackId } from '../../db/ids.ts';
import { idList } from '../../http/body.ts';
import { idParam, pageQuery, toPaged } from '../../http/paging.ts';
import { route, type Route } from '../../http/route.ts';
import { toIso } from '../../http/times.ts';
import type { LibraryService } from '../service.ts';
import { TRASH_RETENTION_MS, type Trash, type TrashedTrack } from './trash.ts';
import { toTrackOut } from '../wire-maps.ts';
import { DeletedOut, RestoredOut, TrackOut, TrashPage, type TrashedTrackOut } from '../wire.ts';

/** The number of ids in one request. */
const MAX_IDS = 200_000;
const TracksToRestore = z
  .strictObject({ track_ids: idList<TrackId>(MAX_IDS, { least: 1 }) })
  .meta({ id: 'TrashedIds' });
const TracksToDelete = z
  .strictObject({ track_ids: idList<TrackId>(MAX_IDS, { description: 'without it all of the trash' }).optional() })
  .meta({ id: 'TrashedIdsOrAll' });

const toTrashedTrackOut = (track: TrashedTrack, mayDelete: boolean): TrashedTrackOut => ({
  id: track.id,
  title: track.title,
  artist_name: track.artistName,
  album_title: track.albumTitle,
  source: track.source,
  size_bytes: track.sizeBytes,
  deleted_at: toIso(track.deletedAt),
  deleted_by_id: track.deletedBy,
  deleted_by_name: track.deletedByName,
  expires_at: toIso(new Date(track.deletedAt.getTime() + TRASH_RETENTION_MS)),
  may_delete: mayDelete,
});

interface TrashRouteDeps {
  trash: Trash;
  library: Pick<LibraryService, 'getTrack'>;
  /** Called after tracks were restored. */
  onRestored: () => void;
}

export const trashRoutes = ({ trash, library, onRestored }: TrashRouteDeps): Route[] => [
  route(
    {
      method: 'get',
      path: '/trash',
      access: 'user',
      summary: 'Deleted tracks, latest first: all for those who may edit, else what you deleted or brought in',
      query: z.object(pageQuery),
      reply: TrashPage,
    },
    ({ user, query }) => {
      const trashPage = trash.list(user, query);
      const page = toPaged(trashPage, query, (track) => toTrashedTrackOut(track, trash.mayDelete(user, track)));
      return { ...page, size_bytes: trashPage.sizeBytes };
    },
  ),

  route(
    {
      method: 'post',
      path: '/trash/restore',
      access: 'user',
      summary: 'Bring many deleted tracks back; what cannot be restored stays and is told with the reason',
      body: TracksToRestore,
      longLists: ['track_ids'],
      reply: RestoredOut,
    },
    async ({ user, body }) => {
      const outcome = await trash.restoreMany(user, body.track_ids);
      if (outcome.restored > 0) onRestored();
      return outcome;
    },
  ),

  route(
    {
      method: 'post',
      path: '/trash/empty',
      access: 'user',
      makesRoom: true,
      summary: 'Delete many tracks of the trash for good, or all: those that you may delete',
      body: TracksToDelete,
      strict: true,
      longLists: ['track_ids'],
      reply: DeletedOut,
    },
    async ({ user, body }) => ({ deleted: await trash.deleteMany(user, body.track_ids) }),
  ),

  route(
    {
      method: 'post',
      path: '/trash/:id/restore',
      access: 'user',
      summary: 'Bring a deleted track back, with its id, likes, plays and playlist entries',
      params: idParam(TrackIdIn),
      reply: TrackOut,
    },
    async ({ user, params }) => {
      await trash.restoreFor(user, params.id);
      onRestored();
      return toTrackOut(library.getTrack(user.id, params.id));
    },
  ),

  route(
    {
      method: 'delete',
      path: '/trash/:id',
      access: 'user',
      summary: 'Delete a track for good, with its stored audio',
      params: idParam(TrackIdIn),
    },
    ({ user, params }) => trash.deleteNow(user, params.id),
  ),
];
