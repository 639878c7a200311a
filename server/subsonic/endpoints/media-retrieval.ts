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
import { MAX_ZIPPED, type Zipped, type ZipService } from '../../zips/service.ts';
import { bytes, needs, type Call, type Endpoints } from '../endpoint.ts';
import { idOf, parseId, type ItemId } from '../ids.ts';
import type { Items } from '../items.ts';
import type { Params } from '../params.ts';
import { urlOf } from '../urls.ts';

export interface MediaDeps {
  streaming: StreamingService;
  zips: ZipService;
  items: Pick<Items, 'findFolder' | 'resolve' | 'tracksOf'>;
  /** Resolves when a saved track has its audio; throws when it cannot be fetched. */
  fetchNow: (userId: UserId, id: TrackId, signal: AbortSignal) => Promise<void>;
  covers: CoverSource;
  podcasts: Pick<PodcastService, 'episode'>;
  sendEpisode: SendEpisode;
  radio: Pick<RadioService, 'get'>;
  relay: Pick<Relay, 'send'>;
  /** Sent when there is no image; after an error clients would request it again and again. */
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
  /** Sends an image from elsewhere, of a saved track, its album or a podcast; false when there is none. */
  sendPlaceholder: (req: Request, res: Response, item: ItemId, format: SizedFormat) => Promise<boolean>;
}

const MOST_COVER = 1_200;
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
  /** Clients have no way to fetch the audio of a saved track, so playing it does. */
  async function playable({ params, user, signal }: Call): Promise<TrackId> {
    const id = idOf('track', params.required('id'));
    const { availability } = streaming.describe(id);
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

  /** What is saved as a zip: an album, an artist, a playlist, a folder. Undefined for a song. */
  async function zippedOf(userId: UserId, text: string): Promise<Zipped | undefined> {
    const item = items.resolve(text);
    if (item.kind === 'album') return { albumId: item.id };
    if (item.kind === 'artist') return { artistId: item.id };
    if (item.kind === 'playlist') return { playlistId: item.id };
    if (item.kind !== 'folder') return undefined;
    const trackIds: TrackId[] = [];
    for await (const id of items.tracksOf(userId, item)) if (trackIds.push(id) > MAX_ZIPPED) break;
    return { trackIds, name: items.findFolder(text)?.name ?? '' };
  }

  async function cover(call: Call): Promise<void> {
    const { params, req, res, user } = call;
    const text = params.required('id');
    const wanted = params.int('size') || undefined; // 0 is no limit, as with bit rates
    const size = wanted === undefined ? undefined : Math.min(Math.max(wanted, 1), MOST_COVER);
    // unknown ids get the placeholder too: old clients make up their own
    const found = parseId(text);
    const stored = found && (await covers.find(found, user.id));
    try {
      if (!stored && found && (await covers.sendPlaceholder(req, res, found, 'jpeg'))) return;
      if (stored) return await covers.send(req, res, stored, size, 'jpeg');
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'not_found')) throw error;
    }
    await sendBytes(req, res, await emptyCover(size), {
      ...PLACEHOLDER,
      etag: ({ size, modifiedAt }) => `none-${size}-${modifiedAt.getTime()}`,
    });
  }

  return {
    stream: bytes(async (call) => {
      const { user, params, req, res, signal } = call;
      if (episodeOf(params) !== undefined)
        return sendEpisodeOf(call, { disposition: 'inline', mostKbps: user.maxBitrateKbps });
      const item = parseId(params.required('id'));
      if (item?.kind === 'radio') return relay.send(req, res, radio.get(item.id), user, signal);
      const id = await playable(call);
      await streaming.send(
        req,
        res,
        id,
        {
          format: params.text('format')?.toLowerCase(),
          maxBitrateKbps: Math.max(0, params.int('maxBitRate') ?? 0),
          startMs: Math.max(0, Math.round((params.number('timeOffset') ?? 0) * 1_000)),
          estimateLength: params.bool('estimateContentLength', false),
          mostKbps: user.maxBitrateKbps,
        },
        signal,
      );
    }),

    download: needs(
      'canDownload',
      bytes(async (call) => {
        const { params, req, res, user, signal } = call;
        const { maxBitrateKbps: mostKbps } = user;
        if (episodeOf(params) !== undefined) return sendEpisodeOf(call, { disposition: 'attachment', mostKbps });
        const zipped = await zippedOf(user.id, params.required('id'));
        if (zipped) return zips.send(req, res, { userId: user.id, zipped, wish: { format: 'raw', mostKbps } }, signal);
        await streaming.send(req, res, await playable(call), { format: 'raw', download: true, mostKbps }, signal);
      }),
    ),

    getCoverArt: bytes(cover),

    /** A playlist with the whole song as its only segment; for several bit rates, a master playlist. */
    hls: bytes(async ({ params, req, res }) => {
      const id = params.required('id');
      const track = streaming.describe(idOf('track', id));
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
          : hlsPiece(
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

const hlsPiece = (url: string, durationMs: number | null): string[] => {
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
