// Reads Monkey's Audio. music-metadata refuses versions before 3.98, and files without an APE tag.
// https://wiki.multimedia.cx/index.php/Monkey%27s_Audio
import { u16le, u32le } from '../integers.ts';
import type { FileRead } from '../tag-builder.ts';
import { UnreadableAudio } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { readEnclosed } from './enclosing-tags.ts';

/** From this version on, a descriptor precedes the header. */
const MIN_DESCRIPTOR_VERSION = 3980;
const EXTRA_HIGH = 4000;
const IS_8_BIT = 1;
const IS_24_BIT = 8;

interface Header {
  frames: number;
  blocksPerFrame: number;
  finalBlocks: number;
  bitDepth: number;
  channels: number;
  sampleRateHz: number;
}

export const readMonkeysAudio = (window: Window, start: number, keepPictures: boolean): FileRead =>
  readEnclosed(window, keepPictures, (_, end) => {
    const i = window.at(start, 32);
    if (i < 0) throw new UnreadableAudio("the Monkey's Audio header is cut off");
    const version = u16le(window.bytes, i + 4);
    const header =
      version >= MIN_DESCRIPTOR_VERSION ? readNewHeader(window, start) : readOldHeader(window.bytes, i, version);
    const { frames, blocksPerFrame, finalBlocks, bitDepth, channels, sampleRateHz } = header;
    const samples = frames === 0 ? 0 : (frames - 1) * blocksPerFrame + finalBlocks;
    const seconds = samples / sampleRateHz;
    return {
      format: 'ape',
      codec: 'ape',
      durationMs: seconds * 1000,
      bitrateKbps: Math.round(((end - start) * 8) / seconds / 1000),
      sampleRateHz,
      bitDepth,
      channels,
      lossless: true,
      payload: { start, end },
    };
  });

function readNewHeader(window: Window, start: number): Header {
  const k = window.at(start, 12);
  const position = start + u32le(window.bytes, k + 8);
  const i = window.at(position, 24);
  if (i < 0) throw new UnreadableAudio("the Monkey's Audio header is cut off");
  const b = window.bytes;
  return {
    blocksPerFrame: u32le(b, i + 4),
    finalBlocks: u32le(b, i + 8),
    frames: u32le(b, i + 12),
    bitDepth: u16le(b, i + 16),
    channels: u16le(b, i + 18),
    sampleRateHz: u32le(b, i + 20),
  };
}

function readOldHeader(b: Buffer, i: number, version: number): Header {
  const level = u16le(b, i + 6);
  const flags = u16le(b, i + 8);
  const isLong = version >= 3900 || (version >= 3800 && level === EXTRA_HIGH);
  return {
    blocksPerFrame: version >= 3950 ? 73_728 * 4 : isLong ? 73_728 : 9_216,
    frames: u32le(b, i + 24),
    finalBlocks: u32le(b, i + 28),
    bitDepth: flags & IS_8_BIT ? 8 : flags & IS_24_BIT ? 24 : 16,
    channels: u16le(b, i + 10),
    sampleRateHz: u32le(b, i + 12),
  };
}
