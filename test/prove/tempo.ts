// How often tempo and key are right, on pieces that are rendered from seeds: 40 to 220 BPM, 2 to 6 beats in a bar, half
// of them without drums. Accuracy1: within 4 % of the tempo; Accuracy2: or of its half, double, third or triple
// (Gouyon and others 2006). Keys are also weighed as in MIREX: a fifth 0.5, the relative key 0.3, the parallel one 0.2.
import { findKey } from '../../server/dsp/key.ts';
import { findOnsets } from '../../server/dsp/onsets.ts';
import { createSpectrograph } from '../../server/dsp/spectrogram.ts';
import { findTempo } from '../../server/dsp/tempo.ts';
import { keyWeight, KEYS } from '../support/key-weight.ts';
import { seededRandom } from '../support/test-random.ts';
import { playScore, type Score } from '../support/score.ts';

const SECONDS = 20;
const OCTAVES = [1, 2, 1 / 2, 3, 1 / 3];

const isNear = (bpm: number, wanted: number): boolean => Math.abs(bpm / wanted - 1) <= 0.04;

export function proveTempo({ seed, runs = 300 }: { seed: number; runs: number | undefined }): Promise<boolean> {
  const random = seededRandom(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  let [first, second, exact, weighed] = [0, 0, 0, 0];
  const wrong: string[] = [];
  for (let run = 0; run < runs; run++) {
    const key = pick(KEYS);
    const score: Score = {
      bpm: Math.round(40 + random() * 180),
      beatsOfBar: pick([2, 3, 4, 4, 4, 5, 6] as const),
      key,
      isMinor: random() < 0.5,
      seconds: SECONDS,
      seed: seed + run,
      hasDrums: random() < 0.5,
    };
    const { samples, rateHz } = playScore(score);
    const spectrograph = createSpectrograph(rateHz);
    spectrograph.push([samples], samples.length);
    const spectrogram = spectrograph.finish();
    const bpm = findTempo(findOnsets(spectrogram))?.bpm ?? 0;
    if (isNear(bpm, score.bpm)) first++;
    if (OCTAVES.some((octave) => isNear(bpm, score.bpm * octave))) second++;
    else wrong.push(`${score.bpm} as ${bpm.toFixed(1)} (${score.beatsOfBar} beats, drums: ${score.hasDrums})`);
    const weight = keyWeight(findKey(spectrogram)?.name, KEYS.indexOf(key), score.isMinor);
    if (weight === 1) exact++;
    weighed += weight;
  }
  const percent = (count: number): string => `${((100 * count) / runs).toFixed(1)} %`;
  console.log(`tempo of ${runs}: Accuracy1 ${percent(first)}, Accuracy2 ${percent(second)}`);
  console.log(`key: exact ${percent(exact)}, MIREX ${(weighed / runs).toFixed(3)}`);
  for (const line of wrong) console.log(`  ${line}`);
  return Promise.resolve(first >= 0.8 * runs && second >= 0.95 * runs && exact >= 0.75 * runs && weighed >= 0.8 * runs);
}
