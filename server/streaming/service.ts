// Sends a track's audio by the id of the track: the original, or a conversion.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, conflict, notFound } from '../errors.ts';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { contentDisposition } from '../http/content-disposition.ts';
import { sendBytes, type BytesSource, type SendOptions } from '../http/send-bytes.ts';
import { seekInMp3 } from '../media/mp3-seek.ts';
import { PROFILES, type FileSection, type TranscodeOrder } from '../media/transcode.ts';
import { asOpenError, type AudioStore, type StoredFile } from '../storage/audio-store.ts';
import type { ByteRange, OpenObject } from '../storage/storage.ts';
import { FILE_SCHEME } from '../storage/uri.ts';
import { chooseAudio, resolveFormat, type AudioRequest } from './direct-or-transcoded.ts';
import { contentTypeOf } from '../media/audio-formats.ts';
import { prepareFindStreamed, type StreamedTrack } from './queries.ts';
import type { Conversions, ConversionRequest } from './conversions.ts';
import type { ObjectCache } from './object-cache.ts';
import { sendConversion } from './send-conversion.ts';
import { createSentPlaces } from './sent-places.ts';
import { bindContext } from '../runtime/bind-context.ts';

export interface StreamingDeps {
  db: MainDb;
  audioStore: AudioStore;
  /** Called when the audio of an available track no longer exists. */
  onGone: (id: TrackId, uri: string) => void;
  /** Called when audio in a music folder cannot be read now. The answer to the listener waits for it. */
  onUnreadable?: () => Promise<void>;
  /** Returns whether the audio of a missing track exists again. If absent, a missing track stays missing. */
  recheckAudio?: (id: TrackId) => Promise<boolean>;
  /** The conversions. If absent, only originals are sent. */
  conversions?: Conversions;
  /** The cache of an object store. If absent, the store is read for every request. */
  objects?: ObjectCache;
  /** Called when the stored audio of a track differs from its hash. */
  onDamaged?: (id: TrackId) => void;
}

export interface FileRequest extends AudioRequest {
  /** The bit rate limit of the listener's account, in kbps. */
  maxKbps: number | null;
}

export interface SendRequest extends FileRequest {
  /** True to announce the length of a conversion, too. */
  estimateLength?: boolean;
  /** True to send the audio as an attachment, to be saved instead of played. */
  download?: boolean;
  /** Names the account or the share. */
  listener: string;
}

/** A track's audio can be replaced (retagged, restored), so clients have to revalidate; the ETag makes that a 304. */
const CACHE_CONTROL = 'private, no-cache';

export type StreamingService = ReturnType<typeof createStreamingService>;

export function createStreamingService(deps: StreamingDeps) {
  const context = createContext(deps);

  return bindContext(context, { prepareFile, send, getTrack, canTranscode });
}

type Context = ReturnType<typeof createContext>;

function createContext({
  db,
  audioStore,
  onGone,
  onUnreadable = async () => undefined,
  recheckAudio,
  conversions,
  objects,
  onDamaged = () => undefined,
}: StreamingDeps) {
  const findTrack = prepareFindStreamed(db);
  return {
    audioStore,
    onGone,
    onUnreadable,
    recheckAudio,
    conversions,
    objects,
    onDamaged,
    findTrack,
    sentPlaces: createSentPlaces(),
  };
}

/** Returns a track. Throws `not_found`. */
function getTrack(context: Context, id: TrackId): StreamedTrack {
  const track = context.findTrack(id);
  if (!track) throw notFound('track', id);
  return track;
}

/**
 * Returns a track; a missing track becomes available as soon as its audio exists again, without a scan. Throws
 * `not_found`.
 */
async function getCurrentTrack(context: Context, id: TrackId): Promise<StreamedTrack> {
  const track = getTrack(context, id);
  return track.availability === 'missing' && (await context.recheckAudio?.(id)) === true
    ? getTrack(context, id)
    : track;
}

const canTranscode = async ({ conversions }: Context): Promise<boolean> => (await conversions?.isPossible()) === true;

/** Chooses the original or a conversion. Throws `forbidden`, and what `uriOf` throws. */
async function chooseOrder(context: Context, id: TrackId, track: StreamedTrack, request: FileRequest) {
  const uri = uriOf(id, track);
  const { maxKbps } = request;
  const resolvedRequest = resolveFormat(track, request);
  const mayConvert = maxKbps !== null || needsTranscoder(resolvedRequest);
  const chosenOrder = chooseAudio(track, resolvedRequest, mayConvert && (await canTranscode(context)), maxKbps);
  const section = sectionOf(track);
  return {
    uri,
    order: section ? { ...(chosenOrder === 'original' ? WHOLE_SECTION : chosenOrder), section } : chosenOrder,
  };
}

async function fileOf(
  { audioStore, objects, onDamaged }: Context,
  id: TrackId,
  { contentHash }: StreamedTrack,
  uri: string,
): Promise<StoredFile> {
  const file = await audioStore.resolve(uri);
  return objects ? objects.withCache(file, contentHash, () => onDamaged(id)) : file;
}

/**
 * Marks the track as missing when the error says that its audio no longer exists, and has the music folders checked
 * when it is in one that cannot be read. Returns the error to throw.
 */
async function noteFault(context: Context, id: TrackId, uri: string, error: unknown): Promise<unknown> {
  const appError = error instanceof AppError || !isSystemError(error) ? error : asOpenError(error);
  if (!(appError instanceof AppError)) return appError;
  if (appError.code === 'gone') context.onGone(id, uri);
  else if (appError.code === 'unavailable' && uri.startsWith(`${FILE_SCHEME}:`)) await context.onUnreadable();
  return appError;
}

/**
 * Returns the file for a request: the original, or a conversion that is made on demand. Throws the same errors as
 * `send`.
 */
async function prepareFile(context: Context, id: TrackId, audioRequest: FileRequest): Promise<PreparedFile> {
  const track = await getCurrentTrack(context, id);
  const { uri, order } = await chooseOrder(context, id, track, audioRequest);
  try {
    const file = await fileOf(context, id, track, uri);
    if (order === 'original') {
      if (file.path !== undefined) await file.stat(); // a request to a store for each file would take too long
      const open = (range?: ByteRange): Promise<OpenObject> =>
        file.open(range).catch(async (error: unknown) => {
          throw await noteFault(context, id, uri, error);
        });
      return { kind: 'file', track, file: { ...file, stat: () => file.stat(), open } };
    }
    // a request to a store for each file would take too long
    const storedHash = file.path === undefined && file.immutable ? track.contentHash : null;
    const request: ConversionRequest = {
      identity: storedHash ?? (await identityOf(id, track, file)),
      file,
      order,
      durationMs: track.durationMs,
      isMp3: isMp3(track),
    };
    return {
      kind: 'conversion',
      track,
      extension: PROFILES[order.profile].extension,
      async make(signal) {
        if (!context.conversions) throw new AppError('unavailable', 'The server cannot transcode: it has no ffmpeg.');
        try {
          const opened = await context.conversions.open({
            ...request,
            file: await fileOf(context, id, track, uri),
          });
          if ('path' in opened) return { path: opened.path, leave: opened.leave };
          const { conversion, leave } = opened;
          const path = await conversion.waitForFile(signal).catch((error: unknown) => {
            leave();
            throw error;
          });
          return { path, leave };
        } catch (error) {
          throw await noteFault(context, id, uri, error);
        }
      },
    };
  } catch (error) {
    throw await noteFault(context, id, uri, error);
  }
}

/**
 * Sends the track's audio. Throws `not_found`, `conflict` (a placeholder), `gone` (also when only opening the audio
 * shows that; the track is then marked) and `unavailable`.
 */
async function send(
  context: Context,
  req: IncomingMessage,
  res: ServerResponse,
  id: TrackId,
  request: SendRequest,
  signal: AbortSignal,
): Promise<void> {
  const track = await getCurrentTrack(context, id);
  const { startMs = 0 } = request;
  const isPart = startMs > 0 && canSendPart(track, request);
  const { uri, order: wholeOrder } = await chooseOrder(
    context,
    id,
    track,
    isPart ? { ...request, startMs: 0 } : request,
  );
  try {
    const file = await fileOf(context, id, track, uri);
    const partSource = isPart && wholeOrder === 'original' ? await mp3PartFrom(file, startMs, signal) : undefined;
    if (partSource) {
      const options = sendOptionsOf(track, file, request.download === true);
      return await sendBytes(req, res, partSource, { ...options, etag: etagOfPart(options, startMs) });
    }
    const { order } = isPart ? await chooseOrder(context, id, track, request) : { order: wholeOrder };
    if (order === 'original')
      return await sendBytes(req, res, sourceOf(file), sendOptionsOf(track, file, request.download === true));
    const { contentType, extension } = PROFILES[order.profile];
    if (!context.conversions) throw new AppError('unavailable', 'The server cannot transcode: it has no ffmpeg.');
    await sendConversion(
      { conversions: context.conversions, sentPlaces: context.sentPlaces },
      req,
      res,
      { identity: await identityOf(id, track, file), file, order, durationMs: track.durationMs, isMp3: isMp3(track) },
      {
        contentType,
        disposition: trackDisposition(request.download ? 'attachment' : 'inline', { ...track, format: extension }),
        withLength: request.estimateLength === true,
        isDownload: request.download === true,
        listener: `${request.listener} ${req.socket.remoteAddress} ${req.headers['user-agent']}`,
      },
      signal,
    );
  } catch (error) {
    if (signal.aborted) return; // the client has disconnected
    throw await noteFault(context, id, uri, error);
  }
}

/** The audio of a track as a file. `leave` has to be called when a converted file has been read. */
export type PreparedFile = { track: StreamedTrack } & (
  | { kind: 'file'; file: StoredFile }
  | {
      kind: 'conversion';
      extension: string;
      make(signal: AbortSignal): Promise<{ path: string; leave: () => void }>;
    }
);

/** The order for a section of a file instead of the original: all samples of the section. */
const WHOLE_SECTION: TranscodeOrder = { profile: 'flac', bitrateKbps: 0, startMs: 0 };

const sectionOf = ({ sectionStart, sectionEnd, sampleRateHz, bitDepth }: StreamedTrack): FileSection | undefined =>
  sectionStart === null || sampleRateHz === null
    ? undefined
    : { start: sectionStart, end: sectionEnd, sampleRateHz, isLossless: bitDepth !== null };

/** Returns whether a request needs ffmpeg, without searching for it; most requests are for the original. */
const needsTranscoder = ({ format, maxBitrateKbps = 0, startMs = 0, channels, sampleRateHz }: AudioRequest): boolean =>
  format !== 'raw' &&
  (format !== undefined || maxBitrateKbps > 0 || startMs > 0 || channels !== undefined || sampleRateHz !== undefined);

function uriOf(id: TrackId, track: StreamedTrack): string {
  if (track.availability === 'remote') {
    throw conflict(
      `The audio of this track has not been downloaded yet. POST /api/v1/tracks/${id}/materialize fetches it.`,
    );
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

/** Returns an identity of the current bytes: a file in the music folder may have changed since it was hashed. */
async function identityOf(id: TrackId, { contentHash }: StreamedTrack, file: StoredFile): Promise<string> {
  const { size, modifiedAt } = await file.stat();
  return file.immutable && contentHash !== null ? contentHash : `${id}-${size}-${modifiedAt.getTime()}`;
}

/** Returns whether the track can be sent from any position without a conversion, as MP3 can. */
const canSendPart = (track: StreamedTrack, { format }: AudioRequest): boolean => isMp3(track) && format !== 'raw';

const isMp3 = (track: StreamedTrack): boolean => track.format === 'mp3' && sectionOf(track) === undefined;

/**
 * Returns the bytes of an MP3 file from the frame at `startMs`, or from its last frame; undefined when it has no
 * frames.
 */
async function mp3PartFrom(file: StoredFile, startMs: number, signal: AbortSignal): Promise<BytesSource | undefined> {
  const startByte = await seekInMp3(file, startMs, { signal });
  if (startByte === undefined) return undefined;
  const { size: wholeSize } = await file.stat();
  return {
    async stat() {
      const { size, modifiedAt } = await file.stat();
      return { size: Math.max(0, size - startByte), modifiedAt };
    },
    open: (range) =>
      file.open({ start: startByte + (range?.start ?? 0), end: range ? startByte + range.end : wholeSize - 1 }),
  };
}

const etagOfPart = ({ etag }: SendOptions, startMs: number): SendOptions['etag'] =>
  typeof etag === 'string' ? `${etag}-${startMs}` : (stamp) => `${etag(stamp)}-${startMs}`;

const sourceOf = (file: StoredFile): BytesSource => (file.path === undefined ? file : { path: file.path });

function sendOptionsOf(track: StreamedTrack, file: StoredFile, download: boolean): SendOptions {
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
