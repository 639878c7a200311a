// Reads TAK: metadata blocks, of which STREAMINFO describes the audio. Bits are packed from the lowest up.
// https://wiki.multimedia.cx/index.php/TAK
import { u24le } from '../integers.ts';
import { MAX_CHUNKS } from '../limits.ts';
import type { FileRead } from '../tag-builder.ts';
import { UnreadableAudio, type AudioFacts } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { readEnclosed } from './enclosing-tags.ts';

const END = 0;
const STREAMINFO = 1;
const STREAMINFO_BYTES = 10;

export const readTak = (window: Window, start: number, keepPictures: boolean): FileRead =>
  readEnclosed(window, keepPictures, (_, end) => {
    let info: Pick<AudioFacts, 'sampleRateHz' | 'bitDepth' | 'channels' | 'durationMs'> | undefined;
    let position = start + 4;
    for (let n = 0; n < MAX_CHUNKS; n++) {
      const i = window.at(position, 4);
      if (i < 0) throw new UnreadableAudio('the TAK metadata is cut off');
      const type = (window.bytes[i] as number) & 0x7f;
      if (type === STREAMINFO) info ??= streamInfoAt(window, position + 4);
      position += 4 + u24le(window.bytes, i + 1);
      if (type === END) break;
    }
    if (!info) throw new UnreadableAudio('the TAK file has no stream information');
    if (position >= end) throw new UnreadableAudio('there is no audio after the tags');
    return {
      format: 'tak',
      codec: 'tak',
      ...info,
      bitrateKbps: Math.round(((end - position) * 8) / info.durationMs),
      lossless: true,
      payload: { start: position, end },
    };
  });

function streamInfoAt(window: Window, position: number) {
  const i = window.at(position, STREAMINFO_BYTES);
  if (i < 0) return undefined;
  let bits = 0n;
  for (let k = STREAMINFO_BYTES - 1; k >= 0; k--) bits = (bits << 8n) | BigInt(window.bytes[i + k] as number);
  const field = (from: bigint, count: number): number => Number((bits >> from) & ((1n << BigInt(count)) - 1n));
  const sampleRateHz = field(52n, 18) + 6000;
  return {
    sampleRateHz,
    bitDepth: field(70n, 5) + 8,
    channels: field(75n, 4) + 1,
    durationMs: (field(14n, 35) * 1000) / sampleRateHz,
  };
}
