// Endpoints of shares (public links).
import type { ShareId, TrackId, UserId } from '../../db/ids.ts';
import { notFound } from '../../errors.ts';
import type { LibraryService } from '../../library/service.ts';
import type { PlaylistService } from '../../playlists/service.ts';
import type { ShareService, ShareSummary } from '../../shares/service.ts';
import { needs, NOTHING, user, type Call, type Endpoints } from '../endpoint.ts';
import { anyId, idOf, toId } from '../ids.ts';
import { ALL, rowsOf } from '../list-slices.ts';
import { toTime, type Params } from '../params.ts';
import { baseOf } from '../urls.ts';
import type { Fields } from '../xml.ts';

export interface SharingDeps {
  shares: ShareService;
  library: LibraryService;
  playlists: Pick<PlaylistService, 'get' | 'allEntries'>;
}

export function sharingEndpoints({ shares, library, playlists }: SharingDeps): Endpoints {
  async function tracksOf(userId: UserId, text: string): Promise<TrackId[]> {
    const item = anyId(text);
    if (item.kind === 'track') return [library.getTrack(userId, item.id).id];
    if (item.kind === 'album')
      return (
        await library.listTracks(userId, { albumId: library.getAlbum(userId, item.id).id }, { sort: 'album' }, ALL)
      ).items.map(({ id }) => id);
    if (item.kind === 'playlist') {
      const ids: TrackId[] = [];
      for await (const part of playlists.allEntries(userId, await playlists.get(userId, item.id)))
        ids.push(...part.map(({ track }) => track.id));
      return ids;
    }
    throw notFound('song, album or playlist', text);
  }

  async function toShare({ user: { id, username }, shapes, req }: Call, share: ShareSummary): Promise<Fields> {
    const tracks = await rowsOf(share.trackIds, (ids) => library.tracksById(id, ids));
    return {
      id: toId('share', share.id),
      url: `${baseOf(req)}/share/${share.token}`,
      description: share.description ?? undefined,
      username,
      created: share.createdAt,
      expires: share.expiresAt ?? undefined,
      lastVisited: share.lastVisitedAt ?? undefined,
      visitCount: share.visitCount,
      entry: tracks.map((track) => shapes.song(track)),
    };
  }

  return {
    getShares: user(async (call) => {
      const found: Fields[] = [];
      for (const share of shares.list(call.user.id)) found.push(await toShare(call, share));
      return { shares: { share: found } };
    }),

    createShare: needs(
      'canShare',
      user(async (call) => {
        const {
          params,
          user: { id },
        } = call;
        params.required('id');
        const trackIds = (
          await Promise.all(
            params
              .all('id')
              .slice(0, MOST_SHARED)
              .map((text) => tracksOf(id, text)),
          )
        ).flat();
        const share = shares.create(id, trackIds, {
          description: params.text('description') ?? null,
          expiresAt: expiryOf(params) ?? null,
        });
        return { shares: { share: [await toShare(call, share)] } };
      }),
    ),

    updateShare: needs(
      'canShare',
      user(({ params, user: { id } }) => {
        const shareId: ShareId = idOf('share', params.required('id'));
        shares.update(id, shareId, {
          ...(params.has('description') && { description: params.text('description') ?? null }),
          ...(params.int('expires') !== undefined && { expiresAt: expiryOf(params) ?? null }),
        });
        return NOTHING;
      }),
    ),

    deleteShare: user(({ params, user: { id } }) => {
      shares.remove(id, idOf('share', params.required('id')));
      return NOTHING;
    }),
  };
}

const MOST_SHARED = 1_000;

/** `expires=0` is never. */
function expiryOf(params: Params): Date | undefined {
  const ms = params.int('expires');
  return ms === undefined || ms <= 0 ? undefined : toTime('expires', ms);
}
