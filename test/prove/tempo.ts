// Measures how often tempo and key are right, on arrangements in many styles that no constant was fitted to; their
// numbers follow from the seed and are beyond those of test/bench/ear/held-out.json. Accuracy1: within 4 % of the
// tempo; Accuracy2: also of its half, double, third or triple (Gouyon and others 2006). Keys are also weighted as in
// MIREX: a fifth 0.5, the relative key 0.3, the parallel key 0.2.
import { findKey } from '../../server/dsp/key.ts';
import { findOnsets } from '../../server/dsp/onsets.ts';
import { createSpectrograph } from '../../server/dsp/spectrogram.ts';
import { findTempo } from '../../server/dsp/tempo.ts';
import { playArrangement } from '../support/arrangement.ts';
import { keyWeight } from '../support/key-weight.ts';

const FIRST_NUMBER = 1_000;
const TEMPO_OCTAVES = [1, 2, 1 / 2, 3, 1 / 3];

const isNear = (bpm: number, expectedBpm: number): boolean => Math.abs(bpm / expectedBpm - 1) <= 0.04;

export function proveTempo({ seed, runs = 300 }: { seed: number; runs: number | undefined }): Promise<boolean> {
  let [firstCorrect, secondCorrect, exactKeys, weightedKeys] = [0, 0, 0, 0];
  const wrongTempos: string[] = [];
  for (let run = 0; run < runs; run++) {
    const {
      samples,
      rateHz,
      style,
      bpm: expectedBpm,
      tonic,
      isMinor,
    } = playArrangement(FIRST_NUMBER + seed + run, true);
    const spectrograph = createSpectrograph(rateHz);
    spectrograph.push([samples], samples.length);
    const spectrogram = spectrograph.finish();
    const bpm = findTempo(findOnsets(spectrogram))?.bpm ?? 0;
    if (isNear(bpm, expectedBpm)) firstCorrect++;
    if (TEMPO_OCTAVES.some((octave) => isNear(bpm, expectedBpm * octave))) secondCorrect++;
    else wrongTempos.push(`${expectedBpm} as ${bpm.toFixed(1)} (${style})`);
    const weight = keyWeight(findKey(spectrogram)?.name, tonic, isMinor);
    if (weight === 1) exactKeys++;
    weightedKeys += weight;
  }
  const percent = (count: number): string => `${((100 * count) / runs).toFixed(1)} %`;
  console.log(`tempo of ${runs}: Accuracy1 ${percent(firstCorrect)}, Accuracy2 ${percent(secondCorrect)}`);
  console.log(`key: exact ${percent(exactKeys)}, MIREX ${(weightedKeys / runs).toFixed(3)}`);
  for (const line of wrongTempos) console.log(`  ${line}`);
  return Promise.resolve(
    firstCorrect >= 0.75 * runs &&
      secondCorrect >= 0.95 * runs &&
      exactKeys >= 0.85 * runs &&
      weightedKeys >= 0.9 * runs,
  );
}
