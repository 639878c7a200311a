// The part of a file that a track is, for its fingerprint. Pure.
import type { RowAs } from '../db/rows.ts';
import type { tracks } from '../db/schema.ts';
import type { SoundFile } from '../media/fingerprint.ts';

/** Empty for a track that is all of its file. */
export const heardPart = ({
  sectionStart,
  sampleRateHz,
}: RowAs<typeof tracks, 'sectionStart' | 'sampleRateHz'>): Pick<SoundFile, 'startMs'> =>
  sectionStart === null || sampleRateHz === null ? {} : { startMs: (sectionStart * 1_000) / sampleRateHz };
