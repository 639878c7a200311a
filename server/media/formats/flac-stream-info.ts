// Reads FLAC's STREAMINFO, also used in Ogg. RFC 9639, 8.2
import { u16be, u24be, u32be } from '../integers.ts';
import type { Window } from '../buffered-source.ts';

const STREAMINFO_BYTES = 34;

export interface StreamInfo {
  minBlock: number;
  maxBlock: number;
  minFrameBytes: number;
  sampleRateHz: number;
  channels: number;
  bitDepth: number;
  /** Number of samples; 0 if unknown. */
  samples: number;
}

/** Reads STREAMINFO's body at `position`; undefined if the body is truncated or invalid. */
export function streamInfoAt(window: Window, position: number): StreamInfo | undefined {
  const i = window.at(position, STREAMINFO_BYTES);
  if (i < 0) return undefined;
  const b = window.bytes;
  const sampleRateHz = u24be(b, i + 10) >> 4;
  if (sampleRateHz === 0) return undefined;
  return {
    minBlock: u16be(b, i),
    maxBlock: u16be(b, i + 2),
    minFrameBytes: u24be(b, i + 4),
    sampleRateHz,
    channels: (((b[i + 12] as number) >> 1) & 7) + 1,
    bitDepth: ((((b[i + 12] as number) & 1) << 4) | ((b[i + 13] as number) >> 4)) + 1,
    samples: ((b[i + 13] as number) & 15) * 4294967296 + u32be(b, i + 14),
  };
}
