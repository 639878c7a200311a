// REST API of duplicates.
import { toPaged } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import type { Editing } from '../library/edits/edit-rights.ts';
import { toTrackOut } from '../library/wire-maps.ts';
import { TrackOut } from '../library/wire.ts';
import { DismissIn, DuplicatePage, DuplicateQuery, MergeIn, toDuplicateGroupOut } from './duplicate-wire.ts';
import type { DuplicateService } from './duplicates.ts';

interface DuplicateRouteDeps {
  duplicates: DuplicateService;
  editing: Editing;
  libraryChanged: () => void;
}

export const duplicateRoutes = ({ duplicates, editing, libraryChanged }: DuplicateRouteDeps): Route[] => [
  route(
    {
      method: 'get',
      path: '/duplicates',
      access: 'user',
      summary: 'Groups of tracks with matching fingerprints, newest first',
      query: DuplicateQuery,
      reply: DuplicatePage,
    },
    ({ user, query }) => toPaged(duplicates.listGroups(user.id, query), query, toDuplicateGroupOut),
  ),

  route(
    {
      method: 'post',
      path: '/duplicates/merge',
      access: 'user',
      right: 'canEdit',
      orOwn: true,
      summary: 'Merge duplicates into one track; likes, plays and playlist entries move along',
      body: MergeIn,
      strict: true,
      reply: TrackOut,
    },
    ({ user, body }) => {
      editing.assertTracks(user, [body.keep, ...body.merge]);
      const track = duplicates.mergeTracks(user.id, body.keep, body.merge);
      libraryChanged();
      return toTrackOut(track);
    },
  ),

  route(
    {
      method: 'post',
      path: '/duplicates/dismiss',
      access: 'user',
      right: 'canEdit',
      orOwn: true,
      summary: 'Mark a track as not the same as others',
      body: DismissIn,
    },
    ({ user, body }) => {
      editing.assertTracks(user, [body.track_id, ...body.other_ids]);
      duplicates.dismiss(user.id, body.track_id, body.other_ids);
      libraryChanged();
    },
  ),
];
