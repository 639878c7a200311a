// GET /share/:token and the audio below it: the only music that is served without authentication.
import { z } from 'zod';
import type { UserId } from '../db/ids.ts';
import type { LibraryService } from '../library/service.ts';
import { route, type Route } from '../http/route.ts';
import { AUDIO_CONTENT_TYPES } from '../streaming/content-type.ts';
import type { StreamingService } from '../streaming/service.ts';
import { SHARE_POLICY, sharePage } from './page.ts';
import type { ShareService } from './service.ts';

const token = z.string().regex(/^[\w-]{10,64}$/);
const ShareParam = z.object({ token });
const ShareTrackParam = z.object({
  token,
  position: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number),
});

export interface ShareRouteDeps {
  shares: ShareService;
  library: Pick<LibraryService, 'tracksById'>;
  streaming: StreamingService;
  usernameOf: (userId: UserId) => string;
}

export const shareRoutes = ({ shares, library, streaming, usernameOf }: ShareRouteDeps): Route[] => [
  route(
    {
      method: 'get',
      path: '/share/:token',
      access: 'public',
      params: ShareParam,
      summary: 'The page of a share',
      produces: ['text/html'],
    },
    ({ params, res }) => {
      const share = shares.visit(params.token);
      const byId = new Map(library.tracksById(share.userId, share.trackIds).map((track) => [track.id, track]));
      const positions = shares.positionsOf(share.id);
      const tracks = share.trackIds.flatMap((id, n) => {
        const track = byId.get(id);
        return track
          ? [
              {
                title: track.title,
                artistName: track.artistName,
                durationMs: track.durationMs,
                address: `/share/${share.token}/${positions[n]}`,
              },
            ]
          : [];
      });
      res
        .set({
          'Content-Security-Policy': SHARE_POLICY,
          'Cache-Control': 'private, no-store',
          'X-Robots-Tag': 'noindex',
        })
        .type('html')
        .end(sharePage({ description: share.description, username: usernameOf(share.userId), tracks }));
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
      produces: AUDIO_CONTENT_TYPES,
    },
    ({ params, req, res, signal }) => {
      const { trackId, mostKbps } = shares.trackAt(params.token, params.position);
      return streaming.send(req, res, trackId, { format: 'raw', mostKbps }, signal);
    },
  ),
];
