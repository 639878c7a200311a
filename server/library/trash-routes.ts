// The trash over REST.
import { z } from 'zod';
import { TrackIdIn } from '../db/ids.ts';
import { idParam, pagedOf, pageQuery, toPaged } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import { isoTime, toIso } from '../http/times.ts';
import type { LibraryService } from './service.ts';
import { KEPT_MS, type Trash, type TrashedTrack } from './trash.ts';
import { toTrackOut } from './wire-maps.ts';
import { TrackOut } from './wire.ts';

export const TrashedTrackOut = z
  .object({
    id: z.int().meta({ description: 'of the track, before and after' }),
    title: z.string(),
    artist_name: z.string().nullable(),
    album_title: z.string().nullable(),
    source: z.string(),
    size_bytes: z.int().nullable(),
    deleted_at: isoTime,
    deleted_by_id: z.int().nullable(),
    deleted_by_name: z.string().nullable(),
    expires_at: isoTime.meta({ description: 'when it is gone for good' }),
  })
  .meta({ id: 'TrashedTrackOut' });
export type TrashedTrackOut = z.output<typeof TrashedTrackOut>;
export const TrashPage = pagedOf(TrashedTrackOut).meta({ id: 'PagedTrashedTracks' });
export type TrashPage = z.output<typeof TrashPage>;

const toTrashedTrackOut = (track: TrashedTrack): TrashedTrackOut => ({
  id: track.id,
  title: track.title,
  artist_name: track.artistName,
  album_title: track.albumTitle,
  source: track.source,
  size_bytes: track.sizeBytes,
  deleted_at: toIso(track.deletedAt),
  deleted_by_id: track.deletedBy,
  deleted_by_name: track.deletedByName,
  expires_at: toIso(new Date(track.deletedAt.getTime() + KEPT_MS)),
});

export interface TrashRouteDeps {
  trash: Trash;
  library: Pick<LibraryService, 'getTrack'>;
  libraryChanged: () => void;
}

export const trashRoutes = ({ trash, library, libraryChanged }: TrashRouteDeps): Route[] => [
  route(
    {
      method: 'get',
      path: '/trash',
      access: 'user',
      summary: 'Deleted tracks, latest first: all for those who may edit, else what you deleted or brought in',
      query: z.object(pageQuery),
      reply: TrashPage,
    },
    ({ user, query }) => toPaged(trash.list(user, query), query, toTrashedTrackOut),
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
    ({ user, params }) => {
      trash.restoreFor(user, params.id);
      libraryChanged();
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
