// Shares: music for people without an account. The link has a random token and gives access to the tracks of the share
// only, until the share expires or is deleted.
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { MainDb } from '../db/client.ts';
import type { ShareId, TrackId, UserId } from '../db/ids.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { OpenAnswers } from '../http/open-answers.ts';
import { inSlices, mapInSlices } from '../runtime/time-slices.ts';
import { createShareQueries, type OpenShare, type ShareRow } from './queries.ts';

export interface ShareSummary extends ShareRow {
  trackIds: TrackId[];
}
interface ShareDetails {
  description: string | null;
  expiresAt: Date | null;
}

const TOKEN_BYTES = 17;
/** Maximum number of tracks of one share. */
export const MAX_SHARED_TRACKS = 5_000;
/** Maximum number of shares of one account. */
const MAX_SHARES = 1_000;
const MAX_DESCRIPTION_CHARACTERS = 1_000;

export type ShareService = ReturnType<typeof createShareService>;

interface ShareServiceDeps {
  db: MainDb;
  now: () => Date;
  openAnswers: Pick<OpenAnswers, 'track' | 'recheck'>;
}

export function createShareService({ db, now, openAnswers }: ShareServiceDeps) {
  const queries = createShareQueries(db);
  const withTracks = (row: ShareRow): ShareSummary => ({
    ...row,
    trackIds: queries.listTracks(row.id).map(({ trackId }) => trackId),
  });
  const findOpen = (token: string): OpenShare | undefined => queries.findOpen(token, now());

  return {
    list: (userId: UserId): Promise<ShareSummary[]> => mapInSlices(queries.list(userId), withTracks),

    /** Shares these tracks; tracks added to an album later are not in the share. Throws `invalid` and `conflict`. */
    async create(
      userId: UserId,
      trackIds: readonly TrackId[],
      { description, expiresAt }: ShareDetails,
    ): Promise<ShareSummary> {
      if (trackIds.length === 0 || trackIds.length > MAX_SHARED_TRACKS)
        throw invalid([{ field: 'track_ids', message: `must be 1 to ${MAX_SHARED_TRACKS}` }]);
      if (queries.countOf(userId) >= MAX_SHARES)
        throw conflict(`An account may have ${MAX_SHARES} shares at most. Delete some.`);
      const share = queries.insert({
        token: randomBytes(TOKEN_BYTES).toString('base64url'),
        userId,
        description: shortened(description),
        expiresAt,
        createdAt: now(),
      });
      try {
        await inSlices(
          trackIds.entries(),
          ([position, trackId]) => queries.insertTrack(share.id, position, trackId),
          (work) => db.transaction(work, { behavior: 'immediate' }),
        );
      } catch (error) {
        queries.deleteOf(userId, share.id);
        throw error;
      }
      return { ...share, trackIds: [...trackIds] };
    },

    /** Updates a share; undefined fields stay as they are. Throws `not_found`, also for the share of another user. */
    update(userId: UserId, id: ShareId, { description, expiresAt }: Partial<ShareDetails>): void {
      const changes = {
        ...(description !== undefined && { description: shortened(description) }),
        ...(expiresAt !== undefined && { expiresAt }),
      };
      const isOwnShare =
        Object.keys(changes).length === 0 ? queries.isOfUser(userId, id) : queries.update(userId, id, changes);
      if (!isOwnShare) throw notFound('share', id);
      openAnswers.recheck(userId);
    },

    /** Deletes a share and ends its running streams and downloads. */
    remove(userId: UserId, id: ShareId): void {
      if (!queries.deleteOf(userId, id)) throw notFound('share', id);
      openAnswers.recheck(userId);
    },

    /**
     * Registers a response with audio of the share, which ends with the share, or when the owner loses the right to
     * share.
     */
    noteOpen(res: ServerResponse, { token, userId }: Pick<ShareRow, 'token' | 'userId'>, isSaving: boolean): void {
      openAnswers.track(res, userId, () => {
        const openShare = findOpen(token);
        return openShare !== undefined && (openShare.mayDownload || !isSaving);
      });
    },

    /** Finds a share and counts the visit. Throws `not_found`, also for a share that expired or was deleted. */
    visit(token: string): ShareSummary & { mayDownload: boolean } {
      const openShare = findOpen(token);
      if (!openShare) throw notFound('share');
      queries.countVisit(openShare.share.id, now());
      return { ...withTracks(openShare.share), mayDownload: openShare.mayDownload };
    },

    /** Returns all tracks for a download. Throws `not_found`, also when the owner may not download. */
    getForDownload(token: string): ShareSummary & { maxKbps: number | null } {
      const openShare = findOpen(token);
      if (!openShare?.mayDownload) throw notFound('share');
      return { ...withTracks(openShare.share), maxKbps: openShare.maxKbps };
    },

    /** Returns the track at a position of the share, with the bit rate limit of its owner. Throws `not_found`. */
    trackAt(token: string, position: number): { share: ShareRow; trackId: TrackId; maxKbps: number | null } {
      const openShare = findOpen(token);
      const trackId = openShare && queries.findTrackAt(openShare.share.id, position);
      if (!openShare || trackId === undefined) throw notFound('share');
      return { share: openShare.share, trackId, maxKbps: openShare.maxKbps };
    },

    positionsOf: (id: ShareId): number[] => queries.listTracks(id).map(({ position }) => position),
  };
}

const shortened = (text: string | null): string | null => text?.slice(0, MAX_DESCRIPTION_CHARACTERS) ?? null;
