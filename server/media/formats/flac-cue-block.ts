// Reads the CUESHEET block of FLAC: starts of tracks in samples, without names. https://xiph.org/flac/format.html
import { u64be } from '../integers.ts';
import type { CueSheet } from '../types.ts';

const HEAD_BYTES = 128 + 8 + 259 + 1;
const TRACK_BYTES = 36;
const INDEX_BYTES = 12;
const IS_DATA = 0x80;
/** Track numbers of the lead-out: of a compact disc, and of other media. */
const LEAD_OUT = [170, 255];

/** Reads the block; `b[i]` is the first byte of its content. */
export function readCueBlock(b: Buffer, i: number, length: number, sampleRateHz: number): CueSheet | undefined {
  const end = i + length;
  const sheet: CueSheet = { files: [], fields: [], tracks: [], unitsPerSecond: sampleRateHz };
  let position = i + HEAD_BYTES;
  for (let remaining = b[position - 1] ?? 0; remaining > 0 && position + TRACK_BYTES <= end; remaining--) {
    const number = b[position + 8] as number;
    const isTrack = !LEAD_OUT.includes(number) && ((b[position + 21] as number) & IS_DATA) === 0;
    const isrc = b.toString('latin1', position + 9, position + 21).replaceAll('\0', '');
    const indexes = b[position + TRACK_BYTES - 1] as number;
    let startSample = u64be(b, position);
    for (let n = 0; n < indexes && position + TRACK_BYTES + (n + 1) * INDEX_BYTES <= end; n++) {
      const index = position + TRACK_BYTES + n * INDEX_BYTES;
      if (b[index + 8] === 1) startSample = u64be(b, position) + u64be(b, index);
    }
    if (LEAD_OUT.includes(number)) sheet.endUnits = startSample;
    if (isTrack)
      sheet.tracks.push({ number, startUnits: startSample, file: 0, fields: isrc === '' ? [] : [['ISRC', isrc]] });
    position += TRACK_BYTES + indexes * INDEX_BYTES;
  }
  return sheet.tracks.length > 1 ? sheet : undefined;
}
