// What the analysis hears, beside other programs in the same run: loudness, true peak and silence beside libebur128,
// tempo and key beside aubio and sonara; how fast it is beside a loop that only decodes, and what it costs people who
// use the server meanwhile. Runs only when it is named; --files N pieces, 500 at most, are rendered from
// seeds, of which tempo takes 300. Needs ffmpeg. Judges come from Debian's packages libebur128-1 and aubio-tools and,
// for --python PROGRAM, PyPI's sonara; what is absent is named.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Heard } from '../../../server/dsp/listener.ts';
import { keyWeight, KEYS } from '../../support/key-weight.ts';
import { seededRandom } from '../../support/test-random.ts';
import { playScore, type Score } from '../../support/score.ts';
import { atMost, beside, ffmpeg, FORMATS, openEar, share } from '../ear/hear.ts';
import { judge } from '../ear/judge.ts';
import { speed } from '../ear/speed.ts';
import { steppingAside } from '../ear/stepping-aside.ts';
import { toRows, type Measure } from '../measure.ts';

const SECONDS = 20;
const SEED = 25;
const TEMPO_PIECES = 300;
/** Of 20 s: four minutes. */
const SPEED_PIECES = 12;
const TEMPO_TOLERANCE = 0.04;

interface Piece {
  score: Score;
  path: string;
  heard: Heard;
}

interface EarOptions {
  files: number;
  python: string;
}

export async function earSuite(dir: string, { files, python }: EarOptions): Promise<Measure[]> {
  mkdirSync(dir, { recursive: true });
  const hear = await openEar();
  const pieces: Piece[] = [];
  for (const [n, score] of scores(files).entries()) {
    const wav = join(dir, `${n}.source.wav`);
    writeFileSync(wav, wavOf(playScore(score)));
    const [ending, ...args] = FORMATS[n % FORMATS.length] as (typeof FORMATS)[number];
    const path = join(dir, `${n}.${ending}`);
    ffmpeg('-i', wav, '-af', `adelay=${(37 * n) % 1_000}:all=1`, ...args, path);
    rmSync(wav);
    pieces.push({ score, path, heard: await hear(path) });
  }
  const measures: Measure[] = [];
  const parts = [
    () => loudness(pieces, python),
    () => rhythm(pieces.slice(0, TEMPO_PIECES), python),
    () =>
      speed(
        dir,
        pieces.slice(0, SPEED_PIECES).map(({ path }) => path),
        hear,
      ),
    () => steppingAside(dir, (pieces[0] as Piece).path),
  ];
  for (const part of parts) {
    const some = await part();
    console.error(toRows(some)); // the whole takes some minutes
    measures.push(...some);
  }
  return measures;
}

function scores(count: number): Score[] {
  const random = seededRandom(SEED);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  return Array.from({ length: count }, (_, n) => ({
    bpm: Math.round(40 + random() * 180),
    beatsOfBar: pick([2, 3, 4, 4, 4, 5, 6] as const),
    key: pick(KEYS),
    isMinor: random() < 0.5,
    seconds: SECONDS,
    seed: SEED + n,
    hasDrums: random() < 0.5,
  }));
}

function wavOf({ samples, rateHz }: { samples: Float32Array; rateHz: number }): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF\0\0\0\0WAVEfmt ', 'latin1');
  head.writeUInt32LE(36 + samples.byteLength, 4);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(3, 20); // samples are floats
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rateHz, 24);
  head.writeUInt32LE(rateHz * 4, 28);
  head.writeUInt16LE(4, 32);
  head.writeUInt16LE(32, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([head, Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)]);
}

function loudness(pieces: Piece[], python: string): Measure[] {
  const judged = judge(
    python,
    'loudness',
    pieces.map(({ path }) => path),
  );
  if (!judged) return [];
  type Judged = (typeof judged)[number];
  const worst = (of: (heard: NonNullable<Heard['loudness']>, judge: Judged) => number): number =>
    Math.max(...pieces.map(({ heard }, n) => Math.abs(heard.loudness ? of(heard.loudness, judged[n] as Judged) : NaN)));
  const decibels = (peak: number): number => 20 * Math.log10(peak);
  const of = `of ${pieces.length} files in ${FORMATS.length} formats, worst beside libebur128`;
  const wrong = pieces.filter(({ heard: { loudness: own } }, n) => {
    const { leading, trailing } = judged[n] as Judged;
    return own?.leadingSilence !== leading || own.trailingSilence !== trailing;
  });
  return [
    atMost(
      `loudness ${of}`,
      'LU',
      worst(({ integrated }, { lufs }) => (integrated ?? -70) - lufs),
      0.1,
    ),
    atMost(
      `true peak ${of}`,
      'dB',
      worst(({ truePeak }, { peak }) => decibels(truePeak) - decibels(peak)),
      0.2,
    ),
    share('silence exact to a frame at both ends', 1 - wrong.length / pieces.length, 1),
  ];
}

function rhythm(pieces: Piece[], python: string): Measure[] {
  const isNear = (bpm: number, wanted: number): boolean => Math.abs(bpm / wanted - 1) <= TEMPO_TOLERANCE;
  const accuracies = (found: readonly number[]): [number, number] =>
    [[1], [1, 2, 1 / 2, 3, 1 / 3]].map(
      (octaves) =>
        found.filter((bpm, n) => octaves.some((octave) => isNear(bpm, (pieces[n] as Piece).score.bpm * octave)))
          .length / found.length,
    ) as [number, number];
  const keys = (found: readonly (string | undefined)[]): [number, number] => {
    const weights = found.map((key, n) => {
      const { score } = pieces[n] as Piece;
      return keyWeight(key, KEYS.indexOf(score.key), score.isMinor);
    });
    const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;
    return [mean(weights.map((weight) => Number(weight === 1))), mean(weights)];
  };
  const [first, second] = accuracies(pieces.map(({ heard }) => heard.rhythm?.tempo?.bpm ?? 0));
  const [exact, weighed] = keys(pieces.map(({ heard }) => heard.rhythm?.key?.name));
  const measures = [
    share(`tempo of ${pieces.length}, Accuracy1`, first, 0.8),
    share('tempo, Accuracy2', second, 0.95),
    share('key, exact', exact, 0.75),
    share('key, weighed as in MIREX', weighed, 0.8),
  ];
  if (spawnSync('aubio', ['--version']).error) console.error('NOT JUDGED: tempo beside aubio, which is absent');
  else {
    const theirs = accuracies(
      pieces.map(({ path }) => {
        const wav = `${path}.44100.wav`;
        ffmpeg('-i', path, '-ar', '44100', '-ac', '1', wav);
        const bpm = Number.parseFloat(execFileSync('aubio', ['tempo', '-i', wav], { encoding: 'utf8' }));
        rmSync(wav);
        return bpm;
      }),
    );
    measures.push(beside('Accuracy1', 'aubio', first, theirs[0]), beside('Accuracy2', 'aubio', second, theirs[1]));
  }
  const judged = judge(
    python,
    'music',
    pieces.map(({ path }) => path),
  );
  if (judged) {
    const theirs = accuracies(judged.map(({ bpm }) => bpm));
    const [theirExact, theirWeighed] = keys(judged.map(({ key }) => keyName(key)));
    measures.push(
      beside('Accuracy1', 'sonara', first, theirs[0]),
      beside('Accuracy2', 'sonara', second, theirs[1]),
      beside('key, exact', 'sonara', exact, theirExact),
      beside('key, weighed', 'sonara', weighed, theirWeighed),
    );
  }
  return measures;
}

const SHARPS: Record<string, string> = { 'D#': 'Eb', 'G#': 'Ab', 'A#': 'Bb' };
/** `A# minor` as `Bbm`. */
function keyName(long: string): string {
  const [tonic = '', mode] = long.split(' ');
  return `${SHARPS[tonic] ?? tonic}${mode === 'minor' ? 'm' : ''}`;
}
