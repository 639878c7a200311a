// Whether a vanished track and a file are the same music, where their bytes differ: an MP3 that became a FLAC. Pure.
import type { TrackId } from '../db/ids.ts';
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

/** Two encodings of one recording differ by their padding. */
const SAME_LENGTH_MS = 2_000;

export const isAsLong = (a: Pick<ComparedMusic, 'durationMs'>, b: Pick<ComparedMusic, 'durationMs'>): boolean =>
  a.durationMs !== null && b.durationMs !== null && Math.abs(a.durationMs - b.durationMs) <= SAME_LENGTH_MS;

/** Finds those that are as long, give or take 2 s. */
export function byLength<M extends Pick<ComparedMusic, 'durationMs'>>(
  music: readonly M[],
): (one: Pick<ComparedMusic, 'durationMs'>) => M[] {
  const slotOf = (durationMs: number | null): number => Math.floor((durationMs ?? -1) / SAME_LENGTH_MS);
  const slots = Map.groupBy(music, ({ durationMs }) => slotOf(durationMs));
  return (one) =>
    [-1, 0, 1]
      .flatMap((near) => slots.get(slotOf(one.durationMs) + near) ?? [])
      .filter((other) => isAsLong(one, other));
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

/** Matches whose two sides match no other. */
export function onlyCertain<F>(matches: readonly Match<F>[]): Match<F>[] {
  const ofGone = Map.groupBy(matches, ({ gone }) => gone);
  const ofNow = Map.groupBy(matches, ({ now }) => now);
  return matches.filter(({ gone, now }) => ofGone.get(gone)?.length === 1 && ofNow.get(now)?.length === 1);
}
