// Generates short pieces of music with known tempo and key: chords, a bass on the beats, drums and a melody, rendered
// as sums of harmonics. The seed determines chords, melody and instruments.
import { seededRandom } from './test-random.ts';

const RATE_HZ = 22_050;
const TONICS = { C: 0, 'C#': 1, D: 2, Eb: 3, E: 4, F: 5, 'F#': 6, G: 7, Ab: 8, A: 9, Bb: 10, B: 11 } as const;
const MAJOR = [0, 2, 4, 5, 7, 9, 11];
const MINOR = [0, 2, 3, 5, 7, 8, 10];
/** Chord progressions as degrees of the scale from 0; each begins on the tonic. */
const PROGRESSIONS = [
  [0, 3, 4, 0],
  [0, 5, 3, 4],
  [0, 4, 5, 3],
  [0, 3, 0, 4],
];

export interface Score {
  bpm: number;
  beatsOfBar: 2 | 3 | 4 | 5 | 6;
  key: keyof typeof TONICS;
  isMinor: boolean;
  seconds: number;
  seed: number;
  /** False for pieces whose beat is only audible from the onsets of notes. */
  hasDrums?: boolean;
}

export function playScore({ bpm, beatsOfBar, key, isMinor, seconds, seed, hasDrums = true }: Score) {
  const random = seededRandom(seed);
  const samples = new Float32Array(seconds * RATE_HZ);
  const beat = 60 / bpm;
  const scale = isMinor ? MINOR : MAJOR;
  const chords = PROGRESSIONS[Math.floor(random() * PROGRESSIONS.length)] as number[];
  const brightness = 0.3 + random() * 0.5;
  const pitch = (degree: number): number =>
    TONICS[key] + (scale[((degree % 7) + 7) % 7] as number) + 12 * Math.floor(degree / 7);
  const hz = (midi: number): number => 440 * 2 ** ((midi - 69) / 12);

  function note(startSeconds: number, length: number, midi: number, level: number): void {
    const [from, count] = [Math.round(startSeconds * RATE_HZ), Math.round(length * RATE_HZ)];
    const step = (2 * Math.PI * hz(midi)) / RATE_HZ;
    const sampleCount = Math.min(count, samples.length - from);
    // a sample of a sine is 2 cos(step) times the previous sample minus the one before that
    const waves = [1, 2, 3, 4, 5].map((h) => ({
      factor: 2 * Math.cos(step * h),
      now: 0,
      before: -(brightness ** (h - 1)) * Math.sin(step * h),
    }));
    for (let i = 0; i < sampleCount; i++) {
      const seconds = i / RATE_HZ;
      const envelope = Math.min(1, seconds / 0.005, (count - i) / (0.02 * RATE_HZ)) * Math.exp(-seconds * 2.5);
      let value = 0;
      for (const wave of waves) {
        value += wave.now;
        const next = wave.factor * wave.now - wave.before;
        wave.before = wave.now;
        wave.now = next;
      }
      samples[from + i] = (samples[from + i] as number) + level * envelope * value;
    }
  }

  function playDrum(startSeconds: number, isDeep: boolean): void {
    const from = Math.round(startSeconds * RATE_HZ);
    for (let i = 0; i < 0.12 * RATE_HZ && from + i < samples.length; i++) {
      const seconds = i / RATE_HZ;
      const value = isDeep
        ? 0.5 * Math.exp(-seconds * 30) * Math.sin(2 * Math.PI * (50 * seconds + 2 * (1 - Math.exp(-seconds * 40))))
        : 0.12 * Math.exp(-seconds * 50) * (random() * 2 - 1);
      samples[from + i] = (samples[from + i] as number) + value;
    }
  }

  const beats: number[] = [];
  for (let index = 0, startSeconds = 0.25; startSeconds < seconds - 0.1; index++, startSeconds = 0.25 + index * beat) {
    beats.push(startSeconds);
    const inBar = index % beatsOfBar;
    const root = chords[Math.floor(index / beatsOfBar) % chords.length] as number;
    if (inBar === 0)
      for (const chordDegree of [0, 2, 4]) note(startSeconds, beat * beatsOfBar, 60 + pitch(root + chordDegree), 0.06);
    note(
      startSeconds,
      beat * 0.9,
      36 + pitch(inBar === 0 ? root : root + (inBar % 2 ? 4 : 0)),
      inBar === 0 ? 0.22 : 0.12,
    );
    const melody = root + [0, 2, 4, 7][Math.floor(random() * 4)]!;
    note(startSeconds, beat * 0.8, 72 + pitch(melody), 0.07);
    if (random() < 0.4) note(startSeconds + beat / 2, beat * 0.4, 72 + pitch(melody + 1), 0.05);
    if (!hasDrums) continue;
    if (inBar === 0 || (beatsOfBar === 4 && inBar === 2)) playDrum(startSeconds, true);
    else playDrum(startSeconds, false);
    if (bpm < 140) playDrum(startSeconds + beat / 2, false);
  }
  return { samples, rateHz: RATE_HZ, beats };
}
