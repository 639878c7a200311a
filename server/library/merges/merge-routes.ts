// REST API for the merges of the last 30 days, and their undo.
import { z } from 'zod';
import { TrackIdIn, type TrackId } from '../../db/ids.ts';
import { idParam, pageQuery, toPaged } from '../../http/paging.ts';
import { route, type Route } from '../../http/route.ts';
import { toIso } from '../../http/times.ts';
import { MergePage, type MergeOut } from './merge-wire.ts';
import type { Merges } from './merges.ts';
import type { PastMerge } from './carried-data.ts';
import type { LibraryService } from '../service.ts';
import type { TrackSummary } from '../lists/track-rows.ts';
import { TRASH_RETENTION_MS } from '../trash/trash.ts';
import { toTrackOut } from '../wire-maps.ts';
import { TrackOut } from '../wire.ts';

const toMergeOut = (merge: PastMerge, keptTrack: TrackSummary | undefined): MergeOut => ({
  id: merge.id,
  title: merge.title,
  artist_name: merge.artistName,
  album_title: merge.albumTitle,
  source: merge.source,
  source_id: merge.sourceId,
  into: keptTrack ? toTrackOut(keptTrack) : null,
  reason: merge.reason,
  merged_at: toIso(new Date(merge.deletedAt)),
  merged_by_name: merge.deletedByName,
  expires_at: toIso(new Date(merge.deletedAt + TRASH_RETENTION_MS)),
});

interface MergeRouteDeps {
  merges: Pick<Merges, 'list' | 'undo'>;
  library: Pick<LibraryService, 'getTrack' | 'tracksById'>;
  /** Checks whether the files of restored tracks exist. */
  lookForFiles: (ids: readonly TrackId[]) => Promise<void>;
  libraryChanged: () => void;
}

export const mergeRoutes = ({ merges, library, lookForFiles, libraryChanged }: MergeRouteDeps): Route[] => [
  route(
    {
      method: 'get',
      path: '/merges',
      access: 'user',
      summary: 'Tracks that became one with another in the last 30 days, latest first',
      query: z.object(pageQuery),
      reply: MergePage,
    },
    ({ user, query }) => {
      const page = merges.list(query);
      const ids = page.items.flatMap(({ mergedInto }) => mergedInto ?? []);
      const keptTracksById = new Map(library.tracksById(user.id, ids).map((track) => [track.id, track]));
      return toPaged(page, query, (merge) => toMergeOut(merge, keptTracksById.get(merge.mergedInto as never)));
    },
  ),

  route(
    {
      method: 'post',
      path: '/merges/:id/undo',
      problems: ['conflict'],
      access: 'user',
      right: 'canEdit',
      summary: 'Separate two tracks again: each gets back its file, likes, plays and playlist entries',
      params: idParam(TrackIdIn),
      reply: TrackOut,
    },
    async ({ user, params }) => {
      merges.undo(user.id, params.id);
      await lookForFiles([params.id]);
      libraryChanged();
      return toTrackOut(library.getTrack(user.id, params.id));
    },
  ),
];
