// Computes the section of a file that belongs to a track, for its fingerprint. Pure.
import type { RowAs } from '../db/rows.ts';
import type { tracks } from '../db/schema.ts';
import type { SoundFile, WholeSound } from '../media/fingerprint.ts';

/** Returns the start of the section; an empty object for a track that fills its file. */
export const sectionStartOf = ({
  sectionStart,
  sampleRateHz,
}: RowAs<typeof tracks, 'sectionStart' | 'sampleRateHz'>): Pick<SoundFile, 'startMs'> =>
  sectionStart === null || sampleRateHz === null ? {} : { startMs: (sectionStart * 1_000) / sampleRateHz };

/**
 * Returns the section in samples. Decoding lossless files can start at the section; other files are decoded from their
 * beginning.
 */
export function sectionOf({
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
