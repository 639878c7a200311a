// Checks the result of every reader, so that impossible values do not reach the library.
import { UnreadableAudio, type AudioFacts } from './types.ts';

const MAX_DURATION_MS = 48 * 3600 * 1000;
/** Even silence in the most efficient codec has a higher bit rate. */
const MIN_BITS_PER_SECOND = 150;
/** Smaller payloads are exempt, since they may not contain a complete frame. */
const MIN_CHECKED_PAYLOAD_BYTES = 1000;

/** Checks the facts and rounds the duration to whole milliseconds. Throws UnreadableAudio for impossible values. */
export function checkFacts(facts: AudioFacts, fileSize: number): AudioFacts {
  const { durationMs, payload } = facts;
  if (!Number.isFinite(durationMs) || durationMs <= 0) throw new UnreadableAudio('the file has no duration');
  if (durationMs > MAX_DURATION_MS) throw new UnreadableAudio('the file claims to be longer than 48 hours');
  const bytes = payload ? payload.end - payload.start : fileSize;
  if (bytes > MIN_CHECKED_PAYLOAD_BYTES ? (bytes * 8000) / durationMs < MIN_BITS_PER_SECOND : durationMs > 60_000) {
    throw new UnreadableAudio('the duration that the file claims does not match its size');
  }
  if (!(facts.sampleRateHz >= 1 && facts.sampleRateHz <= 50_000_000))
    throw new UnreadableAudio('the file has no valid sample rate');
  if (!(facts.channels >= 1 && facts.channels <= 256))
    throw new UnreadableAudio('the file has no valid number of channels');
  facts.durationMs = Math.max(1, Math.round(durationMs));
  if (!Number.isFinite(facts.bitrateKbps)) facts.bitrateKbps = Math.round((bytes * 8) / facts.durationMs);
  return facts;
}
