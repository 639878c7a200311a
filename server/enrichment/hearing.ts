// Returns the fingerprint of a track: the stored one, or one computed from its audio. It works without any service, so
// it does not depend on whether lookups are on.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { tracks } from '../db/schema.ts';
import { AppError } from '../errors.ts';
import {
  NoFingerprint,
  type Fingerprinter,
  type Listened,
  type ListenWish,
  type SoundFile,
} from '../media/fingerprint.ts';
import { isComparable } from '../media/fingerprint-match.ts';
import { FILE_SCHEME } from '../storage/uri.ts';
import {
  findSimilarTracks,
  findFingerprint,
  soundsLikeDeletedTrack,
  storeFingerprint,
  type StoredFingerprint,
} from './fingerprints.ts';
import { sectionStartOf, sectionOf } from './track-section.ts';
import { openLocalFile, type LocalFileDeps } from './local-file.ts';

/** `none` says why the audio has no fingerprint. `away` says that the audio cannot be read at present. */
type FingerprintResult = { sound: StoredFingerprint } | { none: string } | { away: true };

/**
 * Why the audio could not be analyzed. `isForNow`: a decoder was missing or too slow, so a later attempt may succeed.
 */
export interface NotListened {
  none: string;
  isForNow?: boolean;
}

interface HearingDeps extends LocalFileDeps {
  db: MainDb;
  fingerprinter: Pick<Fingerprinter, 'fingerprint' | 'listen'>;
  now: () => Date;
}

type AudioColumn =
  | 'storageUri'
  | 'format'
  | 'durationMs'
  | 'sizeBytes'
  | 'sectionStart'
  | 'sectionEnd'
  | 'sampleRateHz'
  | 'bitDepth';
type Audio = RowAs<typeof tracks, AudioColumn> & {
  storageUri: string;
  format: string;
  durationMs: number;
};

export type Hearing = ReturnType<typeof createHearing>;

export function createHearing({ db, fingerprinter, now, ...files }: HearingDeps) {
  const findAudio = db.$client.prepare<[TrackId], RowAs<typeof tracks, AudioColumn>>(
    `SELECT storage_uri AS storageUri, format, duration_ms AS durationMs, size_bytes AS sizeBytes,
      section_start AS sectionStart, section_end AS sectionEnd, sample_rate_hz AS sampleRateHz, bit_depth AS bitDepth
      FROM tracks WHERE id = ? AND availability = 'available'`,
  );
  const findPairs = db.$client.prepare<[TrackId, TrackId], { id: TrackId; similarity: number }>(
    `SELECT other_id AS id, similarity FROM duplicate_pairs WHERE track_id = ?
      UNION ALL SELECT track_id, similarity FROM duplicate_pairs WHERE other_id = ?`,
  );

  async function fingerprintFile(file: SoundFile, signal: AbortSignal): Promise<FingerprintResult> {
    try {
      return { sound: await fingerprinter.fingerprint(file, signal) };
    } catch (error) {
      if (error instanceof NoFingerprint) return { none: error.message };
      throw error;
    }
  }

  async function fingerprintTrack(
    id: TrackId,
    { storedOnly = false }: { storedOnly?: boolean },
    signal: AbortSignal,
  ): Promise<FingerprintResult> {
    const storedFingerprint = findFingerprint(db, id);
    if (storedFingerprint) return { sound: storedFingerprint };
    return withAudio(id, { storedOnly }, signal, async (path, audio) => {
      const { format, durationMs } = audio;
      const result = await fingerprintFile({ path, durationMs, ...sectionStartOf(audio), format }, signal);
      if ('sound' in result) storeFingerprint(db, id, result.sound, now());
      return result;
    });
  }

  /** Calls `use` with the local file of a track. */
  async function withAudio<T>(
    id: TrackId,
    { storedOnly = false }: { storedOnly?: boolean },
    signal: AbortSignal,
    use: (path: string, audio: Audio) => Promise<T>,
  ): Promise<T | { away: true }> {
    const audio = findAudio.get(id);
    if (!audio?.storageUri || audio.durationMs === null || audio.format === null) return { away: true };
    const { storageUri, format, durationMs, sizeBytes } = audio;
    if (storedOnly && storageUri.startsWith(`${FILE_SCHEME}:`)) return { away: true };
    try {
      const object = await files.audioStore.resolve(storageUri);
      // The file has been replaced since the last scan; the next scan will notice.
      if (audio.sectionStart === null && (await object.stat()).size !== sizeBytes) return { away: true };
      const file = await openLocalFile(files, storageUri, signal);
      try {
        return await use(file.path, { ...audio, storageUri, format, durationMs });
      } finally {
        await file.release();
      }
    } catch (error) {
      if (error instanceof AppError) return { away: true }; // the file is gone, or its storage does not answer
      throw error;
    }
  }

  const listen = (
    id: TrackId,
    options: ListenWish,
    signal: AbortSignal,
  ): Promise<Listened | NotListened | { away: true }> =>
    withAudio(id, {}, signal, async (path, audio) => {
      const { format, durationMs, storageUri } = audio;
      const listened = await fingerprinter
        .listen({ path, format, durationMs, ...sectionOf(audio) }, options, signal)
        .catch((error: unknown) => {
          if (error instanceof NoFingerprint)
            return { none: error.message, isForNow: error.kind === 'unavailable' || error.kind === 'slow' };
          throw error;
        });
      // If the drive was unplugged during the analysis, the failure says nothing about the file, and `stat` throws.
      await (await files.audioStore.resolve(storageUri)).stat();
      return listened;
    });

  const comparableSound = (result: FingerprintResult): StoredFingerprint | undefined =>
    'sound' in result && isComparable(result.sound.raw) ? result.sound : undefined;

  return {
    /** Analyzes the whole audio of a track. Like the other methods, throws the reason of `signal`. */
    listen,
    /**
     * Returns the fingerprint of a track; undefined when the audio has none, is too short to be compared, or cannot be
     * read.
     */
    ofTrack: async (id: TrackId, signal: AbortSignal) => comparableSound(await fingerprintTrack(id, {}, signal)),
    /** Does the same as `ofTrack`, but reads no file in a music folder, because it may have been replaced. */
    ofStoredAudio: async (id: TrackId, signal: AbortSignal) =>
      comparableSound(await fingerprintTrack(id, { storedOnly: true }, signal)),
    ofFile: async (file: SoundFile, signal: AbortSignal) => comparableSound(await fingerprintFile(file, signal)),
    findStored: (id: TrackId): StoredFingerprint | undefined => findFingerprint(db, id),
    store: (id: TrackId, sound: StoredFingerprint): void => void storeFingerprint(db, id, sound, now()),
    /** Returns tracks that sound like a fingerprint. */
    findSimilarTo: (sound: StoredFingerprint): { id: TrackId; similarity: number }[] => findSimilarTracks(db, sound),
    soundsLikeDeleted: (sound: StoredFingerprint): boolean => soundsLikeDeletedTrack(db, sound),
    /** Returns tracks that sound like a track, except those that a person has dismissed. */
    listSimilarTracks: (id: TrackId): { id: TrackId; similarity: number }[] => findPairs.all(id, id),
  };
}
