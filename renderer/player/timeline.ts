// Arithmetic of the audio clock in whole frames: sounds that start and end on frames meet without a gap. Pure; `rate`
// is the context's frames per second, to which all audio is decoded.

/** The place of a voice on the clock: frame `offset` of its sound is heard at frame `start` of the clock. */
export interface Anchor {
  start: number;
  offset: number;
}

/** Starts must be scheduled ahead of what the audio thread is already rendering. */
const LEAD_SECONDS = 0.02;

export const soonestFrame = (clockSeconds: number, rate: number): number =>
  Math.ceil((clockSeconds + LEAD_SECONDS) * rate);

/** Returns the frame of the sound that is heard at a frame of the clock; the first frame before the start. */
export const heardFrame = ({ start, offset }: Anchor, clockFrame: number): number =>
  offset + Math.max(0, clockFrame - start);

/** Returns the frame of the clock after the last frame of a sound of this `length`. */
export const endFrame = ({ start, offset }: Anchor, length: number): number => start + Math.max(0, length - offset);

/** An inaudible switch is scheduled far ahead, because the page may be held up for longer than `LEAD_SECONDS`. */
const SPLICE_LEAD_SECONDS = 0.3;

/**
 * Returns the frame at which to switch to a longer piece of the same sound: at the latest where the shorter piece, of
 * this `length`, ends, if that can still be scheduled.
 */
export function spliceFrame(
  anchor: Anchor,
  { length, clockSeconds, rate }: { length: number; clockSeconds: number; rate: number },
): number {
  const safeFrame = Math.min(Math.ceil((clockSeconds + SPLICE_LEAD_SECONDS) * rate), endFrame(anchor, length));
  return Math.max(soonestFrame(clockSeconds, rate), safeFrame, anchor.start);
}

const FIRST_PIECE_SECONDS = 5;
/** Size of headers and embedded pictures before the audio. */
const HEADER_BYTES = 64 * 1024;
const UNKNOWN_KBPS = 320;
const PIECE_GROWTH = 4;

/**
 * Returns the number of bytes needed for the next piece: a few seconds at first, for a quick start, then more, so that
 * little is decoded twice.
 */
export const nextPiece = (decodedBytes: number, bitrateKbps: number | null): number =>
  decodedBytes === 0
    ? HEADER_BYTES + FIRST_PIECE_SECONDS * 125 * (bitrateKbps ?? UNKNOWN_KBPS)
    : decodedBytes * PIECE_GROWTH;
