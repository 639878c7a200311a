// Finds the key: compares the pitch classes of the whole track with the profile of each major and minor key (Krumhansl
// 1990), after determining the tuning. The profiles say how often each degree occurs in written music, in percent. They
// are the means of Albrecht and Shanahan's (2013) and Bellman's (2005).
import { PITCH_BINS, type Spectrogram } from './spectrogram.ts';

const MAJOR_PROFILE = [20.3, 0.7, 12.0, 1.0, 13.6, 10.7, 1.4, 20.8, 1.4, 8.0, 0.7, 9.3];
const MINOR_PROFILE = [20.1, 0.6, 11.7, 12.8, 1.5, 10.7, 1.3, 21.3, 6.9, 1.9, 3.5, 7.7];
/**
 * Exponent for amplitudes. It is above 1, because overtones are weaker than their notes and often foreign to the key.
 */
const AMPLITUDE_POWER = 1.25;
const BINS_PER_SEMITONE = PITCH_BINS / 12;
const KEY_NAMES = ['C', 'C#', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'Ab', 'A', 'Bb', 'B'];

export interface Key {
  /** The key as in the tag INITIALKEY: `C`, `F#m`. */
  name: string;
  /** 0 to 1, from the difference between the scores of this key and the next best one. */
  confidence: number;
}

/** Returns the key; undefined for a track without tones. */
export function findKey(spectrogram: Spectrogram): Key | undefined {
  const classes = pitchClasses(spectrogram);
  if (!classes) return undefined;
  const keys: { name: string; score: number }[] = [];
  for (let tonic = 0; tonic < 12; tonic++) {
    const rotated = Array.from({ length: 12 }, (_, i) => classes[(i + tonic) % 12] as number);
    keys.push({ name: KEY_NAMES[tonic] as string, score: correlation(rotated, MAJOR_PROFILE) });
    keys.push({ name: `${KEY_NAMES[tonic]}m`, score: correlation(rotated, MINOR_PROFILE) });
  }
  keys.sort((a, b) => b.score - a.score);
  const [bestKey, nextBestKey] = keys as [(typeof keys)[0], (typeof keys)[0]];
  if (!(bestKey.score > 0)) return undefined;
  return { name: bestKey.name, confidence: Math.min(1, Math.max(0, (bestKey.score - nextBestKey.score) * 5)) };
}

/** Returns the share of each semitone. Every frame counts the same, so that loud parts do not decide alone. */
function pitchClasses({ pitches, pitchFrames }: Spectrogram): Float64Array | undefined {
  const sum = new Float64Array(PITCH_BINS);
  for (let frame = 0; frame < pitchFrames; frame++) {
    const frameOffset = frame * PITCH_BINS;
    let total = 0;
    for (let bin = 0; bin < PITCH_BINS; bin++) total += (pitches[frameOffset + bin] as number) ** AMPLITUDE_POWER;
    if (total === 0) continue;
    for (let bin = 0; bin < PITCH_BINS; bin++)
      sum[bin] = (sum[bin] as number) + (pitches[frameOffset + bin] as number) ** AMPLITUDE_POWER / total;
  }
  const semitones = tuneBins(sum);
  return semitones.some((value) => value > 0) ? semitones : undefined;
}

/**
 * Adds bins up to semitones, at the tuning for which most of the sound is in tune. Tunings are tried in steps of a
 * third of a semitone.
 */
function tuneBins(bins: Float64Array): Float64Array {
  let [bestShift, maxSum] = [0, -1];
  for (let shift = 0; shift < BINS_PER_SEMITONE; shift++) {
    let inTune = 0;
    for (let bin = shift; bin < PITCH_BINS; bin += BINS_PER_SEMITONE) inTune += bins[bin] as number;
    if (inTune > maxSum) [bestShift, maxSum] = [shift, inTune];
  }
  const from = bestShift > BINS_PER_SEMITONE / 2 ? bestShift - BINS_PER_SEMITONE : bestShift;
  return Float64Array.from({ length: 12 }, (_, semitone) => {
    const valueAt = (offset: number): number =>
      bins[(semitone * BINS_PER_SEMITONE + from + offset + PITCH_BINS) % PITCH_BINS] as number;
    return valueAt(0) + 0.5 * (valueAt(-1) + valueAt(1));
  });
}

function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  let [product, squareA, squareB] = [0, 0, 0];
  a.forEach((value, i) => {
    const [x, y] = [value - meanA, (b[i] as number) - meanB];
    product += x * y;
    squareA += x * x;
    squareB += y * y;
  });
  return product / Math.sqrt(squareA * squareB || 1);
}

const CIRCLE_OF_FIFTHS = ['C', 'G', 'D', 'A', 'E', 'B', 'F#', 'C#', 'Ab', 'Eb', 'Bb', 'F'];

/**
 * Returns the code of a key on the Camelot wheel, such as 8B for C and 8A for Am; undefined if the text is not a key.
 */
export function camelotOf(key: string): string | undefined {
  const isMinor = /m(in|inor)?$/i.test(key.trim()) && !/maj/i.test(key);
  const match = /^([A-G])([#b♯♭]?)/i.exec(key.trim());
  if (!match) return undefined;
  const natural = { C: 0, D: 2, E: 4, F: 5, G: 7, A: 9, B: 11 }[(match[1] as string).toUpperCase()] as number;
  const sign = match[2] === '#' || match[2] === '♯' ? 1 : match[2] === 'b' || match[2] === '♭' ? -1 : 0;
  const tonic = (natural + sign + 12) % 12;
  const relativeMajor = KEY_NAMES[(tonic + (isMinor ? 3 : 0)) % 12] as string;
  return `${((CIRCLE_OF_FIFTHS.indexOf(relativeMajor) + 7) % 12) + 1}${isMinor ? 'A' : 'B'}`;
}
