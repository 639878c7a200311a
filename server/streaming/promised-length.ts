// The length that is promised for a conversion before it ends, and what keeps the promise: the audio is a little
// shorter, and followed by bytes that players skip. Pure functions.
import { OGG_PAGE_BYTES, oggEndPage } from '../media/ogg-end-page.ts';
import { bitratesOf, isBitrateKept, PROFILES, type ProfileName, type TranscodeOrder } from '../media/transcode.ts';

/** Encoders add less than this at both ends of the audio. */
const ENCODER_DELAY_MS = 200;
/** Encoders with a variable bit rate exceed it by less than this, and containers add less than the rest. */
const MAX_EXCESS = 1.1;
const CONTAINER_KBPS = 4;
const CONTAINER_BYTES = 8 << 10;
/** Players compute the duration of AAC without a container from its length, and it exceeds usual bit rates less. */
const MAX_AAC_EXCESS = 1.02;
const USUAL_AAC_KBPS = 160;
const AAC_BYTES = 1 << 10;
/** A stream that begins this close to the end has no audio. */
const SHORTEST_PART_MS = 100;

const durationOf = ({ startMs }: TranscodeOrder, durationMs: number): number => Math.max(0, durationMs - startMs);

/** Returns the promised length in bytes; undefined for lossless formats and tracks of unknown duration. */
export function promisedBytes(order: TranscodeOrder, durationMs: number | null): number | undefined {
  const bitrates = bitratesOf(order.profile);
  if (durationMs === null || bitrates === undefined || !isBitrateKept(order)) return undefined;
  const ms = durationOf(order, durationMs);
  if (bitrates.isConstant) return Math.ceil(((ms + ENCODER_DELAY_MS) * order.bitrateKbps) / 8);
  const isUsualAac = order.profile === 'aac' && order.bitrateKbps <= USUAL_AAC_KBPS;
  const [excess, bytes] = isUsualAac ? [MAX_AAC_EXCESS, AAC_BYTES] : [MAX_EXCESS, CONTAINER_BYTES];
  return Math.ceil((ms * (order.bitrateKbps * excess + CONTAINER_KBPS)) / 8) + bytes;
}

/**
 * Returns the time in milliseconds that a byte of the promised length stands for: exact for constant bit rates, in
 * proportion for others. Returns undefined where only padding is left.
 */
export function timeOfByte(
  order: TranscodeOrder,
  durationMs: number,
  promised: number,
  byte: number,
): number | undefined {
  const totalMs = durationOf(order, durationMs);
  const ms = bitratesOf(order.profile)?.isConstant ? (byte * 8) / order.bitrateKbps : (byte / promised) * totalMs;
  return ms < totalMs - SHORTEST_PART_MS ? ms : undefined;
}

const ZEROS = Buffer.alloc(16 << 10);
const NOTHING = Buffer.alloc(0);
const BOX_HEADER_BYTES = 8;

/**
 * Yields bytes `[start, end)` of a padding of `size` bytes: zeros, which decoders skip when they look for the next
 * frame or page. In MP4 they are a box of the type `free`; in Ogg they end with a page, made from `audioEnd`, the last
 * bytes of the audio.
 */
export function* padding(
  profile: ProfileName,
  size: number,
  { start, end, audioEnd = NOTHING }: { start: number; end: number; audioEnd?: Buffer | undefined },
): Generator<Buffer> {
  const { container } = PROFILES[profile];
  const head = container === 'mp4' && size >= BOX_HEADER_BYTES ? freeBoxHeader(size) : NOTHING;
  const tail = container === 'ogg' && size >= OGG_PAGE_BYTES ? (oggEndPage(audioEnd) ?? NOTHING) : NOTHING;
  const tailStart = size - tail.length;
  if (start < head.length) yield head.subarray(start, end);
  const zerosEnd = Math.min(end, tailStart);
  for (let position = Math.max(start, head.length); position < zerosEnd; position += ZEROS.length)
    yield ZEROS.subarray(0, zerosEnd - position);
  if (end > tailStart) yield tail.subarray(Math.max(0, start - tailStart), end - tailStart);
}

function freeBoxHeader(size: number): Buffer {
  const header = Buffer.alloc(BOX_HEADER_BYTES);
  header.writeUInt32BE(size, 0);
  header.write('free', 4, 'latin1');
  return header;
}
