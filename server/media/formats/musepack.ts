// Reads Musepack: stream version 7 with a fixed header, version 8 with packets. music-metadata is not used, because it
// reads every frame of the file, about 9,000 of a track of four minutes, and refuses files with a packet that it does
// not know. https://trac.musepack.net/musepack/wiki/SV7Specification,
// https://trac.musepack.net/musepack/wiki/SV8Specification
import { u32le } from '../integers.ts';
import { MAX_CHUNKS } from '../limits.ts';
import { matches } from '../picture-mime.ts';
import type { FileRead } from '../tag-builder.ts';
import { UnreadableAudio } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { readEnclosed } from './enclosing-tags.ts';

const RATES = [44100, 48000, 37800, 32000];
const SAMPLES_PER_FRAME = 1152;
/** The decoder's delay in samples, which the last frame of version 7 includes. */
const DELAY = 481;
const SV7_HEADER_BYTES = 24;

interface Stream {
  samples: number;
  sampleRateHz: number;
  channels: number;
}

export const readMusepack = (window: Window, start: number, keepPictures: boolean): FileRead =>
  readEnclosed(window, keepPictures, (_, end) => {
    const i = window.at(start, 4);
    const { samples, sampleRateHz, channels } =
      i >= 0 && matches(window.bytes, i, 'MPCK') ? sv8At(window, start + 4, end) : sv7At(window, start);
    const seconds = samples / sampleRateHz;
    return {
      format: 'mpc',
      codec: 'musepack',
      durationMs: seconds * 1000,
      bitrateKbps: Math.round(((end - start) * 8) / seconds / 1000),
      sampleRateHz,
      channels,
      lossless: false,
      payload: { start, end },
    };
  });

/** Reads the header of version 7, which is always stereo. */
function sv7At(window: Window, start: number): Stream {
  const i = window.at(start, SV7_HEADER_BYTES);
  if (i < 0) throw new UnreadableAudio('the Musepack header is cut off');
  const b = window.bytes;
  if (((b[i + 3] as number) & 15) !== 7) throw new UnreadableAudio('this version of Musepack is not supported');
  const frames = u32le(b, i + 4);
  const sampleRateHz = RATES[(b[i + 10] as number) & 3] as number;
  const lastWord = u32le(b, i + 20);
  const isExact = lastWord >>> 31 === 1;
  const samples = isExact
    ? (frames - 1) * SAMPLES_PER_FRAME + ((lastWord >>> 20) & 0x7ff || SAMPLES_PER_FRAME)
    : frames * SAMPLES_PER_FRAME - DELAY;
  return { samples, sampleRateHz, channels: 2 };
}

function sv8At(window: Window, from: number, end: number): Stream {
  let position = from;
  for (let n = 0; n < MAX_CHUNKS && position + 3 <= end; n++) {
    const name = window.at(position, 2);
    if (name < 0) break;
    const isHeader = matches(window.bytes, name, 'SH');
    const size = numberAt(window, position + 2);
    if (isHeader) return streamHeaderAt(window, position + 2 + size.length);
    if (size.value < 3) break;
    position += size.value; // the size includes name and size
  }
  throw new UnreadableAudio('the Musepack file has no stream header');
}

/** Reads a stream header: checksum and version (5 bytes, skipped), sample count, leading silence, packed fields. */
function streamHeaderAt(window: Window, position: number): Stream {
  const samples = numberAt(window, position + 5);
  const silence = numberAt(window, position + 5 + samples.length);
  const i = window.at(position + 5 + samples.length + silence.length, 2);
  if (i < 0) throw new UnreadableAudio('the Musepack header is cut off');
  return {
    samples: samples.value - silence.value,
    sampleRateHz: RATES[(window.bytes[i] as number) >> 5] ?? 0,
    channels: ((window.bytes[i + 1] as number) >> 4) + 1,
  };
}

/** Reads a number of seven bits per byte, the highest first; a byte's top bit says that more bytes follow. */
function numberAt(window: Window, position: number): { value: number; length: number } {
  let value = 0;
  for (let length = 1; length <= 8; length++) {
    const i = window.at(position + length - 1, 1);
    if (i < 0) break;
    const byte = window.bytes[i] as number;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, length };
  }
  throw new UnreadableAudio('the Musepack header is damaged');
}
