// Finds the last frame of a FLAC stream, for truncated files and an unknown number of samples, and the first frame, for
// files whose metadata has wrong lengths.
import { UnreadableAudio } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import type { StreamInfo } from './flac-stream-info.ts';

/**
 * How far from the end a frame is searched for: more than any realistic frame (65,535 samples of 8 channels at 24 bit
 * do not occur).
 */
const TAIL_BYTES = 256 << 10;
const MAX_HEADER_BYTES = 16;
const BLOCK_SAMPLES = [0, 192, 576, 1152, 2304, 4608, -1, -2, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768];

const CRC8 = new Uint8Array(256);
for (let i = 0; i < 256; i++) {
  let crc = i;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? ((crc << 1) ^ 0x07) & 0xff : crc << 1;
  CRC8[i] = crc;
}

/** Returns the number of samples up to the end of the last frame with a valid header. */
export function findLastFlacSample(window: Window, info: StreamInfo, start: number, end: number): number {
  const from = Math.max(start, end - TAIL_BYTES);
  const position = window.at(from, end - from);
  if (position < 0) throw new UnreadableAudio('the FLAC file ends too early');
  const b = window.bytes;
  for (let i = position + (end - from) - MAX_HEADER_BYTES; i >= position; i--) {
    if (b[i] !== 0xff) continue;
    const samples = samplesAfterFrame(b, i, info);
    if (samples > 0) return samples;
  }
  throw new UnreadableAudio('there is no FLAC frame at the end of the file');
}

/** Finds the first frame after metadata whose length is too small; undefined if none is near. */
export function findFirstFlacFrame(window: Window, info: StreamInfo, start: number, end: number): number | undefined {
  const length = Math.min(TAIL_BYTES, end - start);
  const position = window.at(start, length);
  for (let i = position; position >= 0 && i < position + length - MAX_HEADER_BYTES; i++) {
    // only the frame with number 0 has this many samples at its end
    if (window.bytes[i] === 0xff && samplesAfterFrame(window.bytes, i, info) === info.maxBlock)
      return start + i - position;
  }
  return undefined;
}

/** Returns the number of samples up to the end of the frame at `i`, 0 if there is no frame. */
function samplesAfterFrame(b: Buffer, i: number, info: StreamInfo): number {
  const secondByte = b[i + 1] as number;
  if ((secondByte & 0xfe) !== 0xf8) return 0;
  const blockCode = (b[i + 2] as number) >> 4;
  const rateCode = (b[i + 2] as number) & 15;
  const { value, length } = codedNumber(b, i + 4);
  if (blockCode === 0 || rateCode === 15 || length === 0) return 0;
  let k = i + 4 + length;
  let block = BLOCK_SAMPLES[blockCode] as number;
  if (block < 0) {
    block = (block === -1 ? (b[k] as number) : ((b[k] as number) << 8) | (b[k + 1] as number)) + 1;
    k += blockCode === 6 ? 1 : 2;
  }
  k += rateCode === 12 ? 1 : rateCode === 13 || rateCode === 14 ? 2 : 0;
  if (crc8(b, i, k) !== b[k]) return 0;
  return secondByte & 1 ? value + block : value * info.maxBlock + block;
}

/** Reads a frame or sample number, encoded like UTF-8 with up to 36 bits. */
function codedNumber(b: Buffer, i: number): { value: number; length: number } {
  const leadByte = b[i] as number;
  if (leadByte < 0x80) return { value: leadByte, length: 1 };
  const length = Math.clz32(~(leadByte << 24));
  if (length < 2 || length > 7) return { value: 0, length: 0 };
  let value = leadByte & (0x7f >> length);
  for (let k = 1; k < length; k++) {
    const byte = b[i + k] as number;
    if ((byte & 0xc0) !== 0x80) return { value: 0, length: 0 };
    value = value * 64 + (byte & 0x3f);
  }
  return { value, length };
}

function crc8(b: Buffer, start: number, end: number): number {
  let crc = 0;
  for (let i = start; i < end; i++) crc = CRC8[crc ^ (b[i] as number)] as number;
  return crc;
}
