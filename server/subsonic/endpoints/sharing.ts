// Endpoints of shares (public links).
import type { ShareId, TrackId, UserId } from '../../db/ids.ts';
import { invalid } from '../../errors.ts';
import { baseOf } from '../../http/base-url.ts';
import type { LibraryService } from '../../library/service.ts';
import { waitForTurn } from '../../runtime/time-slices.ts';
import { MAX_SHARED_TRACKS, type ShareService, type ShareSummary } from '../../shares/service.ts';
import { requireRight, EMPTY_PAYLOAD, secretEndpoint, userEndpoint, type Call, type Endpoints } from '../endpoint.ts';
import { Fault, noneExists } from '../errors.ts';
import { idOf, toId, type ItemId } from '../ids.ts';
import type { Items } from '../items.ts';
import { listOfIds } from '../list-slices.ts';
import { toTime, type Params } from '../params.ts';
import type { Fields } from '../xml.ts';

export interface SharingDeps {
  shares: ShareService;
  library: LibraryService;
  items: Pick<Items, 'findItem' | 'countOf' | 'tracksOf'>;
  now: () => Date;
}

export function sharingEndpoints({
  shares,
  library,
  items: { findItem, countOf, tracksOf },
  now,
}: SharingDeps): Endpoints {
  /**
   * Returns the tracks to share; unknown ids are left out. Throws `invalid` as soon as there are more tracks than a
   * share may hold, and 70 if none is left.
   */
  async function listSharedTracks(userId: UserId, texts: readonly string[]): Promise<TrackId[]> {
    const tooManySongs = (count: number): Error =>
      invalid([
        { field: 'id', message: `may stand for at most ${MAX_SHARED_TRACKS} songs, and stands for ${count} or more` },
      ]);
    if (texts.length > MAX_SHARED_TRACKS) throw tooManySongs(texts.length);
    const sharedItems: ItemId[] = [];
    let count = 0;
    for (const text of texts) {
      if (sharedItems.length % IDS_PER_TURN === 0) await waitForTurn();
      const item = findItem(text);
      const itemCount = item ? await countOf(userId, item) : 0;
      if (!item || itemCount === 0) continue;
      count += itemCount;
      if (count > MAX_SHARED_TRACKS) throw tooManySongs(count);
      sharedItems.push(item);
    }
    if (count === 0) throw noneExists('song, album, artist, playlist or folder', texts);
    const trackIds: TrackId[] = [];
    for (const item of sharedItems) for await (const id of tracksOf(userId, item)) trackIds.push(id);
    return trackIds;
  }

  function toShare({ user: { id, username }, shapes, req }: Call, share: ShareSummary): Fields {
    return {
      id: toId('share', share.id),
      url: `${baseOf(req)}/share/${share.token}`,
      description: share.description ?? undefined,
      username,
      created: share.createdAt,
      expires: share.expiresAt ?? undefined,
      lastVisited: share.lastVisitedAt ?? undefined,
      visitCount: share.visitCount,
      entry: listOfIds(
        share.trackIds,
        (ids) => library.tracksById(id, ids),
        (track) => shapes.song(track),
      ),
    };
  }

  return {
    getShares: secretEndpoint(
      userEndpoint(async (call) => ({
        shares: { share: (await shares.list(call.user.id)).map((share) => toShare(call, share)) },
      })),
    ),

    createShare: requireRight(
      'canShare',
      secretEndpoint(
        userEndpoint(async (call) => {
          const {
            params,
            user: { id },
          } = call;
          params.required('id');
          const expiresAt = expiryOf(params) ?? null;
          if (expiresAt && expiresAt <= now())
            throw new Fault(0, `The parameter expires is in the past (${expiresAt.toISOString()}).`);
          const share = await shares.create(id, await listSharedTracks(id, params.all('id')), {
            description: params.text('description') ?? null,
            expiresAt,
          });
          return { shares: { share: [toShare(call, share)] } };
        }),
      ),
    ),

    updateShare: requireRight(
      'canShare',
      // a time in the past ends the share
      userEndpoint(async ({ params, user: { id } }) => {
        const shareId: ShareId = idOf('share', params.required('id'));
        await shares.update(id, shareId, {
          ...(params.has('description') && { description: params.text('description') ?? null }),
          ...(params.text('expires') !== undefined && { expiresAt: expiryOf(params) ?? null }),
        });
        return EMPTY_PAYLOAD;
      }),
    ),

    deleteShare: userEndpoint(({ params, user: { id } }) => {
      shares.remove(id, idOf('share', params.required('id')));
      return EMPTY_PAYLOAD;
    }),
  };
}

const IDS_PER_TURN = 20;

/** Returns the expiry; undefined for `expires=0` and `expires=-1`, which mean never. */
function expiryOf(params: Params): Date | undefined {
  const text = params.text('expires');
  return text === undefined || Number(text) <= 0 ? undefined : toTime('expires', text);
}
