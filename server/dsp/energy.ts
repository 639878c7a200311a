// Computes the energy of a track from 1 (calm) to 10 (intense), as DJ programs write it into tags. Loud, dense and
// bright music has more energy.
import type { Loudness } from './loudness.ts';
import { FRAMES_PER_SECOND, type Spectrogram } from './spectrogram.ts';
import type { Onsets } from './onsets.ts';

/** Bands with this and higher indexes are above about 2.5 kHz. */
const BRIGHT_BAND = 24;

export function energyOf(
  { integrated, range }: Pick<Loudness, 'integrated' | 'range'>,
  { melPower }: Spectrogram,
  { allBands }: Onsets,
): number {
  if (integrated === null) return 1;
  let peaks = 0;
  for (let i = 1; i + 1 < allBands.length; i++)
    if (
      (allBands[i] as number) > 1.5 &&
      (allBands[i] as number) >= (allBands[i - 1] as number) &&
      (allBands[i] as number) > (allBands[i + 1] as number)
    )
      peaks++;
  const perSecond = (peaks * FRAMES_PER_SECOND) / Math.max(1, allBands.length);
  const sumOf = (power: Float64Array): number => power.reduce((sum, value) => sum + value, 0);
  const [bright, total] = [sumOf(melPower.subarray(BRIGHT_BAND)), sumOf(melPower)];
  const brightDb = 10 * Math.log10((bright + 1e-12) / (total + 1e-12));
  const scale = (value: number, low: number, high: number): number =>
    Math.max(0, Math.min(1, (value - low) / (high - low)));
  const energy =
    0.4 * scale(integrated, -30, -7) +
    0.25 * scale(perSecond, 0.5, 7) +
    0.25 * scale(brightDb, -40, -8) +
    0.1 * scale(-range, -18, -2);
  return Math.round(1 + 9 * energy);
}
