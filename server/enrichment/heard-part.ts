// The part of a file that a track is, for its fingerprint. Pure.
import type { RowAs } from '../db/rows.ts';
import type { tracks } from '../db/schema.ts';
import type { SoundFile, WholeSound } from '../media/fingerprint.ts';

/** Empty for a track that is all of its file. */
export const heardPart = ({
  sectionStart,
  sampleRateHz,
}: RowAs<typeof tracks, 'sectionStart' | 'sampleRateHz'>): Pick<SoundFile, 'startMs'> =>
  sectionStart === null || sampleRateHz === null ? {} : { startMs: (sectionStart * 1_000) / sampleRateHz };

/** The same in samples. Lossless files are entered at the track; others are decoded from their beginning. */
export function heardSection({
  sectionStart,
  sectionEnd,
  sampleRateHz,
  bitDepth,
}: RowAs<typeof tracks, 'sectionStart' | 'sectionEnd' | 'sampleRateHz' | 'bitDepth'>): Pick<WholeSound, 'section'> {
  if (sectionStart === null || sampleRateHz === null) return {};
  if (bitDepth === null) return { section: { start: sectionStart, end: sectionEnd } };
  const end = sectionEnd === null ? null : sectionEnd - sectionStart;
  return { section: { start: 0, end, seekSeconds: sectionStart / sampleRateHz } };
}
