// Reads the silent first frame of many MP3 files: the number of frames (Xing, Info, VBRI), and encoder delay and
// padding (LAME). http://gabriel.mp3-tech.org/mp3infotag.html
import { u24be, u32be } from '../integers.ts';
import { matches } from '../picture-mime.ts';
import type { MpegStream } from './mpeg-header.ts';

export interface XingFrame {
  /** Number of frames after this one, if known. */
  frames: number | undefined;
  /** Size of the stream including this frame, if known. */
  bytes: number | undefined;
  delay: number;
  padding: number;
}

const HAS_FRAMES = 1;
const HAS_BYTES = 2;
const VBRI_AT = 36;
/** Offset of LAME's delay and padding from `Xing`. */
const LAME_DELAY_AT = 141;

/** Parses the frame `b[i, i + length)`; undefined for an ordinary frame. */
export function readXingFrame(b: Buffer, i: number, length: number, stream: MpegStream): XingFrame | undefined {
  const sideInfoBytes = stream.isMpeg1 ? (stream.channels === 1 ? 17 : 32) : stream.channels === 1 ? 9 : 17;
  for (const crc of [0, 2]) {
    // protected frames have two more bytes
    const position = i + 4 + crc + sideInfoBytes;
    if (position + 16 <= i + length && (matches(b, position, 'Xing') || matches(b, position, 'Info')))
      return readXing(b, position, i + length);
  }
  const vbri = i + VBRI_AT;
  if (vbri + 18 > i + length || !matches(b, vbri, 'VBRI')) return undefined;
  return { frames: u32be(b, vbri + 14) || undefined, bytes: u32be(b, vbri + 10) || undefined, delay: 0, padding: 0 };
}

function readXing(b: Buffer, position: number, end: number): XingFrame {
  const flags = u32be(b, position + 4);
  const frames = flags & HAS_FRAMES ? u32be(b, position + 8) : 0;
  const bytes = flags & HAS_BYTES ? u32be(b, position + (flags & HAS_FRAMES ? 12 : 8)) : 0;
  const lame = position + 120;
  const hasLameTag =
    lame + 24 <= end &&
    (matches(b, lame, 'LAME') || matches(b, lame, 'Lav') || matches(b, lame, 'L3.9') || matches(b, lame, 'GOGO'));
  const delayAndPadding = hasLameTag ? u24be(b, position + LAME_DELAY_AT) : 0;
  return {
    frames: frames || undefined,
    bytes: bytes || undefined,
    delay: delayAndPadding >> 12,
    padding: delayAndPadding & 0xfff,
  };
}
