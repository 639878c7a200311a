// Serves GET /share/:token and the audio below it: the only music that is served without authentication.
import { z } from 'zod';
import type { UserId } from '../db/ids.ts';
import type { LibraryService } from '../library/service.ts';
import { sendText } from '../http/streamed-lists.ts';
import { route, type Route } from '../http/route.ts';
import { waitForTurn } from '../runtime/time-slices.ts';
import { AUDIO_CONTENT_TYPES } from '../media/audio-formats.ts';
import { PLAYABLE } from '../streaming/direct-or-transcoded.ts';
import type { StreamingService } from '../streaming/service.ts';
import { SHARE_POLICY, sharePage, type SharedTrack } from './page.ts';
import type { ShareService, ShareSummary } from './service.ts';
import { ZipFormat } from '../zips/routes.ts';
import type { ZipService } from '../zips/service.ts';

const token = z.string().regex(/^[\w-]{10,64}$/);
const TRACKS_PER_PIECE = 100;
const ShareParam = z.object({ token });
const ShareTrackParam = z.object({
  token,
  position: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number),
});

interface ShareRouteDeps {
  shares: ShareService;
  library: Pick<LibraryService, 'tracksById'>;
  streaming: StreamingService;
  zips: ZipService;
  usernameOf: (userId: UserId) => string;
}

export const shareRoutes = ({ shares, library, streaming, zips, usernameOf }: ShareRouteDeps): Route[] => [
  route(
    {
      method: 'get',
      path: '/share/:token',
      access: 'public',
      params: ShareParam,
      summary: 'The page of a share',
      produces: ['text/html'],
    },
    async ({ params, res }) => {
      const share = shares.visit(params.token);
      res.status(200).set({
        'Content-Security-Policy': SHARE_POLICY,
        'Cache-Control': 'private, no-store',
        'Content-Type': 'text/html; charset=utf-8',
        'X-Robots-Tag': 'noindex',
      });
      const { description, userId, mayDownload } = share;
      const zip = mayDownload ? `/share/${params.token}/zip` : undefined;
      await sendText(res, sharePage({ description, username: usernameOf(userId), zip, tracks: tracksOf(share) }));

      async function* tracksOf({ id, token, trackIds }: ShareSummary): AsyncGenerator<SharedTrack[]> {
        const positions = shares.positionsOf(id);
        for (let offset = 0; offset < trackIds.length; offset += TRACKS_PER_PIECE) {
          const ids = trackIds.slice(offset, offset + TRACKS_PER_PIECE);
          const byId = new Map(library.tracksById(userId, ids).map((track) => [track.id, track]));
          yield ids.flatMap((trackId, n) => {
            const track = byId.get(trackId);
            return track ? [{ ...track, address: `/share/${token}/${positions[offset + n]}` }] : [];
          });
          await waitForTurn();
        }
      }
    },
  ),

  route(
    {
      method: 'get',
      path: '/share/:token/zip',
      access: 'public',
      params: ShareParam,
      query: z.object({ format: ZipFormat }),
      summary: 'All tracks of a share as a zip, unless its owner may not save files',
      status: [200, 206, 304],
      problems: ['conflict'],
      produces: ['application/zip'],
    },
    ({ params, query, req, res, signal }) => {
      const share = shares.getForDownload(params.token);
      const { userId, trackIds, description, maxKbps } = share;
      shares.noteOpen(res, share, true);
      const zipContent = { trackIds, name: description ?? 'Shared music' };
      return zips.send(req, res, { userId, zipped: zipContent, wish: { format: query.format, maxKbps } }, signal);
    },
  ),

  route(
    {
      method: 'get',
      path: '/share/:token/:position',
      access: 'public',
      params: ShareTrackParam,
      summary: 'A shared track',
      status: [200, 206, 304],
      problems: ['conflict', 'gone'],
      produces: AUDIO_CONTENT_TYPES,
    },
    ({ params, req, res, signal }) => {
      const { share, trackId, maxKbps } = shares.trackAt(params.token, params.position);
      shares.noteOpen(res, share, false);
      return streaming.send(req, res, trackId, { format: PLAYABLE, maxKbps }, signal);
    },
  ),
];
