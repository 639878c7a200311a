// Sends the audio of an episode: the downloaded file, or what its server sends, part by part as the player asks.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { contentDisposition } from '../http/content-disposition.ts';
import { sendBytes } from '../http/send-bytes.ts';
import { contentTypeOf } from '../streaming/content-type.ts';
import type { PodcastWeb } from './outbound.ts';
import type { EpisodeSummary } from './queries.ts';
import { notHere, type PodcastService } from './service.ts';

export interface SendEpisodeDeps {
  web: Pick<PodcastWeb, 'audio'>;
  podcasts: Pick<PodcastService, 'pathOf'>;
  maxBytes: () => number;
}

const PASSED_ON = ['content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'];
const AUDIO = /^(?:audio\/[\w.+-]{1,60}|application\/ogg)$/i;

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
    const answer = await web.audio(new URL(audioUrl), { headers, maxBytes: maxBytes(), signal });
    const { status } = answer;
    if (![200, 206, 416].includes(status)) {
      answer.body.destroy();
      throw notHere(status);
    }
    const type = answer.headers.get('content-type')?.replace(/;.*/s, '').trim() ?? '';
    res.statusCode = status;
    res.setHeader('Content-Type', AUDIO.test(type) ? type : 'audio/mpeg');
    res.setHeader('Cache-Control', 'private, no-cache');
    for (const name of PASSED_ON) {
      const value = answer.headers.get(name);
      if (value !== null) res.setHeader(name, value);
    }
    if (req.method === 'HEAD') {
      answer.body.destroy();
      return void res.end();
    }
    await pipeline(answer.body, res).catch((error: unknown) => {
      if (!res.destroyed) throw error; // the player is gone
    });
  }

  return async (
    req: IncomingMessage,
    res: ServerResponse,
    episode: EpisodeSummary,
    signal: AbortSignal,
    disposition: 'inline' | 'attachment' = 'inline',
  ): Promise<void> => {
    const path = podcasts.pathOf(episode);
    if (path === undefined) return relay(req, res, episode, signal);
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
