// How often tempo and key are right, on arrangements in many styles that no constant was fitted to; their numbers follow
// from the seed and are beyond those of test/bench/ear/held-out.json. Accuracy1: within 4 % of the tempo; Accuracy2: or
// of its half, double, third or triple (Gouyon and others 2006). Keys are also weighed as in MIREX: a fifth 0.5, the
// relative key 0.3, the parallel one 0.2.
import { findKey } from '../../server/dsp/key.ts';
import { findOnsets } from '../../server/dsp/onsets.ts';
import { createSpectrograph } from '../../server/dsp/spectrogram.ts';
import { findTempo } from '../../server/dsp/tempo.ts';
import { playArrangement } from '../support/arrangement.ts';
import { keyWeight } from '../support/key-weight.ts';

const FIRST_NUMBER = 1_000;
const OCTAVES = [1, 2, 1 / 2, 3, 1 / 3];

const isNear = (bpm: number, wanted: number): boolean => Math.abs(bpm / wanted - 1) <= 0.04;

export function proveTempo({ seed, runs = 300 }: { seed: number; runs: number | undefined }): Promise<boolean> {
  let [first, second, exact, weighed] = [0, 0, 0, 0];
  const wrong: string[] = [];
  for (let run = 0; run < runs; run++) {
    const { samples, rateHz, style, bpm: wanted, tonic, isMinor } = playArrangement(FIRST_NUMBER + seed + run, true);
    const spectrograph = createSpectrograph(rateHz);
    spectrograph.push([samples], samples.length);
    const spectrogram = spectrograph.finish();
    const bpm = findTempo(findOnsets(spectrogram))?.bpm ?? 0;
    if (isNear(bpm, wanted)) first++;
    if (OCTAVES.some((octave) => isNear(bpm, wanted * octave))) second++;
    else wrong.push(`${wanted} as ${bpm.toFixed(1)} (${style})`);
    const weight = keyWeight(findKey(spectrogram)?.name, tonic, isMinor);
    if (weight === 1) exact++;
    weighed += weight;
  }
  const percent = (count: number): string => `${((100 * count) / runs).toFixed(1)} %`;
  console.log(`tempo of ${runs}: Accuracy1 ${percent(first)}, Accuracy2 ${percent(second)}`);
  console.log(`key: exact ${percent(exact)}, MIREX ${(weighed / runs).toFixed(3)}`);
  for (const line of wrong) console.log(`  ${line}`);
  return Promise.resolve(
    first >= 0.75 * runs && second >= 0.95 * runs && exact >= 0.85 * runs && weighed >= 0.9 * runs,
  );
}
