// Compares a missing track with a file or a new track whose bytes differ, such as an MP3 that became a FLAC. Pure
// functions.
import type { TrackId } from '../../db/ids.ts';
import { NO_HASH } from '../../files/read-file.ts';
import { SAME_LENGTH_MS } from '../../media/fingerprint-match.ts';
import { identityKey } from '../../library/tracks/sort-and-identity-keys.ts';

/** The fields that are compared when one of the two tracks has no fingerprint. */
export interface ComparedMusic {
  durationMs: number | null;
  audioHash: string | null;
  format: string | null;
  codec: string | null;
  sampleRateHz: number | null;
  channels: number | null;
  title: string | null;
  artist: string | null;
  album: string | null;
  recordingMbid: string | null;
}

export const haveSameLength = (a: Pick<ComparedMusic, 'durationMs'>, b: Pick<ComparedMusic, 'durationMs'>): boolean =>
  a.durationMs !== null && b.durationMs !== null && Math.abs(a.durationMs - b.durationMs) <= SAME_LENGTH_MS;

/** Returns a function that finds music of the same length, within 2 s. */
export function createLengthIndex<M extends Pick<ComparedMusic, 'durationMs'>>(
  music: readonly M[],
): (comparedMusic: Pick<ComparedMusic, 'durationMs'>) => Generator<M> {
  const lengthOf = ({ durationMs }: Pick<ComparedMusic, 'durationMs'>): number => durationMs ?? -Infinity;
  const sortedMusic = music.toSorted((a, b) => lengthOf(a) - lengthOf(b));
  return function* (comparedMusic) {
    const shortestMs = lengthOf(comparedMusic) - SAME_LENGTH_MS;
    let [low, high] = [0, sortedMusic.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (lengthOf(sortedMusic[middle] as M) < shortestMs) low = middle + 1;
      else high = middle;
    }
    for (; low < sortedMusic.length && haveSameLength(comparedMusic, sortedMusic[low] as M); low++)
      yield sortedMusic[low] as M;
  };
}

/**
 * Compares a missing track with a file or a new track, without fingerprints. Returns true for the same length and
 * format if the missing track was never hashed, for the same recording on the same album, and for the same title,
 * artist and album with about the same length.
 */
export function seemsSame(goneTrack: ComparedMusic, successor: ComparedMusic): boolean {
  if (!haveSameLength(goneTrack, successor)) return false;
  if (goneTrack.audioHash === null && isSameAudio(goneTrack, successor)) return true;
  if (!hasNames(goneTrack) || !areSameNames(goneTrack.album, successor.album)) return false;
  if (goneTrack.recordingMbid !== null && goneTrack.recordingMbid === successor.recordingMbid)
    return goneTrack.album !== null;
  return areSameNames(goneTrack.title, successor.title) && areSameNames(goneTrack.artist, successor.artist);
}

/** Returns a function that finds the tracks that seem to be the same (`seemsSame`), however many there are. */
export function createNameIndex<G extends ComparedMusic>(goneTracks: readonly G[]): (successor: ComparedMusic) => G[] {
  const lookupKeysOf = (music: ComparedMusic, isHashed: boolean): string[] => {
    const { durationMs, format, codec, sampleRateHz, channels, recordingMbid, title, artist } = music;
    const album = identityKey(music.album ?? '');
    return [
      ...(isHashed ? [] : [['audio', durationMs, format, codec, sampleRateHz, channels]]),
      ...(recordingMbid === null ? [] : [['recording', recordingMbid, album]]),
      ['names', album, identityKey(title ?? ''), identityKey(artist ?? '')],
    ].map((parts) => parts.join('\n'));
  };
  const musicByKey = new Map<string, G[]>();
  for (const music of goneTracks)
    for (const key of lookupKeysOf(music, music.audioHash !== null)) {
      const sameKeyMusic = musicByKey.get(key);
      if (sameKeyMusic) sameKeyMusic.push(music);
      else musicByKey.set(key, [music]);
    }
  return (successor) =>
    [...new Set(lookupKeysOf(successor, false).flatMap((key) => musicByKey.get(key) ?? []))].filter((candidate) =>
      seemsSame(candidate, successor),
    );
}

type AudioKind = Pick<ComparedMusic, 'durationMs' | 'format' | 'codec' | 'sampleRateHz' | 'channels'>;

/** Compares the properties of two files; without a hash, equal properties count as the same audio. */
export const isSameAudio = (a: AudioKind, b: AudioKind): boolean =>
  a.durationMs === b.durationMs &&
  a.format === b.format &&
  a.codec === b.codec &&
  a.sampleRateHz === b.sampleRateHz &&
  a.channels === b.channels;

const hasNames = ({ title, artist }: ComparedMusic): boolean => title !== null && artist !== null;
const areSameNames = (a: string | null, b: string | null): boolean => identityKey(a ?? '') === identityKey(b ?? '');

export interface Match<F> {
  goneId: TrackId;
  successor: F;
}

/**
 * Returns the matches whose two sides match nothing else. Files with the same bytes count as one: the first of them is
 * used, in the order given.
 */
export function filterCertainFiles<F extends Pick<ComparedMusic, 'audioHash'> & { id: TrackId }>(
  matches: readonly Match<F>[],
): Match<F>[] {
  const audioOf = ({ id, audioHash }: F): string =>
    audioHash === null || audioHash === NO_HASH ? String(id) : audioHash;
  const firstOfAudio = new Map<string, Match<F>>();
  for (const match of matches) {
    const key = `${match.goneId} ${audioOf(match.successor)}`;
    if (!firstOfAudio.has(key)) firstOfAudio.set(key, match);
  }
  const distinct = [...firstOfAudio.values()];
  const matchesByGoneId = Map.groupBy(distinct, ({ goneId }) => goneId);
  const matchesByAudio = Map.groupBy(distinct, ({ successor }) => audioOf(successor));
  return distinct.filter(
    ({ goneId, successor }) =>
      matchesByGoneId.get(goneId)?.length === 1 && matchesByAudio.get(audioOf(successor))?.length === 1,
  );
}

/** Returns the matches whose two sides match nothing else. */
export function filterCertain<F>(matches: readonly Match<F>[]): Match<F>[] {
  const matchesByGoneId = Map.groupBy(matches, ({ goneId }) => goneId);
  const matchesBySuccessor = Map.groupBy(matches, ({ successor }) => successor);
  return matches.filter(
    ({ goneId, successor }) =>
      matchesByGoneId.get(goneId)?.length === 1 && matchesBySuccessor.get(successor)?.length === 1,
  );
}
