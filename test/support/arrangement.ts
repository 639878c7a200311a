// Generates pieces of music in many styles with known tempo and key: swing, syncopation, drums at half the tempo, pads,
// no drums, parts that come and go, several timbres, a room. The number of a piece determines everything about it.
import { KEYS } from './key-weight.ts';
import { seededRandom } from './seeded-random.ts';

const RATE_HZ = 22_050;
const SECONDS = 30;
const MAJOR = [0, 2, 4, 5, 7, 9, 11];
const MINOR = [0, 2, 3, 5, 7, 8, 10];
/** Chord progressions as degrees of the scale from 0, one per bar. */
const PROGRESSIONS = [
  [0, 3, 4, 0],
  [0, 5, 3, 4],
  [0, 4, 5, 3],
  [0, 2, 3, 4, 0, 5, 4, 0],
  [0, 0, 3, 3, 4, 3, 0, 4],
];

interface Style {
  name: string;
  /** Range of tempos in which such music is written. */
  bpm: [slowest: number, fastest: number];
  beatsOfBar: 3 | 4;
  /** Number of steps in a beat: three for triplets and swing, four for sixteenths. */
  division: 3 | 4;
  /** One bar of each instrument: `x` is a note, `o` a soft note; the letters of `chords` say how a chord is played. */
  kick: string;
  snare: string;
  cymbal: string;
  bass: string;
  chords: string;
  timbre: Timbre;
  /** Probabilities of a melody note on a beat and between beats. */
  melody: [onBeat: number, offBeat: number];
  /** True for styles that are only used for evaluation: no threshold was chosen with them. */
  isHeldOut?: true;
}

type Timbre = 'pluck' | 'organ' | 'pad' | 'brass' | 'bell' | 'strings';
const ATTACK_SECONDS = { pluck: 0.004, organ: 0.02, pad: 0.25, brass: 0.05, bell: 0.002, strings: 0.1 };
const DECAY_PER_SECOND = { pluck: 4, organ: 0.2, pad: 0.2, brass: 0.8, bell: 3, strings: 0.3 };
const OVERTONES: Record<Timbre, readonly number[]> = {
  pluck: [1, 0.5, 0.3, 0.2, 0.1],
  organ: [1, 0.6, 0.1, 0.4, 0, 0.2],
  pad: [1, 0.3, 0.15, 0.05],
  brass: [0.8, 1, 0.7, 0.5, 0.3, 0.2],
  bell: [1, 0, 0.6, 0, 0.4, 0, 0.2],
  strings: [1, 0.7, 0.5, 0.4, 0.3, 0.2],
};

const NO_CHORD = '';
// oxfmt-ignore
export const STYLES: readonly Style[] = [
  { name: 'rock', bpm: [92, 168], beatsOfBar: 4, division: 4, kick: 'x.......x.x.....', snare: '....x.......x...',
    cymbal: 'x.o.x.o.x.o.x.o.', bass: 'x.x.x.x.x.x.x.x.', chords: 'x.....x.....x...',
    timbre: 'brass', melody: [0.6, 0.3] },
  { name: 'half time', bpm: [120, 156], beatsOfBar: 4, division: 4, kick: 'x.........x.....', snare: '........x.......',
    cymbal: 'x.o.x.o.x.o.x.o.', bass: 'x...........x...', chords: 'x...............',
    timbre: 'pad', melody: [0.5, 0.3] },
  { name: 'swing', bpm: [108, 210], beatsOfBar: 4, division: 3, kick: 'o..o..o..o..', snare: '.....o...o..',
    cymbal: 'x..x.ox..x.o', bass: 'x..x..x..x..', chords: '..x.....x...', timbre: 'pluck', melody: [0.5, 0.5] },
  { name: 'house', bpm: [116, 132], beatsOfBar: 4, division: 4, kick: 'x...x...x...x...', snare: '....x.......x...',
    cymbal: '..x...x...x...x.', bass: '..x...x...x..x..', chords: 'x..x..x.........',
    timbre: 'organ', melody: [0.2, 0.3] },
  { name: 'ballad', bpm: [58, 90], beatsOfBar: 4, division: 4, kick: 'x.......x.......', snare: '....x.......x...',
    cymbal: 'x.o.x.o.x.o.x.o.', bass: 'x.......x.....x.', chords: 'x.......x.......',
    timbre: 'strings', melody: [0.7, 0.25] },
  { name: 'hip hop', bpm: [76, 104], beatsOfBar: 4, division: 4, kick: 'x..x......x.....', snare: '....x.......x...',
    cymbal: 'x.o.x.o.x.o.x.oo', bass: 'x..x......x.....', chords: 'x...............',
    timbre: 'pluck', melody: [0.3, 0.4] },
  { name: 'waltz', bpm: [90, 180], beatsOfBar: 3, division: 4, kick: 'x...........', snare: '....o...o...',
    cymbal: NO_CHORD, bass: 'x...........', chords: '....x...x...', timbre: 'organ', melody: [0.8, 0.2] },
  { name: 'pads', bpm: [60, 116], beatsOfBar: 4, division: 4, kick: NO_CHORD, snare: NO_CHORD,
    cymbal: NO_CHORD, bass: 'x.......x.......', chords: 'x...............', timbre: 'pad', melody: [0.9, 0.3] },
  { name: 'arpeggio', bpm: [76, 140], beatsOfBar: 4, division: 4, kick: NO_CHORD, snare: NO_CHORD,
    cymbal: NO_CHORD, bass: 'x.......x.......', chords: NO_CHORD, timbre: 'pluck', melody: [1, 0.9] },
  { name: 'march', bpm: [96, 128], beatsOfBar: 4, division: 4, kick: 'x.......x.......', snare: '....x.ooo...x.x.',
    cymbal: NO_CHORD, bass: 'x.......x.......', chords: '....x.......x...', timbre: 'brass', melody: [0.8, 0.3] },
  { name: 'bossa nova', bpm: [108, 150], beatsOfBar: 4, division: 4, kick: 'x.....x.x.....x.',
    snare: 'x.....x.....x...',
    cymbal: 'o.o.o.o.o.o.o.o.', bass: 'x.....x.x.....x.', chords: 'x.....x...x.....',
    timbre: 'pluck', melody: [0.4, 0.5] },
  { name: 'chorale', bpm: [60, 104], beatsOfBar: 4, division: 4, kick: NO_CHORD, snare: NO_CHORD,
    cymbal: NO_CHORD, bass: 'x...x...x...x...', chords: 'x...x...x...x...', timbre: 'organ', melody: [1, 0.2] },
  { name: 'reggae', bpm: [66, 92], beatsOfBar: 4, division: 4, kick: '........x.......', snare: '........x.......',
    cymbal: 'x.o.x.o.x.o.x.o.', bass: 'x..x..x.....x.x.', chords: '..x...x...x...x.',
    timbre: 'organ', melody: [0.4, 0.3],
    isHeldOut: true },
  { name: 'drum and bass', bpm: [160, 178], beatsOfBar: 4, division: 4, kick: 'x.........x.....',
    snare: '....x.......x...',
    cymbal: 'x.o.x.o.x.o.x.o.', bass: 'x.........x.....', chords: 'x...............', timbre: 'pad', melody: [0.4, 0.2],
    isHeldOut: true },
  { name: 'shuffle', bpm: [84, 140], beatsOfBar: 4, division: 3, kick: 'x.....x.....', snare: '...x.....x..',
    cymbal: 'x.ox.ox.ox.o', bass: 'x.ox.ox.ox.o', chords: 'x....x......', timbre: 'brass', melody: [0.5, 0.4],
    isHeldOut: true },
  { name: 'bells', bpm: [80, 140], beatsOfBar: 3, division: 4, kick: NO_CHORD, snare: NO_CHORD,
    cymbal: NO_CHORD, bass: 'x...........', chords: 'x...x...x...', timbre: 'bell', melody: [0.8, 0.4],
    isHeldOut: true },
];

export interface Arrangement {
  samples: Float32Array;
  rateHz: number;
  style: string;
  bpm: number;
  /** Index of the tonic in `KEYS`. */
  tonic: number;
  isMinor: boolean;
}

/** Generates the piece with this number. Held-out styles occur only if `isHeldOut`. */
export function playArrangement(number: number, isHeldOut: boolean): Arrangement {
  const random = seededRandom(9_000 + number);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const style = pick(STYLES.filter((candidate) => isHeldOut || !candidate.isHeldOut));
  const [slowest, fastest] = style.bpm;
  const bpm = Math.round((slowest + random() * (fastest - slowest)) * 10) / 10;
  const tonic = Math.floor(random() * KEYS.length);
  const isMinor = random() < 0.5;
  const scale = isMinor ? MINOR : MAJOR;
  const progression = pick(PROGRESSIONS);
  const band = createBand(random);
  const lead = pick(['pluck', 'organ', 'brass', 'bell', 'strings'] as const);
  const chordTimbre = random() < 0.6 ? style.timbre : pick(Object.keys(OVERTONES) as Timbre[]);
  const step = 60 / bpm / style.division;
  /** In some pieces the second half of a beat comes later than written. */
  const delay = style.division === 4 && random() < 0.25 ? random() * 0.3 * step : 0;
  const jitterSeconds = random() * 0.012;
  const levels = { drums: 0.4 + random() * 0.8, chords: 0.5 + random(), lead: 0.5 + random() };
  const steps = style.beatsOfBar * style.division;
  const start = random() * 2;
  const pitch = (degree: number): number =>
    tonic + (scale[((degree % 7) + 7) % 7] as number) + 12 * Math.floor(degree / 7);

  let parts = new Set<string>();
  for (
    let index = 0, startSeconds = start;
    startSeconds < SECONDS - 0.3;
    index++, startSeconds = start + index * step
  ) {
    const inBar = index % steps;
    const bar = Math.floor(index / steps);
    if (inBar === 0 && bar % 4 === 0)
      parts = new Set(['drums', 'bass', 'chords', 'lead'].filter(() => bar === 0 || random() < 0.85));
    const isOffbeat = style.division === 4 && inBar % 4 === 2;
    const beatSeconds = startSeconds + (isOffbeat ? delay : 0) + (random() + random() - 1) * jitterSeconds;
    const degree = progression[bar % progression.length] as number;
    const loudnessOf = (mark: string | undefined): number =>
      (mark === 'x' ? 1 : mark === 'o' ? 0.45 : 0) * (0.8 + random() * 0.4);
    const isFill = bar % 8 === 7 && inBar >= steps - style.division;
    if (parts.has('drums')) {
      band.kick(beatSeconds, levels.drums * loudnessOf(style.kick[inBar]));
      band.snare(beatSeconds, levels.drums * loudnessOf(isFill && style.snare ? 'x' : style.snare[inBar]));
      band.cymbal(beatSeconds, levels.drums * loudnessOf(style.cymbal[inBar]));
    }
    const bass = loudnessOf(style.bass[inBar]);
    if (parts.has('bass') && bass > 0)
      band.note(
        'pluck',
        beatSeconds,
        step * lengthOf(style.bass, inBar),
        36 + pitch(random() < 0.7 ? degree : degree + 4),
        0.25 * bass,
      );
    const chord = loudnessOf(style.chords[inBar]);
    if (parts.has('chords') && chord > 0)
      for (const chordDegree of [0, 2, 4])
        band.note(
          chordTimbre,
          beatSeconds,
          step * lengthOf(style.chords, inBar),
          60 + pitch(degree + chordDegree),
          0.06 * levels.chords * chord,
        );
    const [onBeat, offBeat] = style.melody;
    const isNote =
      inBar % style.division === 0 ? onBeat : inBar % 2 === 0 || style.division === 3 ? offBeat : offBeat / 4;
    if (parts.has('lead') && random() < isNote)
      band.note(
        lead,
        beatSeconds,
        step * (1 + Math.floor(random() * style.division)),
        72 + pitch(degree + pick([0, 2, 4, 7, 1])),
        0.08 * levels.lead,
      );
  }
  return { samples: band.finish(), rateHz: RATE_HZ, style: style.name, bpm, tonic, isMinor };
}

/** Returns the number of steps until the next note of the bar. */
function lengthOf(bar: string, from: number): number {
  const next = bar.slice(from + 1).search(/[xo]/);
  return next < 0 ? bar.length - from : next + 1;
}

function createBand(random: () => number) {
  const samples = new Float32Array(SECONDS * RATE_HZ);
  const add = (i: number, value: number): void => void (samples[i] = (samples[i] as number) + value);
  const room = random() * 0.5;
  const hiss = 10 ** (-5 + random() * 2);

  function noise(startSeconds: number, level: number, seconds: number, isBright: boolean): void {
    const from = Math.round(startSeconds * RATE_HZ);
    let previous = 0;
    for (let i = 0; level > 0 && i < seconds * 4 * RATE_HZ && from + i < samples.length; i++) {
      const value = random() * 2 - 1;
      add(from + i, level * (isBright ? value - previous : value) * Math.exp(-i / (seconds * RATE_HZ)));
      previous = value;
    }
  }
  return {
    note(timbre: Timbre, startSeconds: number, seconds: number, midi: number, level: number): void {
      const from = Math.round(startSeconds * RATE_HZ);
      const hz = 440 * 2 ** ((midi - 69) / 12);
      const release = timbre === 'pad' ? 0.3 : 0.04;
      const count = Math.min(samples.length - from, Math.round((seconds + release) * RATE_HZ));
      const vibrato = timbre === 'strings' || timbre === 'brass' ? 0.15 : 0;
      const waves = OVERTONES[timbre].flatMap((amplitude, overtone) =>
        amplitude > 0 && hz * (overtone + 1) < RATE_HZ / 2
          ? [{ amplitude, factor: (overtone + 1) * (timbre === 'bell' ? 1 + 0.002 * overtone * overtone : 1) }]
          : [],
      );
      for (let i = 0; i < count; i++) {
        const time = i / RATE_HZ;
        const envelope =
          Math.min(1, time / ATTACK_SECONDS[timbre], (count - i) / (release * RATE_HZ)) *
          Math.exp(-time * DECAY_PER_SECOND[timbre]);
        const phase = 2 * Math.PI * hz * time + (vibrato * hz * Math.sin(2 * Math.PI * 5.5 * time)) / 100;
        let value = 0;
        for (const { amplitude, factor } of waves) value += amplitude * Math.sin(phase * factor);
        add(from + i, level * envelope * value);
      }
    },
    kick(startSeconds: number, level: number): void {
      const from = Math.round(startSeconds * RATE_HZ);
      for (let i = 0; level > 0 && i < 0.15 * RATE_HZ && from + i < samples.length; i++) {
        const time = i / RATE_HZ;
        add(
          from + i,
          0.5 * level * Math.exp(-time * 25) * Math.sin(2 * Math.PI * (50 * time + 2 * (1 - Math.exp(-time * 40)))),
        );
      }
    },
    snare(startSeconds: number, level: number): void {
      noise(startSeconds, 0.2 * level, 0.05, false);
    },
    cymbal(startSeconds: number, level: number): void {
      noise(startSeconds, 0.06 * level, 0.025, true);
    },
    /** Adds a room, hiss and a limiter to the samples. */
    finish(): Float32Array {
      const echoes = [1_116, 1_356, 1_617].map((length) => ({ length, line: new Float32Array(length) }));
      return samples.map((dry, i) => {
        let wet = 0;
        for (const { length, line } of echoes) {
          const back = line[i % length] as number;
          line[i % length] = dry + 0.75 * back;
          wet += back / 3;
        }
        return Math.tanh(dry + room * wet + hiss * (random() * 2 - 1));
      });
    },
  };
}
