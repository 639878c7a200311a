// From a track's id to bytes that can be sent, or the reason why not.
import { AppError, conflict, notFound } from '../errors.ts';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { BytesSource, SendOptions } from '../http/send-bytes.ts';
import { openError, type AudioStore, type StoredFile } from '../storage/audio-store.ts';
import { contentTypeOf } from './content-type.ts';
import { inlineDisposition } from './disposition.ts';
import { prepareFindStreamed, type StreamedTrack } from './queries.ts';

export interface StreamingDeps {
  db: MainDb;
  audioStore: AudioStore;
  /** Called when the audio of a track that was thought available is not there. The library writes it down. */
  onGone: (id: TrackId) => void;
}

export interface Streamable { source: BytesSource; options: SendOptions }

/** A track's audio can be replaced (retagged, restored), so every use asks; the ETag makes that a 304. */
const CACHE_CONTROL = 'private, no-cache';

export function createStreamingService({ db, audioStore, onGone }: StreamingDeps) {
  const find = prepareFindStreamed(db);

  return {
    /**
     * Hands the track's audio to `send`. Throws `not_found`, `conflict` (a placeholder), `gone` (also when that shows only on
     * opening; the track is then marked) and `unavailable`.
     */
    async withAudio(id: TrackId, send: (audio: Streamable) => Promise<void>): Promise<void> {
      const track = find(id);
      if (!track) throw notFound('track', id);
      const uri = uriOf(id, track);
      try {
        const file = await audioStore.resolve(uri);
        await send({ source: sourceOf(file), options: optionsOf(track, file) });
      } catch (error) {
        const known = error instanceof AppError || !isSystemError(error) ? error : openError(error);
        if (known instanceof AppError && known.code === 'gone') onGone(id);
        throw known;
      }
    },
  };
}

function uriOf(id: TrackId, track: StreamedTrack): string {
  if (track.availability === 'remote') {
    throw conflict(`The audio of this track is not here yet. POST /api/v1/tracks/${id}/materialize fetches it.`);
  }
  if (track.availability === 'fetching') {
    throw conflict(`The audio of this track is being fetched. POST /api/v1/tracks/${id}/materialize answers with the download in flight.`);
  }
  if (track.availability === 'missing' || track.storageUri === null) throw new AppError('gone', 'The audio of this track is missing.');
  return track.storageUri;
}

const sourceOf = (file: StoredFile): BytesSource => (file.path === undefined ? file : { path: file.path });

function optionsOf(track: StreamedTrack, file: StoredFile): SendOptions {
  return {
    contentType: contentTypeOf(track.format),
    cacheControl: CACHE_CONTROL,
    // A file of the person's own may have changed since it was hashed.
    etag: file.immutable && track.contentHash !== null
      ? track.contentHash.slice(0, 32)
      : ({ size, modifiedAt }) => `${size.toString(16)}-${modifiedAt.getTime().toString(16)}`,
    disposition: inlineDisposition(track),
  };
}

const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error;
