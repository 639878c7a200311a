// REST API of shares, for their owners.
import { ShareIdIn, type UserId } from '../db/ids.ts';
import { invalid } from '../errors.ts';
import { idParam } from '../http/paging.ts';
import { route, type Principal, type Route } from '../http/route.ts';
import type { LibraryService } from '../library/service.ts';
import type { ListedShare, ShareService } from './service.ts';
import { ShareIn, ShareList, ShareOut, ShareUpdate, toShareOut } from './wire.ts';

interface ShareRouteDeps {
  shares: ShareService;
  library: Pick<LibraryService, 'tracksById' | 'findExistingTracks'>;
}

const ShareParam = idParam(ShareIdIn);

export function shareRoutes({ shares, library }: ShareRouteDeps): Route[] {
  const toOut = (userId: UserId, listed: ListedShare): ShareOut =>
    toShareOut(
      listed,
      listed.firstTrackId === undefined ? undefined : library.tracksById(userId, [listed.firstTrackId])[0],
    );
  const mayShare = ({ isSuperuser, rights }: Principal): boolean => isSuperuser || rights.canShare;

  return [
    route(
      {
        method: 'get',
        path: '/shares',
        access: 'user',
        summary: 'Own shares, the newest first; also those that Subsonic clients made',
        reply: ShareList,
        secret: true,
      },
      async ({ user }) => (await shares.listForOwner(user.id, mayShare(user))).map((listed) => toOut(user.id, listed)),
    ),
    route(
      {
        method: 'post',
        path: '/shares',
        access: 'user',
        right: 'canShare',
        summary: 'Share tracks with people without an account; what is added to an album later is not shared',
        body: ShareIn,
        longLists: ['track_ids'],
        reply: ShareOut,
        status: [201],
        secret: true,
      },
      async ({ user, body: { trackIds, details } }) => {
        const existingIds = await library.findExistingTracks(trackIds);
        const unknownId = trackIds.find((id) => !existingIds.has(id));
        if (unknownId !== undefined) throw invalid([{ field: 'track_ids', message: `there is no track ${unknownId}` }]);
        const { id } = await shares.create(user.id, trackIds, details);
        return toOut(user.id, shares.getForOwner(user.id, id, true));
      },
    ),
    route(
      {
        method: 'patch',
        path: '/shares/:id',
        access: 'user',
        right: 'canShare',
        summary: 'Change a share, end it, or open it again at the same address',
        params: ShareParam,
        body: ShareUpdate,
        reply: ShareOut,
        secret: true,
      },
      async ({ user, params, body }) => {
        await shares.update(user.id, params.id, body);
        return toOut(user.id, shares.getForOwner(user.id, params.id, true));
      },
    ),
    route(
      { method: 'delete', path: '/shares/:id', access: 'user', summary: 'Delete a share', params: ShareParam },
      ({ user, params }) => shares.remove(user.id, params.id),
    ),
  ];
}
