// Whether a vanished track and a file are the same music, where their bytes differ: an MP3 that became a FLAC. Pure.
import type { TrackId } from '../db/ids.ts';
import { NO_HASH } from '../files/read-file.ts';
import { SAME_LENGTH_MS } from '../media/fingerprint-match.ts';
import { identityKey } from '../library/sort-and-identity-keys.ts';

/** What is compared when there is no fingerprint of one of the two. */
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

export const isAsLong = (a: Pick<ComparedMusic, 'durationMs'>, b: Pick<ComparedMusic, 'durationMs'>): boolean =>
  a.durationMs !== null && b.durationMs !== null && Math.abs(a.durationMs - b.durationMs) <= SAME_LENGTH_MS;

/** Finds those that are as long, give or take 2 s. */
export function byLength<M extends Pick<ComparedMusic, 'durationMs'>>(
  music: readonly M[],
): (one: Pick<ComparedMusic, 'durationMs'>) => Generator<M> {
  const lengthOf = ({ durationMs }: Pick<ComparedMusic, 'durationMs'>): number => durationMs ?? -Infinity;
  const sorted = music.toSorted((a, b) => lengthOf(a) - lengthOf(b));
  return function* (one) {
    const shortest = lengthOf(one) - SAME_LENGTH_MS;
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (lengthOf(sorted[middle] as M) < shortest) low = middle + 1;
      else high = middle;
    }
    for (; low < sorted.length && isAsLong(one, sorted[low] as M); low++) yield sorted[low] as M;
  };
}

/**
 * Without fingerprints: the very same length and format, where the audio of the vanished one was never hashed · the
 * same recording on the same album · the same title, artist and album, and about the same length.
 */
export function seemsSame(gone: ComparedMusic, now: ComparedMusic): boolean {
  if (!isAsLong(gone, now)) return false;
  if (gone.audioHash === null && isSameAudio(gone, now)) return true;
  if (!isNamed(gone) || !isSame(gone.album, now.album)) return false;
  if (gone.recordingMbid !== null && gone.recordingMbid === now.recordingMbid) return gone.album !== null;
  return isSame(gone.title, now.title) && isSame(gone.artist, now.artist);
}

/** Finds those that seem to be the same (`seemsSame`), however many there are. */
export function seemingSame<G extends ComparedMusic>(gone: readonly G[]): (now: ComparedMusic) => G[] {
  const keysOf = (music: ComparedMusic, isHashed: boolean): string[] => {
    const { durationMs, format, codec, sampleRateHz, channels, recordingMbid, title, artist } = music;
    const album = identityKey(music.album ?? '');
    return [
      ...(isHashed ? [] : [['audio', durationMs, format, codec, sampleRateHz, channels]]),
      ...(recordingMbid === null ? [] : [['recording', recordingMbid, album]]),
      ['names', album, identityKey(title ?? ''), identityKey(artist ?? '')],
    ].map((parts) => parts.join('\n'));
  };
  const found = new Map<string, G[]>();
  for (const one of gone)
    for (const key of keysOf(one, one.audioHash !== null)) {
      const same = found.get(key);
      if (same) same.push(one);
      else found.set(key, [one]);
    }
  return (now) =>
    [...new Set(keysOf(now, false).flatMap((key) => found.get(key) ?? []))].filter((one) => seemsSame(one, now));
}

type AudioKind = Pick<ComparedMusic, 'durationMs' | 'format' | 'codec' | 'sampleRateHz' | 'channels'>;

/** As far as can be told without a hash. */
export const isSameAudio = (a: AudioKind, b: AudioKind): boolean =>
  a.durationMs === b.durationMs &&
  a.format === b.format &&
  a.codec === b.codec &&
  a.sampleRateHz === b.sampleRateHz &&
  a.channels === b.channels;

const isNamed = ({ title, artist }: ComparedMusic): boolean => title !== null && artist !== null;
const isSame = (a: string | null, b: string | null): boolean => identityKey(a ?? '') === identityKey(b ?? '');

export interface Match<F> {
  gone: TrackId;
  now: F;
}

/**
 * Matches whose two sides match no other. Files with the same bytes are one: the first of them counts, in the order
 * given.
 */
export function onlyCertainFiles<F extends Pick<ComparedMusic, 'audioHash'> & { id: TrackId }>(
  matches: readonly Match<F>[],
): Match<F>[] {
  const audioOf = ({ id, audioHash }: F): string =>
    audioHash === null || audioHash === NO_HASH ? String(id) : audioHash;
  const firstOfAudio = new Map<string, Match<F>>();
  for (const match of matches) {
    const key = `${match.gone} ${audioOf(match.now)}`;
    if (!firstOfAudio.has(key)) firstOfAudio.set(key, match);
  }
  const distinct = [...firstOfAudio.values()];
  const ofGone = Map.groupBy(distinct, ({ gone }) => gone);
  const ofNow = Map.groupBy(distinct, ({ now }) => audioOf(now));
  return distinct.filter(({ gone, now }) => ofGone.get(gone)?.length === 1 && ofNow.get(audioOf(now))?.length === 1);
}

/** Matches whose two sides match no other. */
export function onlyCertain<F>(matches: readonly Match<F>[]): Match<F>[] {
  const ofGone = Map.groupBy(matches, ({ gone }) => gone);
  const ofNow = Map.groupBy(matches, ({ now }) => now);
  return matches.filter(({ gone, now }) => ofGone.get(gone)?.length === 1 && ofNow.get(now)?.length === 1);
}
