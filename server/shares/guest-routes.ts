// Serves GET /share/:token and what is below it: the only music that is served without authentication.
import type { Request, Response } from 'express';
import { z } from 'zod';
import { callerOf } from '../auth/authenticate.ts';
import type { CoversOffer } from '../covers/module.ts';
import { COVER_MIMES } from '../covers/picture.ts';
import { sendCover } from '../covers/send-cover.ts';
import { CoverQuery } from '../covers/wire.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import { AppError, notFound } from '../errors.ts';
import { queryBool } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import { Pieces } from '../http/streamed-lists.ts';
import type { LibraryService } from '../library/service.ts';
import { AUDIO_CONTENT_TYPES } from '../media/audio-formats.ts';
import { waitForTurn } from '../runtime/time-slices.ts';
import { PLAYABLE } from '../streaming/direct-or-transcoded.ts';
import type { StreamingService } from '../streaming/service.ts';
import { ZipFormat } from '../zips/routes.ts';
import type { ZipService } from '../zips/service.ts';
import { givePass, readPass } from './guest-pass.ts';
import { sendSharePage, wantsPage } from './page.ts';
import type { GuestShare, ShareService } from './service.ts';
import {
  GuestShareOut,
  nameFrom,
  SharePassword,
  toGuestShareOut,
  toGuestTrackOut,
  type GuestTrackOut,
} from './wire.ts';

/** Of any form: an address that was cut off or mistyped gets the page that says so. */
const token = z.string();
const TRACKS_PER_PIECE = 100;
/** A preview looks at the first tracks only, because a share may have thousands without a cover. */
const MAX_TRACKS_FOR_COVER = 50;
const PREVIEW_SIZE = 600;
const ShareParam = z.object({ token });
const ShareTrackParam = z.object({
  token,
  position: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number),
});
const GuestCoverQuery = CoverQuery.pick({ size: true });

interface GuestRouteDeps {
  shares: ShareService;
  library: Pick<LibraryService, 'tracksById'>;
  covers: CoversOffer['covers'];
  streaming: StreamingService;
  zips: ZipService;
  usernameOf: (userId: UserId) => string;
  /** Folder of the built web interface. */
  rendererDir: string;
}

export function guestRoutes({
  shares,
  library,
  covers,
  streaming,
  zips,
  usernameOf,
  rendererDir,
}: GuestRouteDeps): Route[] {
  const firstTrackOf = ({ share }: GuestShare) => {
    const first = shares.tracksOf(share.id, 1)[0];
    return first && library.tracksById(share.userId, [first.trackId])[0];
  };
  const findCover = ({ share }: GuestShare) =>
    shares
      .tracksOf(share.id, MAX_TRACKS_FOR_COVER)
      .map(({ trackId }) => covers.find.ofTrack(trackId))
      .find((cover) => cover !== undefined);

  /** Sends the page in the state that the share has for this guest. */
  async function sendPage(req: Request, res: Response, token: string): Promise<void> {
    const seen = shares.look(token, readPass(req));
    const openShare = seen.state === 'open' ? seen.share : undefined;
    const extent = openShare && shares.extentOf(openShare.share.id);
    const firstTrack = openShare && firstTrackOf(openShare);
    await sendSharePage(req, res, rendererDir, {
      token,
      state: seen.state,
      expiresAt: seen.state === 'expired' ? seen.share?.share.expiresAt : undefined,
      preview:
        openShare && extent && openShare.share.passwordHash === null
          ? {
              name: openShare.share.description ?? nameFrom(extent, firstTrack),
              artistName: extent.albumId === null ? null : (firstTrack?.albumArtistName ?? null),
              trackCount: extent.trackCount,
              hasCover: findCover(openShare) !== undefined,
            }
          : undefined,
    });
  }

  /** Runs the work; a browser that opens the address of a share without access gets the page, which says why. */
  async function orPage(req: Request, res: Response, token: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const isAbout = error instanceof AppError && ['not_found', 'gone', 'forbidden'].includes(error.code);
      if (!isAbout || res.headersSent || !wantsPage(req) || shares.look(token, readPass(req)).state === 'open')
        throw error;
      await sendPage(req, res, token);
    }
  }

  async function* tracksOf({ share: { id, userId } }: GuestShare): AsyncGenerator<GuestTrackOut[]> {
    const places = shares.tracksOf(id);
    const coverPositions = new Map<string, number>();
    for (let offset = 0; offset < places.length; offset += TRACKS_PER_PIECE) {
      const part = places.slice(offset, offset + TRACKS_PER_PIECE);
      const byId = new Map(
        library
          .tracksById(
            userId,
            part.map(({ trackId }) => trackId),
          )
          .map((track) => [track.id, track]),
      );
      yield part.flatMap(({ position, trackId }) => {
        const track = byId.get(trackId);
        if (!track) return [];
        const coverKey = track.coverEtag ?? `track ${trackId}`;
        if (track.hasCover && !coverPositions.has(coverKey)) coverPositions.set(coverKey, position);
        return [toGuestTrackOut(position, track.hasCover ? (coverPositions.get(coverKey) ?? null) : null, track)];
      });
      await waitForTurn();
    }
  }

  const sendPicture = async (
    req: Request,
    res: Response,
    trackId: TrackId | undefined,
    size: number | undefined,
  ): Promise<void> => {
    const cover = trackId === undefined ? undefined : covers.find.ofTrack(trackId);
    if (!cover) throw notFound('cover');
    await sendCover(covers, req, res, cover, size ?? PREVIEW_SIZE, { cacheControl: 'private, no-cache' });
  };

  return [
    route(
      {
        method: 'get',
        path: '/share/:token',
        access: 'public',
        params: ShareParam,
        summary: 'The page of a share',
        problems: ['gone'],
        produces: ['text/html'],
      },
      async ({ params, req, res }) => {
        const { state } = shares.look(params.token, readPass(req));
        const isDead = state !== 'open' && state !== 'locked';
        if (isDead && !wantsPage(req)) shares.getUnlocked(params.token, readPass(req)); // throws the reason
        await sendPage(req, res, params.token);
      },
    ),

    route(
      {
        method: 'get',
        path: '/share/:token/content',
        access: 'public',
        params: ShareParam,
        summary: 'What is shared; counts a visit',
        problems: ['gone'],
        reply: GuestShareOut,
        secret: true,
      },
      ({ params, req }) => {
        const guestShare = shares.visit(params.token, readPass(req));
        const { id, userId } = guestShare.share;
        const fields = toGuestShareOut(guestShare, shares.extentOf(id), firstTrackOf(guestShare), usernameOf(userId));
        return { ...fields, tracks: new Pieces(tracksOf(guestShare)) };
      },
    ),

    route(
      {
        method: 'post',
        path: '/share/:token/password',
        access: 'public',
        params: ShareParam,
        body: SharePassword,
        summary: 'Enter the password of a share; a cookie for its addresses then opens it',
        problems: ['gone'],
      },
      async ({ params, body, req, res }) =>
        givePass(req, res, await shares.unlock(params.token, body.password, callerOf(req))),
    ),

    route(
      {
        method: 'get',
        path: '/share/:token/cover',
        access: 'public',
        params: ShareParam,
        query: GuestCoverQuery,
        summary: 'The cover of a share, for previews in messengers',
        status: [200, 206, 304],
        problems: ['gone'],
        produces: ['image/jpeg'],
      },
      async ({ params, query, req, res }) => {
        const cover = findCover(shares.getUnlocked(params.token, readPass(req)));
        if (!cover) throw notFound('cover');
        res.set('Cross-Origin-Resource-Policy', 'cross-origin');
        await sendCover(covers, req, res, cover, query.size ?? PREVIEW_SIZE, {
          format: 'jpeg',
          cacheControl: 'private, no-cache',
        });
      },
    ),

    route(
      {
        method: 'get',
        path: '/share/:token/zip',
        access: 'public',
        params: ShareParam,
        query: z.object({ format: ZipFormat }),
        summary: 'All tracks of a share as a zip, if guests may save them',
        status: [200, 206, 304],
        problems: ['conflict', 'gone'],
        produces: ['application/zip'],
      },
      ({ params, query, req, res, signal }) =>
        orPage(req, res, params.token, async () => {
          const guestShare = shares.getForDownload(params.token, readPass(req));
          const { share, trackIds, maxKbps } = guestShare;
          shares.noteOpen(res, share, true);
          const name =
            share.description ?? nameFrom(shares.extentOf(share.id), firstTrackOf(guestShare)) ?? 'Shared music';
          const wish = { format: query.format, maxKbps };
          await zips.send(req, res, { userId: share.userId, zipped: { trackIds, name }, wish }, signal);
        }),
    ),

    route(
      {
        method: 'get',
        path: '/share/:token/:position',
        access: 'public',
        params: ShareTrackParam,
        query: z.object({
          save: queryBool.default(false).meta({ description: 'send the original as a file, if guests may save it' }),
          format: z
            .enum(['mp3'])
            .optional()
            .meta({ description: 'convert the track, for browsers that cannot play it' }),
        }),
        summary: 'A shared track',
        status: [200, 206, 304],
        problems: ['conflict', 'gone'],
        produces: AUDIO_CONTENT_TYPES,
      },
      ({ params, query: { save, format }, req, res, signal }) =>
        orPage(req, res, params.token, async () => {
          const { share, trackId, maxKbps, maySave } = shares.trackAt(params.token, params.position, readPass(req));
          if (save && !maySave) throw notFound('download');
          shares.noteOpen(res, share, save);
          const listener = `share ${share.id}`;
          await (save
            ? streaming.send(req, res, trackId, { maxKbps, listener, download: true }, signal)
            : streaming.send(req, res, trackId, { format: format ?? PLAYABLE, maxKbps, listener }, signal));
        }),
    ),

    route(
      {
        method: 'get',
        path: '/share/:token/:position/cover',
        access: 'public',
        params: ShareTrackParam,
        query: GuestCoverQuery,
        summary: 'The cover of a shared track',
        status: [200, 206, 304],
        problems: ['gone'],
        produces: COVER_MIMES,
      },
      ({ params, query, req, res }) =>
        sendPicture(req, res, shares.trackAt(params.token, params.position, readPass(req)).trackId, query.size),
    ),

    route(
      {
        method: 'post',
        path: '/share/:token/:position/plays',
        access: 'public',
        params: ShareTrackParam,
        summary: 'Count a play of a shared track, for the owner of the share; no history has it',
        problems: ['gone'],
      },
      ({ params, req }) => shares.countPlay(shares.trackAt(params.token, params.position, readPass(req)).share.id),
    ),
  ];
}
