// Reads RVA2 frames, which some programs write instead of ReplayGain tags. https://id3.org/id3v2.4.0-frames, 4.11
import type { TagBuilder } from '../tag-builder.ts';
import { indexOfNul } from '../text.ts';

const MASTER_VOLUME = 1;

/**
 * Reads the gain of the master volume. Layout: `track` or `album`, NUL, then for each channel its type, gain in
 * 1/512 dB, bits of the peak, peak.
 */
export function readRva2(b: Buffer, start: number, end: number, builder: TagBuilder): void {
  const nul = indexOfNul(b, start, end);
  if (nul < 0) return;
  const gainKind = b.toString('latin1', start, nul).toLowerCase();
  if (gainKind !== 'track' && gainKind !== 'album') return;
  for (let i = nul + 1; i + 4 <= end;) {
    const bits = b[i + 3] as number;
    if (b[i] === MASTER_VOLUME) {
      const gain = b.readInt16BE(i + 1) / 512;
      builder.addGain(gainKind === 'track' ? 'trackGainDb' : 'albumGainDb', gain);
      return;
    }
    i += 4 + ((bits + 7) >> 3);
  }
}
