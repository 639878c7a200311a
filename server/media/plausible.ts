// The last look at what a reader found, whoever read it: numbers that cannot be true must not reach the library.
import { UnreadableAudio, type AudioFacts } from './types.ts';

export const LONGEST_MS = 48 * 3600 * 1000;
/** Silence in the tightest codec still takes more bits a second than this. */
const FEWEST_BITS_PER_SECOND = 150;
/** Below this size the frame that holds a second of silence may not even be whole. */
const SMALL_PAYLOAD = 1000;

/** Rounds the duration to whole milliseconds; throws UnreadableAudio when something is absurd. */
export function checkFacts(facts: AudioFacts, fileSize: number): AudioFacts {
  const { durationMs, payload } = facts;
  if (!Number.isFinite(durationMs) || durationMs <= 0)
    throw new UnreadableAudio('the file does not say how long it plays, or plays nothing');
  if (durationMs > LONGEST_MS) throw new UnreadableAudio('the file claims to play for more than 48 hours');
  const bytes = payload ? payload.end - payload.start : fileSize;
  if (bytes > SMALL_PAYLOAD ? (bytes * 8000) / durationMs < FEWEST_BITS_PER_SECOND : durationMs > 60_000) {
    throw new UnreadableAudio('the play time that the file claims does not fit its size');
  }
  if (!(facts.sampleRateHz >= 1 && facts.sampleRateHz <= 50_000_000))
    throw new UnreadableAudio('the file has no usable sample rate');
  if (!(facts.channels >= 1 && facts.channels <= 256))
    throw new UnreadableAudio('the file has no usable number of channels');
  facts.durationMs = Math.max(1, Math.round(durationMs));
  if (!Number.isFinite(facts.bitrateKbps)) facts.bitrateKbps = Math.round((bytes * 8) / facts.durationMs);
  return facts;
}
