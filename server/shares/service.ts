// Shares: music for people without an account. The link has a random token and gives access to the tracks of the share
// only, until the share expires, ends or is deleted.
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { hashPassword, verifyPassword } from '../auth/passwords.ts';
import type { Caller } from '../auth/queries.ts';
import { createLimits } from '../auth/sign-in-limits.ts';
import type { MainDb } from '../db/client.ts';
import type { ShareId, TrackId, UserId } from '../db/ids.ts';
import type { ShareKind } from '../db/schema.ts';
import { AppError, conflict, forbidden, invalid, notFound } from '../errors.ts';
import type { OpenAnswers } from '../http/open-answers.ts';
import { inSlices, mapInSlices } from '../runtime/time-slices.ts';
import { opens } from './guest-pass.ts';
import { createShareQueries, type OwnedShare, type ShareExtent, type ShareRow } from './queries.ts';

export interface ShareSummary extends ShareRow {
  trackIds: TrackId[];
}
/** A share in the list of its owner. */
export interface ListedShare extends ShareExtent {
  share: ShareRow;
  state: ShareState;
  /** Undefined if all tracks were deleted. */
  firstTrackId: TrackId | undefined;
}
export interface ShareDetails {
  description: string | null;
  expiresAt: Date | null;
  maySave?: boolean;
  kind?: ShareKind | null;
  /** Null for no password. */
  password?: string | null;
}
/** A share that a guest opened. */
export interface GuestShare {
  share: ShareRow;
  maxKbps: number | null;
  /** Whether guests may save the audio: the share and the rights of its owner allow it. */
  maySave: boolean;
}
/** `ended` means that its owner ended it, or may no longer share; `expired`, that its time is over. */
export type ShareState = 'open' | 'expired' | 'ended';

const TOKEN_BYTES = 17;
/** Maximum number of tracks of one share. */
export const MAX_SHARED_TRACKS = 5_000;
/** Maximum number of shares of one account. */
const MAX_SHARES = 1_000;
const MAX_DESCRIPTION_CHARACTERS = 1_000;

const ENDED_DETAILS: Record<Exclude<ShareState, 'open'>, string> = {
  expired: 'This share has expired.',
  ended: 'This share was ended.',
};

export type ShareService = ReturnType<typeof createShareService>;

interface ShareServiceDeps {
  db: MainDb;
  now: () => Date;
  openAnswers: Pick<OpenAnswers, 'track' | 'recheck'>;
}

export function createShareService({ db, now, openAnswers }: ShareServiceDeps) {
  const queries = createShareQueries(db);
  /** Separate from the limits of signing in, so that guesses at a share lock no account out. */
  const passwordLimits = createLimits();
  const withTracks = (row: ShareRow): ShareSummary => ({
    ...row,
    trackIds: queries.listTracks(row.id).map(({ trackId }) => trackId),
  });
  const stateOf = ({ share: { expiresAt, endedAt }, mayShare }: OwnedShare): ShareState => {
    if (endedAt !== null || !mayShare) return 'ended';
    return expiresAt !== null && expiresAt <= now() ? 'expired' : 'open';
  };
  const toGuestShare = ({ share, maxKbps, mayDownload }: OwnedShare): GuestShare => ({
    share,
    maxKbps,
    maySave: mayDownload && share.maySave,
  });
  const toListed = (share: ShareRow, mayShare: boolean): ListedShare => ({
    share,
    state: stateOf({ share, mayShare, maxKbps: null, mayDownload: true }),
    firstTrackId: queries.listTracks(share.id, 1)[0]?.trackId,
    ...queries.extentOf(share.id),
  });

  /** Finds a share that may be opened. Throws `not_found`, and `gone` after its end. */
  function getOpen(token: string): OwnedShare {
    const ownedShare = queries.findByToken(token);
    if (!ownedShare) throw notFound('share');
    const state = stateOf(ownedShare);
    if (state !== 'open') throw new AppError('gone', ENDED_DETAILS[state]);
    return ownedShare;
  }

  /** Like `getOpen`. Throws `forbidden` if the guest has not entered the password. */
  function getUnlocked(token: string, pass: string | undefined): GuestShare {
    const ownedShare = getOpen(token);
    if (!opens(pass, ownedShare.share)) throw forbidden('This share has a password, which has to be entered first.');
    return toGuestShare(ownedShare);
  }

  return {
    list: (userId: UserId): Promise<ShareSummary[]> => mapInSlices(queries.list(userId), withTracks),
    /** Lists the shares of an account, the newest first. `mayShare` says whether the account has the right. */
    listForOwner: (userId: UserId, mayShare: boolean): Promise<ListedShare[]> =>
      mapInSlices(queries.listNewestFirst(userId), (share) => toListed(share, mayShare)),
    /** Returns a share of the account. Throws `not_found`, also for the share of another account. */
    getForOwner(userId: UserId, id: ShareId, mayShare: boolean): ListedShare {
      const share = queries.find(userId, id);
      if (!share) throw notFound('share', id);
      return toListed(share, mayShare);
    },

    /** Shares these tracks; tracks added to an album later are not in the share. Throws `invalid` and `conflict`. */
    async create(
      userId: UserId,
      trackIds: readonly TrackId[],
      { description, expiresAt, maySave = true, kind = null, password = null }: ShareDetails,
    ): Promise<ShareSummary> {
      if (trackIds.length === 0 || trackIds.length > MAX_SHARED_TRACKS)
        throw invalid([{ field: 'track_ids', message: `must be 1 to ${MAX_SHARED_TRACKS}` }]);
      if (queries.countOf(userId) >= MAX_SHARES)
        throw conflict(`An account may have ${MAX_SHARES} shares at most. Delete some.`);
      const share = queries.insert({
        token: randomBytes(TOKEN_BYTES).toString('base64url'),
        userId,
        kind,
        description: shortened(description),
        expiresAt,
        maySave,
        passwordHash: password === null ? null : await hashPassword(password),
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

    /**
     * Updates a share; undefined fields stay as they are. With a new expiry a share that was ended is open again.
     * Running streams that the change forbids are closed. Throws `not_found`, also for the share of another account.
     */
    async update(
      userId: UserId,
      id: ShareId,
      { description, expiresAt, maySave, password, isEnded }: Partial<ShareDetails> & { isEnded?: boolean },
    ): Promise<void> {
      const share = queries.find(userId, id);
      if (!share) throw notFound('share', id);
      const endedAt = isEnded === true ? (share.endedAt ?? now()) : null;
      const changes = {
        ...(description !== undefined && { description: shortened(description) }),
        ...(expiresAt !== undefined && { expiresAt }),
        ...(maySave !== undefined && { maySave }),
        ...(password !== undefined && { passwordHash: password === null ? null : await hashPassword(password) }),
        ...((isEnded !== undefined || expiresAt !== undefined) && { endedAt }),
      };
      if (Object.keys(changes).length > 0 && !queries.update(userId, id, changes)) throw notFound('share', id);
      openAnswers.recheck(userId);
    },

    /** Deletes a share and ends its running streams and downloads. */
    remove(userId: UserId, id: ShareId): void {
      if (!queries.deleteOf(userId, id)) throw notFound('share', id);
      openAnswers.recheck(userId);
    },

    /**
     * Registers a response with audio of the share, which ends with the share, when its password changes, or when the
     * owner loses the right to share.
     */
    noteOpen(
      res: ServerResponse,
      { token, userId, passwordHash }: Pick<ShareRow, 'token' | 'userId' | 'passwordHash'>,
      isSaving: boolean,
    ): void {
      openAnswers.track(res, userId, () => {
        const ownedShare = queries.findByToken(token);
        return (
          ownedShare !== undefined &&
          stateOf(ownedShare) === 'open' &&
          ownedShare.share.passwordHash === passwordHash &&
          (!isSaving || toGuestShare(ownedShare).maySave)
        );
      });
    },

    /** Returns what the page of a share shows first, without counting a visit. Never throws. */
    look(
      token: string,
      pass: string | undefined,
    ):
      | { state: 'open' | 'locked'; share: GuestShare }
      | { state: 'expired' | 'ended' | 'unknown'; share?: OwnedShare } {
      const ownedShare = queries.findByToken(token);
      if (!ownedShare) return { state: 'unknown' };
      const state = stateOf(ownedShare);
      if (state !== 'open') return { state, share: ownedShare };
      return { state: opens(pass, ownedShare.share) ? 'open' : 'locked', share: toGuestShare(ownedShare) };
    },

    /** Finds a share and counts the visit. Throws what `getUnlocked` throws. */
    visit(token: string, pass: string | undefined): GuestShare {
      const guestShare = getUnlocked(token, pass);
      queries.countVisit(guestShare.share.id, now());
      return guestShare;
    },

    /**
     * Returns the share if the password is right. Throws `forbidden`, `too_many_requests`, and what `getOpen` throws.
     */
    async unlock(token: string, password: string, caller: Caller): Promise<ShareRow> {
      const { share } = getOpen(token);
      const { passwordHash } = share;
      if (passwordHash === null) return share;
      const attempt = await passwordLimits.attempt(caller, token);
      if (!(await verifyPassword(passwordHash, password))) throw forbidden('The password of this share is wrong.');
      await attempt.succeeded();
      return share;
    },

    /** Returns all tracks for a download. Throws `not_found`, also when guests may not save. */
    getForDownload(token: string, pass: string | undefined): GuestShare & { trackIds: TrackId[] } {
      const guestShare = getUnlocked(token, pass);
      if (!guestShare.maySave) throw notFound('download');
      return { ...guestShare, trackIds: withTracks(guestShare.share).trackIds };
    },

    /** Returns the track at a position of the share. Throws `not_found`, and what `getUnlocked` throws. */
    trackAt(token: string, position: number, pass: string | undefined): GuestShare & { trackId: TrackId } {
      const guestShare = getUnlocked(token, pass);
      const trackId = queries.findTrackAt(guestShare.share.id, position);
      if (trackId === undefined) throw notFound('track');
      return { ...guestShare, trackId };
    },

    countPlay: queries.countPlay,
    tracksOf: queries.listTracks,
    extentOf: queries.extentOf,
    getUnlocked,
  };
}

const shortened = (text: string | null): string | null => text?.slice(0, MAX_DESCRIPTION_CHARACTERS) ?? null;
