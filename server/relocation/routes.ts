// REST API of missing tracks: candidates for their audio, and relocation to one of them.
import { TrackIdIn } from '../db/ids.ts';
import { idParam } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import type { Editing } from '../library/edits/edit-rights.ts';
import { toTrackOut } from '../library/wire-maps.ts';
import { TrackOut } from '../library/wire.ts';
import type { Relocation } from './service.ts';
import { CertainOut, RelocateIn, Replacements } from './wire.ts';

const TrackParam = idParam(TrackIdIn);

interface RelocationRouteDeps {
  relocation: Relocation;
  editing: Editing;
  libraryChanged: () => void;
}

export const relocationRoutes = ({ relocation, editing, libraryChanged }: RelocationRouteDeps): Route[] => [
  route(
    {
      method: 'get',
      path: '/tracks/:id/replacements',
      access: 'user',
      summary: 'Tracks that a missing track may be now, best first; none for one that is not missing',
      params: TrackParam,
      reply: Replacements,
    },
    ({ user, params }) =>
      relocation
        .list(user.id, params.id)
        .map(({ track, why, isCertain }) => ({ track: toTrackOut(track), why, is_certain: isCertain })),
  ),

  route(
    {
      method: 'get',
      path: '/missing/certain',
      access: 'user',
      summary: 'How many missing tracks have a replacement that is certain',
      reply: CertainOut,
    },
    async () => ({ total: await relocation.countCertain() }),
  ),

  route(
    {
      method: 'post',
      path: '/missing/certain',
      access: 'user',
      right: 'canEdit',
      summary: 'Let all missing tracks whose replacement is certain take over its file',
      reply: CertainOut,
    },
    async ({ user }) => {
      const total = await relocation.relocateCertain(user.id);
      if (total > 0) libraryChanged();
      return { total };
    },
  ),

  route(
    {
      method: 'post',
      path: '/tracks/:id/relocate',
      problems: ['gone'],
      access: 'user',
      right: 'canEdit',
      orOwn: true,
      summary: 'Let a missing track take over the file of another track, which is removed',
      params: TrackParam,
      body: RelocateIn,
      reply: TrackOut,
    },
    ({ user, params, body }) => {
      editing.assertTracks(user, [params.id, body.track_id]);
      const track = relocation.relocate(user.id, params.id, body.track_id);
      libraryChanged();
      return toTrackOut(track);
    },
  ),
];
