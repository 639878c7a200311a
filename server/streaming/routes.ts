// Routes of GET /stream/:id, mounted at the root and below /api/v1.
import { z } from 'zod';
import { TrackIdIn } from '../db/ids.ts';
import { idParam, queryInt } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import { PROFILE_NAMES } from '../media/transcode.ts';
import { AUDIO_CONTENT_TYPES } from '../media/audio-formats.ts';
import { PLAYABLE } from './direct-or-transcoded.ts';
import { createStreamingService, type StreamingDeps } from './service.ts';

const MAX_START_MS = 48 * 3_600_000;

/**
 * Query parameters that request a conversion. Without ffmpeg the original is sent; the content type tells which it is.
 */
const StreamQuery = z.object({
  format: z
    .enum(['raw', PLAYABLE, ...PROFILE_NAMES])
    .optional()
    .meta({
      description: 'wanted format; raw is the original as it is, playable the original where all browsers play it',
    }),
  max_bitrate: queryInt
    .pipe(z.int().min(16).max(10_000))
    .optional()
    .meta({ description: 'kbps; above it the track is converted (mp3 without a format)' }),
  start_ms: queryInt
    .pipe(z.int().min(0).max(MAX_START_MS))
    .optional()
    .meta({
      description:
        'where it begins, so that its own time starts from 0; an MP3 with the frame that is heard then, ' +
        'anything else as a conversion',
    }),
  token: z.string().optional().meta({ description: 'access token, for players that cannot send headers' }),
});

export function streamingRoutes(deps: StreamingDeps): Route[] {
  const streaming = createStreamingService(deps);
  return [
    route(
      {
        method: 'get',
        path: '/stream/:id',
        access: 'stream',
        params: idParam(TrackIdIn),
        query: StreamQuery,
        summary: 'The audio of a track, whole or by ranges, as it is or in another format',
        status: [200, 206, 304],
        problems: ['conflict', 'gone'],
        produces: AUDIO_CONTENT_TYPES,
      },
      ({ user, params, query, req, res, signal }) =>
        streaming.send(
          req,
          res,
          params.id,
          {
            format: query.format,
            maxBitrateKbps: query.max_bitrate,
            startMs: query.start_ms,
            maxKbps: user.maxBitrateKbps,
            listener: `account ${user.id}`,
          },
          signal,
        ),
    ),
  ];
}
