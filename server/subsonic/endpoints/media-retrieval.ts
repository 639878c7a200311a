// Endpoints that send bytes: audio, images, HLS playlists.
import type { Request, Response } from 'express';
import type { EmptyCover } from '../../covers/empty-cover.ts';
import type { ShownCover } from '../../covers/mosaic.ts';
import type { SizedFormat } from '../../covers/picture.ts';
import type { EpisodeId, TrackId, UserId } from '../../db/ids.ts';
import { refusal } from '../../db/rights.ts';
import { AppError } from '../../errors.ts';
import { sendBytes } from '../../http/send-bytes.ts';
import type { SendEpisode, SendEpisodeOptions } from '../../podcasts/send-episode.ts';
import type { PodcastService } from '../../podcasts/service.ts';
import type { Relay } from '../../radio/relay.ts';
import type { RadioService } from '../../radio/service.ts';
import type { StreamingService } from '../../streaming/service.ts';
import { MAX_ZIP_TRACKS, type ZipContent, type ZipService } from '../../zips/service.ts';
import { bytesEndpoint, requireRight, type Call, type Endpoints } from '../endpoint.ts';
import { idOf, parseId, type ItemId } from '../ids.ts';
import type { Items } from '../items.ts';
import type { Params } from '../params.ts';
import { urlOf } from '../urls.ts';

export interface MediaDeps {
  streaming: StreamingService;
  zips: ZipService;
  items: Pick<Items, 'findFolder' | 'resolve' | 'tracksOf'>;
  /** Resolves when a saved track has its audio; throws when the audio cannot be fetched. */
  fetchNow: (userId: UserId, id: TrackId, signal: AbortSignal) => Promise<void>;
  covers: CoverSource;
  podcasts: Pick<PodcastService, 'episode'>;
  sendEpisode: SendEpisode;
  radio: Pick<RadioService, 'get'>;
  relay: Pick<Relay, 'send'>;
  /** The image that is sent when there is none; after an error clients would request it again and again. */
  emptyCover: EmptyCover;
}

export interface CoverSource {
  find: (item: ItemId, userId: UserId) => Promise<ShownCover | undefined>;
  send: (
    req: Request,
    res: Response,
    cover: ShownCover,
    size: number | undefined,
    format: SizedFormat,
  ) => Promise<void>;
  /** Sends an external image of a saved track, its album or a podcast. Resolves to false when there is no image. */
  sendPlaceholder: (req: Request, res: Response, item: ItemId, format: SizedFormat) => Promise<boolean>;
}

const MAX_COVER_PX = 1_200;
const PLACEHOLDER = { contentType: 'image/jpeg', cacheControl: 'private, max-age=300' };

export function mediaEndpoints({
  streaming,
  zips,
  items,
  covers,
  podcasts,
  sendEpisode,
  radio,
  relay,
  emptyCover,
  fetchNow,
}: MediaDeps): Endpoints {
  /** Fetches the audio of a saved track before it is played, because clients have no other way to request it. */
  async function ensureAudio({ params, user, signal }: Call): Promise<TrackId> {
    const id = idOf('track', params.required('id'));
    const { availability } = streaming.getTrack(id);
    if (availability === 'remote' || availability === 'fetching') {
      if (!user.rights.canUpload) throw refusal('canUpload');
      await fetchNow(user.id, id, signal);
    }
    return id;
  }

  const episodeOf = (params: Params): EpisodeId | undefined => {
    const item = parseId(params.required('id'));
    return item?.kind === 'episode' ? item.id : undefined;
  };
  const sendEpisodeOf = ({ params, user, req, res, signal }: Call, options: SendEpisodeOptions): Promise<void> =>
    sendEpisode(req, res, podcasts.episode(user.id, idOf('episode', params.required('id'))), signal, options);

  /** Returns the content of a zip for an album, an artist, a playlist or a folder; undefined for a song. */
  async function zipContentOf(userId: UserId, text: string): Promise<ZipContent | undefined> {
    const item = items.resolve(text);
    if (item.kind === 'album') return { albumId: item.id };
    if (item.kind === 'artist') return { artistId: item.id };
    if (item.kind === 'playlist') return { playlistId: item.id };
    if (item.kind !== 'folder') return undefined;
    const trackIds: TrackId[] = [];
    for await (const id of items.tracksOf(userId, item)) if (trackIds.push(id) > MAX_ZIP_TRACKS) break;
    return { trackIds, name: items.findFolder(text)?.name ?? '' };
  }

  async function sendCoverArt(call: Call): Promise<void> {
    const { params, req, res, user } = call;
    const text = params.required('id');
    const requestedSize = params.int('size') || undefined; // 0 means no limit, as with bit rates
    const size = requestedSize === undefined ? undefined : Math.min(Math.max(requestedSize, 1), MAX_COVER_PX);
    // unknown ids get the placeholder too, because old clients make up their own ids
    const item = parseId(text);
    const storedCover = item && (await covers.find(item, user.id));
    try {
      if (!storedCover && item && (await covers.sendPlaceholder(req, res, item, 'jpeg'))) return;
      if (storedCover) return await covers.send(req, res, storedCover, size, 'jpeg');
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'not_found')) throw error;
    }
    await sendBytes(req, res, await emptyCover(size), {
      ...PLACEHOLDER,
      etag: ({ size, modifiedAt }) => `none-${size}-${modifiedAt.getTime()}`,
    });
  }

  return {
    stream: bytesEndpoint(async (call) => {
      const { user, params, req, res, signal, client } = call;
      if (episodeOf(params) !== undefined)
        return sendEpisodeOf(call, { disposition: 'inline', maxKbps: user.maxBitrateKbps });
      const item = parseId(params.required('id'));
      if (item?.kind === 'radio') return relay.send(req, res, radio.get(item.id), user, signal);
      const id = await ensureAudio(call);
      await streaming.send(
        req,
        res,
        id,
        {
          format: params.text('format')?.toLowerCase(),
          maxBitrateKbps: Math.max(0, params.int('maxBitRate') ?? 0),
          startMs: Math.max(0, Math.round((params.number('timeOffset') ?? 0) * 1_000)),
          estimateLength: params.bool('estimateContentLength', false),
          maxKbps: user.maxBitrateKbps,
          listener: `account ${user.id} ${client}`,
        },
        signal,
      );
    }),

    download: requireRight(
      'canDownload',
      bytesEndpoint(async (call) => {
        const { params, req, res, user, signal, client } = call;
        const { maxBitrateKbps: maxKbps } = user;
        if (episodeOf(params) !== undefined) return sendEpisodeOf(call, { disposition: 'attachment', maxKbps });
        const zipContent = await zipContentOf(user.id, params.required('id'));
        if (zipContent)
          return zips.send(req, res, { userId: user.id, zipped: zipContent, wish: { format: 'raw', maxKbps } }, signal);
        const listener = `account ${user.id} ${client}`;
        await streaming.send(
          req,
          res,
          await ensureAudio(call),
          { format: 'raw', download: true, maxKbps, listener },
          signal,
        );
      }),
    ),

    getCoverArt: bytesEndpoint(sendCoverArt),

    /** Sends a playlist with the whole song as its only segment; for several bit rates, a master playlist. */
    hls: bytesEndpoint(async ({ params, req, res }) => {
      const id = params.required('id');
      const track = streaming.getTrack(idOf('track', id));
      const rates = params
        .all('bitRate')
        .map((rate) => Number.parseInt(rate, 10))
        .filter((rate) => rate > 0);
      const lines =
        rates.length > 1
          ? rates.flatMap((rate) => [
              `#EXT-X-STREAM-INF:PROGRAM-ID=1,BANDWIDTH=${rate * 1_000}`,
              urlOf(req, params, 'hls.m3u8', { id, bitRate: rate }),
            ])
          : hlsSegment(
              urlOf(req, params, 'stream.view', {
                id,
                format: 'mp3',
                ...(rates[0] !== undefined && { maxBitRate: rates[0] }),
              }),
              track.durationMs,
            );
      res
        .set({ 'Content-Type': 'application/vnd.apple.mpegurl', 'Cache-Control': 'no-store' })
        .end(['#EXTM3U', '#EXT-X-VERSION:3', ...lines, ''].join('\n'));
    }),
  };
}

const hlsSegment = (url: string, durationMs: number | null): string[] => {
  const seconds = (durationMs ?? 0) / 1_000;
  return [
    `#EXT-X-TARGETDURATION:${Math.max(1, Math.ceil(seconds))}`,
    '#EXT-X-PLAYLIST-TYPE:VOD',
    '#EXT-X-MEDIA-SEQUENCE:0',
    `#EXTINF:${seconds.toFixed(3)},`,
    url,
    '#EXT-X-ENDLIST',
  ];
};
