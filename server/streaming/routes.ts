// GET /stream/:id, mounted at the root (where the interface has it) and below /api/v1.
import { z } from 'zod';
import { TrackIdIn } from '../db/ids.ts';
import { idParam, queryInt } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import { sendBytes } from '../http/send-bytes.ts';
import { AUDIO_CONTENT_TYPES } from './content-type.ts';
import { createStreamingService, type StreamingDeps } from './service.ts';

const MAX_START_MS = 48 * 3_600_000;

/** They ask for a transcode. This version checks them and sends the original, which the content type says. */
const StreamQuery = z.object({
  format: z.enum(['raw', 'mp3', 'opus', 'aac', 'flac', 'wav']).optional().meta({ description: 'wanted format; for now the original is sent' }),
  max_bitrate: queryInt.pipe(z.int().min(16).max(10_000)).optional().meta({ description: 'kbps; for now the original is sent' }),
  start_ms: queryInt.pipe(z.int().min(0).max(MAX_START_MS)).optional().meta({ description: 'where to begin; for now the original is sent' }),
  token: z.string().optional().meta({ description: 'access token, for players that cannot send headers' }),
});

export function streamingRoutes(deps: StreamingDeps): Route[] {
  const streaming = createStreamingService(deps);
  return [
    route({
      method: 'get', path: '/stream/:id', access: 'stream', params: idParam(TrackIdIn), query: StreamQuery,
      summary: 'The audio of a track, whole or by ranges', status: [200, 206, 304], produces: AUDIO_CONTENT_TYPES,
    }, ({ params, req, res }) =>
      streaming.withAudio(params.id, ({ source, options }) => sendBytes(req, res, source, options))),
  ];
}
