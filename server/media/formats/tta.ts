// Reads True Audio. https://tausoft.org/wiki/True_Audio_Codec_Format
import { u16le, u32le } from '../integers.ts';
import type { FileRead } from '../tag-builder.ts';
import { UnreadableAudio } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { readEnclosed } from './enclosing-tags.ts';

const HEADER_BYTES = 22;

export const readTta = (window: Window, start: number, keepPictures: boolean): FileRead =>
  readEnclosed(window, keepPictures, (_, end) => {
    const i = window.at(start, HEADER_BYTES);
    if (i < 0) throw new UnreadableAudio('the TTA header is cut off');
    const b = window.bytes;
    const sampleRateHz = u32le(b, i + 10);
    const seconds = u32le(b, i + 14) / sampleRateHz;
    return {
      format: 'tta',
      codec: 'tta',
      durationMs: seconds * 1000,
      bitrateKbps: Math.round(((end - start) * 8) / seconds / 1000),
      sampleRateHz,
      bitDepth: u16le(b, i + 8),
      channels: u16le(b, i + 6),
      lossless: true,
      payload: { start, end },
    };
  });
