// The fingerprint of a track: the one that is stored, or one made of its audio now. Asks nobody, so it does not depend
// on whether look-ups are on.
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
import { findAlike, findFingerprint, isLikeDeleted, storeFingerprint, type StoredFingerprint } from './fingerprints.ts';
import { heardPart, heardSection } from './heard-part.ts';
import { openLocalFile, type LocalFileDeps } from './local-file.ts';

/** `none`: why its audio has none. `away`: the audio cannot be read now. */
type Heard = { sound: StoredFingerprint } | { none: string } | { away: true };

/** `isForNow`: a decoder is missing, or was too slow; it may be there or quicker another time. */
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

  async function hearFile(file: SoundFile, signal: AbortSignal): Promise<Heard> {
    try {
      return { sound: await fingerprinter.fingerprint(file, signal) };
    } catch (error) {
      if (error instanceof NoFingerprint) return { none: error.message };
      throw error;
    }
  }

  async function hearTrack(
    id: TrackId,
    { keptOnly = false }: { keptOnly?: boolean },
    signal: AbortSignal,
  ): Promise<Heard> {
    const stored = findFingerprint(db, id);
    if (stored) return { sound: stored };
    return withAudio(id, { keptOnly }, signal, async (path, audio) => {
      const { format, durationMs } = audio;
      const heard = await hearFile({ path, durationMs, ...heardPart(audio), format }, signal);
      if ('sound' in heard) storeFingerprint(db, id, heard.sound, now());
      return heard;
    });
  }

  /** Gives the file of a track to `use`. */
  async function withAudio<T>(
    id: TrackId,
    { keptOnly = false }: { keptOnly?: boolean },
    signal: AbortSignal,
    use: (path: string, audio: Audio) => Promise<T>,
  ): Promise<T | { away: true }> {
    const audio = findAudio.get(id);
    if (!audio?.storageUri || audio.durationMs === null || audio.format === null) return { away: true };
    const { storageUri, format, durationMs, sizeBytes } = audio;
    if (keptOnly && storageUri.startsWith(`${FILE_SCHEME}:`)) return { away: true };
    try {
      const object = await files.audioStore.resolve(storageUri);
      // another file by now; a scan will see it
      if (audio.sectionStart === null && (await object.stat()).size !== sizeBytes) return { away: true };
      const file = await openLocalFile(files, storageUri, signal);
      try {
        return await use(file.path, { ...audio, storageUri, format, durationMs });
      } finally {
        await file.release();
      }
    } catch (error) {
      if (error instanceof AppError) return { away: true }; // gone, or its storage does not answer
      throw error;
    }
  }

  const listen = (
    id: TrackId,
    wish: ListenWish,
    signal: AbortSignal,
  ): Promise<Listened | NotListened | { away: true }> =>
    withAudio(id, {}, signal, async (path, audio) => {
      const { format, durationMs, storageUri } = audio;
      const listened = await fingerprinter
        .listen({ path, format, durationMs, ...heardSection(audio) }, wish, signal)
        .catch((error: unknown) => {
          if (error instanceof NoFingerprint)
            return { none: error.message, isForNow: error.kind === 'unavailable' || error.kind === 'slow' };
          throw error;
        });
      // a drive that was unplugged meanwhile says nothing of the file
      await (await files.audioStore.resolve(storageUri)).stat();
      return listened;
    });

  const soundOf = (heard: Heard): StoredFingerprint | undefined =>
    'sound' in heard && isComparable(heard.sound.raw) ? heard.sound : undefined;

  return {
    /** All of its audio, for the analysis. Throws the reason of `signal`, as the others do. */
    listen,
    /** Undefined when there is none, it is too short to be compared, or the audio cannot be reached. */
    ofTrack: async (id: TrackId, signal: AbortSignal) => soundOf(await hearTrack(id, {}, signal)),
    /** The same, without reading a file of the music folder, which may be another one by now. */
    ofKept: async (id: TrackId, signal: AbortSignal) => soundOf(await hearTrack(id, { keptOnly: true }, signal)),
    ofFile: async (file: SoundFile, signal: AbortSignal) => soundOf(await hearFile(file, signal)),
    stored: (id: TrackId): StoredFingerprint | undefined => findFingerprint(db, id),
    store: (id: TrackId, sound: StoredFingerprint): void => void storeFingerprint(db, id, sound, now()),
    /** Tracks that sound like a file. */
    like: (sound: StoredFingerprint): { id: TrackId; similarity: number }[] => findAlike(db, sound),
    isLikeDeleted: (sound: StoredFingerprint): boolean => isLikeDeleted(db, sound),
    /** Tracks that sound the same, unless a person said that they are not. */
    alike: (id: TrackId): { id: TrackId; similarity: number }[] => findPairs.all(id, id),
  };
}
