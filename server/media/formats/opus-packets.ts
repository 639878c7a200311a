// Reads the duration of Opus packets from their first byte. RFC 6716, 3.1 and 3.2
import type { Window } from '../buffered-source.ts';
import type { OggPage } from './ogg-pages.ts';

/** Samples per frame at 48 kHz, by configuration. */
const FRAME_SAMPLES = Array.from({ length: 32 }, (_, config) => {
  if (config < 12) return [480, 960, 1920, 2880][config & 3] as number;
  if (config < 16) return config & 1 ? 960 : 480;
  return 120 << (config & 3);
});

/** Returns the number of samples of the packets that start on a page. */
export function opusPageSamples(window: Window, page: OggPage): number {
  const length = page.end - page.position;
  const position = window.at(page.position, length);
  if (position < 0) return 0;
  const b = window.bytes;
  let samples = 0;
  let body = position + 27 + page.segments;
  let packet = (page.flags & 1) === 0 ? body : -1; // the first byte of a continued packet is on the previous page
  for (let n = 0; n < page.segments; n++) {
    const lacingValue = b[position + 27 + n] as number;
    body += lacingValue;
    if (lacingValue === 255) continue;
    if (packet >= 0 && body > packet) samples += packetSamples(b, packet, body);
    packet = body;
  }
  return samples;
}

function packetSamples(b: Buffer, i: number, end: number): number {
  const firstByte = b[i] as number;
  const frame = FRAME_SAMPLES[firstByte >> 3] as number;
  const code = firstByte & 3;
  const frames = code === 0 ? 1 : code < 3 ? 2 : i + 1 < end ? (b[i + 1] as number) & 63 : 0;
  return frame * frames;
}
