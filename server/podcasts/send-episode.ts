// Sends the audio of an episode: the downloaded file, or the bytes that its server sends, range by range as the player
// requests them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { access } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { ACCOUNT_LIMITS } from '../db/rights.ts';
import { AppError } from '../errors.ts';
import { contentDisposition } from '../http/content-disposition.ts';
import { sendBytes } from '../http/send-bytes.ts';
import { contentTypeOf } from '../media/audio-formats.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import type { PodcastWeb } from './outbound.ts';
import type { EpisodeSummary } from './queries.ts';
import { notHere, type PodcastService } from './service.ts';

interface SendEpisodeDeps {
  web: Pick<PodcastWeb, 'audio'>;
  podcasts: Pick<PodcastService, 'pathOf'>;
  maxBytes: () => number;
}

const FORWARDED_HEADERS = ['content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'];
const AUDIO_TYPE = /^(?:audio\/[\w.+-]{1,60}|application\/ogg)$/i;

export interface SendEpisodeOptions {
  disposition: 'inline' | 'attachment';
  /** The bit rate limit of the listener's account. */
  maxKbps: number | null;
}

/** How far the average bit rate may exceed the limit: pictures in the file count, too. */
const BITRATE_TOLERANCE = 1.1;

/** Refuses an episode that may exceed the limit, because episodes are not converted. */
function assertWithinLimit({ sizeBytes, durationMs }: EpisodeSummary, maxKbps: number | null): void {
  if (maxKbps === null) return;
  const kbps = sizeBytes === null || durationMs === null ? Infinity : (sizeBytes * 8) / durationMs;
  if (kbps <= maxKbps * BITRATE_TOLERANCE) return;
  const { name } = ACCOUNT_LIMITS.maxBitrateKbps;
  throw new AppError(
    'forbidden',
    `Your account may listen at up to ${maxKbps} kbps (${name}), and episodes are not converted to that.`,
    { fields: [{ field: name, message: `is ${maxKbps}` }] },
  );
}

const fileExists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

export type SendEpisode = ReturnType<typeof createSendEpisode>;

export function createSendEpisode({ web, podcasts, maxBytes }: SendEpisodeDeps) {
  async function relay(
    req: IncomingMessage,
    res: ServerResponse,
    { audioUrl }: EpisodeSummary,
    signal: AbortSignal,
  ): Promise<void> {
    const { range, 'if-range': ifRange } = req.headers;
    const headers = { ...(range && { range }), ...(typeof ifRange === 'string' && { 'if-range': ifRange }) };
    const answer = await web
      .audio(new URL(audioUrl), { headers, maxBytes: maxBytes(), signal })
      .catch((error: unknown) => {
        throw error instanceof OutboundError ? new AppError('unavailable', error.message, { cause: error }) : error;
      });
    const { status } = answer;
    // decompressed bytes do not have the announced length, and a part of compressed content cannot be decompressed
    const isPacked = (answer.headers.get('content-encoding') ?? 'identity') !== 'identity';
    if (![200, 206, 416].includes(status) || (isPacked && status === 206)) {
      answer.body.destroy();
      throw notHere(status);
    }
    const type = answer.headers.get('content-type')?.replace(/;.*/s, '').trim() ?? '';
    res.statusCode = status;
    res.setHeader('Content-Type', AUDIO_TYPE.test(type) ? type : 'audio/mpeg');
    res.setHeader('Cache-Control', 'private, no-cache');
    for (const name of isPacked ? [] : FORWARDED_HEADERS) {
      const value = answer.headers.get(name);
      if (value !== null) res.setHeader(name, value);
    }
    if (req.method === 'HEAD') {
      answer.body.destroy();
      return void res.end();
    }
    await pipeline(answer.body, res).catch((error: unknown) => {
      if (!res.destroyed) throw error; // the player has disconnected
    });
  }

  return async (
    req: IncomingMessage,
    res: ServerResponse,
    episode: EpisodeSummary,
    signal: AbortSignal,
    { disposition, maxKbps: mostKbps }: SendEpisodeOptions,
  ): Promise<void> => {
    assertWithinLimit(episode, mostKbps);
    const path = podcasts.pathOf(episode);
    // downloads are not part of a backup
    if (path === undefined || !(await fileExists(path))) return relay(req, res, episode, signal);
    const format = episode.format ?? 'mp3';
    await sendBytes(
      req,
      res,
      { path },
      {
        contentType: contentTypeOf(format),
        cacheControl: 'private, no-cache',
        etag: ({ size, modifiedAt }) => `pe-${episode.id}-${size.toString(16)}-${modifiedAt.getTime().toString(16)}`,
        disposition: contentDisposition(disposition, {
          title: `${episode.podcastTitle} - ${episode.title}`,
          extension: format,
          untitled: 'episode',
        }),
      },
    );
  };
}
