// Sends a track's audio by its id: the original, or converted.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { addAbortSignal } from 'node:stream';
import { AppError, conflict, notFound } from '../errors.ts';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { contentDisposition } from '../http/content-disposition.ts';
import { sendBytes, type BytesSource, type SendOptions } from '../http/send-bytes.ts';
import { findMp3Frame } from '../media/mp3-seek.ts';
import { PROFILES, type FileSection, type TranscodeOrder } from '../media/transcode.ts';
import { asOpenError, type AudioStore, type StoredFile } from '../storage/audio-store.ts';
import type { ByteRange, OpenObject } from '../storage/storage.ts';
import { chooseAudio, estimatedBytes, withFormat, type Wish } from './direct-or-transcoded.ts';
import { contentTypeOf } from '../media/audio-formats.ts';
import { prepareFindStreamed, type StreamedTrack } from './queries.ts';
import { sendLiveHead, sendMade, sendTranscoded, type LiveOptions } from './send-audio.ts';
import type { ObjectCache } from './object-cache.ts';
import type { Transcodes, Wanted } from './transcode-cache.ts';

export interface StreamingDeps {
  db: MainDb;
  audioStore: AudioStore;
  /** Called when the audio of a track that was available is not there. */
  onGone: (id: TrackId, uri: string) => void;
  /** Whether the audio of a missing track is there again. Absent: a missing track stays missing. */
  lookAgain?: (id: TrackId) => Promise<boolean>;
  /** Absent: only originals are sent. */
  transcodes?: Transcodes;
  /** Absent: what is in an object store is read from there each time. */
  objects?: ObjectCache;
  /** Called when the stored audio of a track is not what it was. */
  onDamaged?: (id: TrackId) => void;
}

export interface SendWish extends Wish {
  /** Announce the length of a conversion, too. */
  estimateLength?: boolean;
  /** To be saved instead of played. */
  download?: boolean;
  /** The limit of the listener's account. */
  mostKbps: number | null;
}

/** A track's audio can be replaced (retagged, restored), so clients have to revalidate; the ETag makes that a 304. */
const CACHE_CONTROL = 'private, no-cache';

export type StreamingService = ReturnType<typeof createStreamingService>;

export function createStreamingService({
  db,
  audioStore,
  onGone,
  lookAgain,
  transcodes,
  objects,
  onDamaged = () => undefined,
}: StreamingDeps) {
  const find = prepareFindStreamed(db);

  async function sendAs(
    req: IncomingMessage,
    res: ServerResponse,
    wanted: Wanted,
    options: LiveOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const made = await transcodes?.find(wanted);
    if (made) return sendMade(req, res, made.path, made.etag, options);
    if (req.method === 'HEAD') return sendLiveHead(res, options);
    if (transcodes) await sendTranscoded(req, res, await transcodes.open(wanted), options, signal);
  }

  /** Throws `not_found`. */
  function describe(id: TrackId): StreamedTrack {
    const track = find(id);
    if (!track) throw notFound('track', id);
    return track;
  }

  /** Audio that is there again is sent at once, and not only after a scan. Throws `not_found`. */
  async function findNow(id: TrackId): Promise<StreamedTrack> {
    const track = describe(id);
    return track.availability === 'missing' && (await lookAgain?.(id)) === true ? describe(id) : track;
  }

  const canTranscode = async (): Promise<boolean> => (await transcodes?.isPossible()) === true;

  /** What is sent for a wish: the file as it is, or converted. Throws `forbidden`, and what `uriOf` throws. */
  async function choose(id: TrackId, track: StreamedTrack, wish: SendWish) {
    const uri = uriOf(id, track);
    const { mostKbps } = wish;
    const wished = withFormat(track, wish);
    const isAsked = mostKbps !== null || needsTranscoder(wished);
    const chosen = chooseAudio(track, wished, isAsked && (await canTranscode()), mostKbps);
    const section = sectionOf(track);
    return { uri, order: section ? { ...(chosen === 'original' ? WHOLE_SECTION : chosen), section } : chosen };
  }

  const fileOf = async (id: TrackId, { contentHash }: StreamedTrack, uri: string): Promise<StoredFile> => {
    const file = await audioStore.resolve(uri);
    return objects ? objects.over(file, contentHash, () => onDamaged(id)) : file;
  };

  /** Marks the track where its audio is not there any more. */
  function asKnown(id: TrackId, uri: string, error: unknown): unknown {
    const known = error instanceof AppError || !isSystemError(error) ? error : asOpenError(error);
    if (known instanceof AppError && known.code === 'gone') onGone(id, uri);
    return known;
  }

  return {
    describe,
    canTranscode,

    /**
     * The file that is sent for a wish: as it is, or one that is made when it is asked for. Throws like `send`.
     */
    async fileFor(id: TrackId, wish: SendWish): Promise<PreparedFile> {
      const track = await findNow(id);
      const { uri, order } = await choose(id, track, wish);
      try {
        const file = await fileOf(id, track, uri);
        if (order === 'original') {
          if (file.path !== undefined) await file.stat(); // a store is not asked for each
          const open = (range?: ByteRange): Promise<OpenObject> =>
            file.open(range).catch((error: unknown) => {
              throw asKnown(id, uri, error);
            });
          return { kind: 'file', track, file: { ...file, stat: () => file.stat(), open } };
        }
        // a store is not asked for each
        const known = file.path === undefined && file.immutable ? track.contentHash : null;
        const wanted: Wanted = {
          identity: known ?? (await identityOf(id, track, file)),
          file,
          order,
          durationMs: track.durationMs,
        };
        return {
          kind: 'conversion',
          track,
          extension: PROFILES[order.profile].extension,
          async make(signal) {
            if (!transcodes) throw new AppError('unavailable', 'The server cannot transcode: it has no ffmpeg.');
            try {
              const made = await transcodes.open({ ...wanted, file: await fileOf(id, track, uri) });
              if ('path' in made) return { path: made.path, leave: made.leave };
              const { run, leave } = made;
              const path = await run.whole(signal).catch((error: unknown) => {
                leave();
                throw error;
              });
              return { path, leave };
            } catch (error) {
              throw asKnown(id, uri, error);
            }
          },
        };
      } catch (error) {
        throw asKnown(id, uri, error);
      }
    },

    /**
     * Sends the track's audio. Throws `not_found`, `conflict` (a placeholder), `gone` (also when that shows only on
     * opening; the track is then marked) and `unavailable`.
     */
    async send(
      req: IncomingMessage,
      res: ServerResponse,
      id: TrackId,
      wish: SendWish,
      signal: AbortSignal,
    ): Promise<void> {
      const track = await findNow(id);
      const { startMs = 0 } = wish;
      const isCut = startMs > 0 && canBeCut(track, wish);
      const { uri, order: wholeOrder } = await choose(id, track, isCut ? { ...wish, startMs: 0 } : wish);
      try {
        const file = await fileOf(id, track, uri);
        const part = isCut && wholeOrder === 'original' ? await partFrom(file, startMs, signal) : undefined;
        if (part) {
          const options = optionsOf(track, file, wish.download === true);
          return await sendBytes(req, res, part, { ...options, etag: etagOfPart(options, startMs) });
        }
        const { order } = isCut ? await choose(id, track, wish) : { order: wholeOrder };
        if (order === 'original')
          return await sendBytes(req, res, sourceOf(file), optionsOf(track, file, wish.download === true));
        const { contentType, extension } = PROFILES[order.profile];
        const wanted: Wanted = {
          identity: await identityOf(id, track, file),
          file,
          order,
          durationMs: track.durationMs,
        };
        const options: LiveOptions = {
          contentType,
          disposition: trackDisposition(wish.download ? 'attachment' : 'inline', { ...track, format: extension }),
          withLength: wish.estimateLength === true,
          estimate: estimatedBytes(order, track.durationMs),
        };
        await sendAs(req, res, wanted, options, signal);
      } catch (error) {
        if (signal.aborted) return; // the listener has left, and nobody waits for the answer
        throw asKnown(id, uri, error);
      }
    },
  };
}

/** The audio of a track as a file. Call `leave` when the made one has been read. */
export type PreparedFile = { track: StreamedTrack } & (
  | { kind: 'file'; file: StoredFile }
  | {
      kind: 'conversion';
      extension: string;
      make(signal: AbortSignal): Promise<{ path: string; leave: () => void }>;
    }
);

/** What stands for the original of a part of a file: all of its samples. */
const WHOLE_SECTION: TranscodeOrder = { profile: 'flac', bitrateKbps: 0, startMs: 0 };

const sectionOf = ({ sectionStart, sectionEnd, sampleRateHz, bitDepth }: StreamedTrack): FileSection | undefined =>
  sectionStart === null || sampleRateHz === null
    ? undefined
    : { start: sectionStart, end: sectionEnd, sampleRateHz, isLossless: bitDepth !== null };

/** Most requests want the original; they need not wait until ffmpeg is found. */
const needsTranscoder = ({ format, maxBitrateKbps = 0, startMs = 0, channels, sampleRateHz }: Wish): boolean =>
  format !== 'raw' &&
  (format !== undefined || maxBitrateKbps > 0 || startMs > 0 || channels !== undefined || sampleRateHz !== undefined);

function uriOf(id: TrackId, track: StreamedTrack): string {
  if (track.availability === 'remote') {
    throw conflict(`The audio of this track is not here yet. POST /api/v1/tracks/${id}/materialize fetches it.`);
  }
  if (track.availability === 'fetching') {
    throw conflict(
      `The audio of this track is being downloaded. POST /api/v1/tracks/${id}/materialize gives the running download.`,
    );
  }
  if (track.availability === 'missing' || track.storageUri === null)
    throw new AppError('gone', 'The audio of this track is missing.');
  return track.storageUri;
}

/** Of the bytes as they are now: a file in the music folder may have changed since it was hashed. */
async function identityOf(id: TrackId, { contentHash }: StreamedTrack, file: StoredFile): Promise<string> {
  const { size, modifiedAt } = await file.stat();
  return file.immutable && contentHash !== null ? contentHash : `${id}-${size}-${modifiedAt.getTime()}`;
}

/** MP3 can be sent from any frame on, without a conversion. */
const canBeCut = (track: StreamedTrack, { format }: Wish): boolean =>
  track.format === 'mp3' && format !== 'raw' && sectionOf(track) === undefined;

/** The bytes of an MP3 file from what is heard at `startMs`, or its last frame; undefined when it has no frames. */
async function partFrom(file: StoredFile, startMs: number, signal: AbortSignal): Promise<BytesSource | undefined> {
  const { stream, size: wholeSize } = await file.open();
  const from = await findMp3Frame(addAbortSignal(signal, stream), startMs);
  stream.destroy();
  if (from === undefined) return undefined;
  return {
    async stat() {
      const { size, modifiedAt } = await file.stat();
      return { size: Math.max(0, size - from), modifiedAt };
    },
    open: (range) => file.open({ start: from + (range?.start ?? 0), end: range ? from + range.end : wholeSize - 1 }),
  };
}

const etagOfPart = ({ etag }: SendOptions, startMs: number): SendOptions['etag'] =>
  typeof etag === 'string' ? `${etag}-${startMs}` : (stamp) => `${etag(stamp)}-${startMs}`;

const sourceOf = (file: StoredFile): BytesSource => (file.path === undefined ? file : { path: file.path });

function optionsOf(track: StreamedTrack, file: StoredFile, download: boolean): SendOptions {
  return {
    contentType: contentTypeOf(track.format),
    cacheControl: CACHE_CONTROL,
    // a file in the music folder may have changed since it was hashed
    etag:
      file.immutable && track.contentHash !== null
        ? track.contentHash.slice(0, 32)
        : ({ size, modifiedAt }) => `${size.toString(16)}-${modifiedAt.getTime().toString(16)}`,
    disposition: trackDisposition(download ? 'attachment' : 'inline', track),
  };
}

export const trackDisposition = (
  kind: 'inline' | 'attachment',
  { title, artistName, format }: Pick<StreamedTrack, 'title' | 'artistName' | 'format'>,
): string =>
  contentDisposition(kind, {
    title: artistName ? `${artistName} - ${title}` : title,
    extension: format,
    untitled: 'track',
  });

const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error;
