// Compares the results of the analysis with other programs in the same run: loudness, true peak and silence with
// libebur128, tempo and key of held-out arrangements with aubio, librosa and sonara. Also measures its speed against a
// loop that only decodes, and its cost for users of the server. Runs only when named; --files N pieces for loudness,
// 500 at most, are rendered from seeds. Needs ffmpeg. The other programs are Debian's packages libebur128-1 and
// aubio-tools and, with --python PROGRAM, PyPI's librosa and sonara; missing ones are reported.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SoundAnalysis } from '../../../server/dsp/listener.ts';
import type { Arrangement } from '../../support/arrangement.ts';
import { areaUnderCurve } from '../../support/area-under-curve.ts';
import { keyWeight, KEYS } from '../../support/key-weight.ts';
import { seededRandom } from '../../support/test-random.ts';
import { playScore, type Score } from '../../support/score.ts';
import { atMost, compareWith, ffmpeg, AUDIO_FORMATS, openEar, share, type Hear } from '../ear/hear.ts';
import { arrangementsOf, beatlessSoundsOf } from '../ear/held-out.ts';
import { judge } from '../ear/judge.ts';
import { measureSpeed } from '../ear/speed.ts';
import { steppingAside } from '../ear/stepping-aside.ts';
import { toRows, type Measure } from '../measure.ts';

const PIECE_SECONDS = 20;
const FIRST_SEED = 25;
/** Number of pieces of 20 s each: four minutes. */
const SPEED_PIECES = 12;
const TEMPO_TOLERANCE = 0.04;

interface Piece {
  path: string;
  heard: SoundAnalysis;
}

interface RhythmPiece extends Piece {
  music: Omit<Arrangement, 'samples'>;
}

interface EarOptions {
  files: number;
  python: string;
}

export async function earSuite(dir: string, { files, python }: EarOptions): Promise<Measure[]> {
  mkdirSync(dir, { recursive: true });
  const hear = await openEar();
  const pieces: Piece[] = [];
  for (const [n, score] of scores(files).entries())
    pieces.push(await heardPiece(dir, n, { ...playScore(score), delayMs: (37 * n) % 1_000 }, hear));
  const measures: Measure[] = [];
  const parts = [
    () => loudness(pieces, python),
    () => rhythm(join(dir, 'rhythm'), python, hear),
    () =>
      measureSpeed(
        dir,
        pieces.slice(0, SPEED_PIECES).map(({ path }) => path),
        hear,
      ),
    () => steppingAside(dir, (pieces[0] as Piece).path),
  ];
  for (const testedPart of parts) {
    const partMeasures = await testedPart();
    console.error(toRows(partMeasures)); // prints each part early, since the whole suite takes some minutes
    measures.push(...partMeasures);
  }
  return measures;
}

/** Analyzes the piece in one of the formats, chosen by the number of the piece. */
async function heardPiece(
  dir: string,
  n: number,
  { samples, rateHz, delayMs = 0 }: { samples: Float32Array; rateHz: number; delayMs?: number },
  hear: Hear,
): Promise<Piece> {
  const wav = join(dir, `${n}.source.wav`);
  writeFileSync(wav, wavOf({ samples, rateHz }));
  const [ending, ...args] = AUDIO_FORMATS[n % AUDIO_FORMATS.length] as (typeof AUDIO_FORMATS)[number];
  const path = join(dir, `${n}.${ending}`);
  ffmpeg('-i', wav, '-af', `adelay=${delayMs}:all=1`, ...args, path);
  rmSync(wav);
  return { path, heard: await hear(path) };
}

function scores(count: number): Score[] {
  const random = seededRandom(FIRST_SEED);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  return Array.from({ length: count }, (_, n) => ({
    bpm: Math.round(40 + random() * 180),
    beatsOfBar: pick([2, 3, 4, 4, 4, 5, 6] as const),
    key: pick(KEYS),
    isMinor: random() < 0.5,
    seconds: PIECE_SECONDS,
    seed: FIRST_SEED + n,
    hasDrums: random() < 0.5,
  }));
}

function wavOf({ samples, rateHz }: { samples: Float32Array; rateHz: number }): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF\0\0\0\0WAVEfmt ', 'latin1');
  head.writeUInt32LE(36 + samples.byteLength, 4);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(3, 20); // format 3: samples are floats
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
  const judgedPieces = judge(
    python,
    'loudness',
    pieces.map(({ path }) => path),
  );
  if (!judgedPieces) return [];
  type Judged = (typeof judgedPieces)[number];
  const worstError = (errorOf: (heard: NonNullable<SoundAnalysis['loudness']>, judge: Judged) => number): number =>
    Math.max(
      ...pieces.map(({ heard }, n) =>
        Math.abs(heard.loudness ? errorOf(heard.loudness, judgedPieces[n] as Judged) : NaN),
      ),
    );
  const decibels = (peak: number): number => 20 * Math.log10(peak);
  const measureName = `of ${pieces.length} files in ${AUDIO_FORMATS.length} formats, worst beside libebur128`;
  const wrongPieces = pieces.filter(({ heard: { loudness: ownLoudness } }, n) => {
    const { leading, trailing } = judgedPieces[n] as Judged;
    return ownLoudness?.leadingSilence !== leading || ownLoudness.trailingSilence !== trailing;
  });
  return [
    atMost(
      `loudness ${measureName}`,
      'LU',
      worstError(({ integrated }, { lufs }) => (integrated ?? -70) - lufs),
      0.1,
    ),
    atMost(
      `true peak ${measureName}`,
      'dB',
      worstError(({ truePeak }, { peak }) => decibels(truePeak) - decibels(peak)),
      0.2,
    ),
    share('silence exact to a frame at both ends', 1 - wrongPieces.length / pieces.length, 1),
  ];
}

async function rhythm(dir: string, python: string, hear: Hear): Promise<Measure[]> {
  mkdirSync(dir);
  const pieces: RhythmPiece[] = [];
  for (const { samples, ...music } of arrangementsOf('heldOut'))
    pieces.push({ music, ...(await heardPiece(dir, pieces.length, { samples, rateHz: music.rateHz }, hear)) });
  const isNear = (bpm: number, expectedBpm: number): boolean => Math.abs(bpm / expectedBpm - 1) <= TEMPO_TOLERANCE;
  const accuracies = (foundTempos: readonly number[]): [number, number] =>
    [[1], [1, 2, 1 / 2, 3, 1 / 3]].map(
      (octaves) =>
        foundTempos.filter((bpm, n) =>
          octaves.some((octave) => isNear(bpm, (pieces[n] as RhythmPiece).music.bpm * octave)),
        ).length / foundTempos.length,
    ) as [number, number];
  const keyShares = (foundKeys: readonly (string | undefined)[]): [number, number] => {
    const weights = foundKeys.map((key, n) => {
      const { tonic, isMinor } = (pieces[n] as RhythmPiece).music;
      return keyWeight(key, tonic, isMinor);
    });
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    return [mean(weights.map((weight) => Number(weight === 1))), mean(weights)];
  };
  const [firstAccuracy, secondAccuracy] = accuracies(pieces.map(({ heard }) => heard.rhythm?.tempo?.bpm ?? 0));
  const [exactShare, weightedShare] = keyShares(pieces.map(({ heard }) => heard.rhythm?.key?.name));
  const confidences = pieces.map(({ heard: { rhythm }, music }) => ({
    score: rhythm?.tempo?.confidence ?? 0,
    isRight: isNear(rhythm?.tempo?.bpm ?? 0, music.bpm),
  }));
  for (const sound of beatlessSoundsOf('heldOut')) {
    const { heard } = await heardPiece(dir, pieces.length + confidences.length, sound, hear);
    confidences.push({ score: heard.rhythm?.tempo?.confidence ?? 0, isRight: false });
  }
  const measures = [
    share(`tempo of ${pieces.length} held-out arrangements, Accuracy1`, firstAccuracy, 0.75),
    share('tempo, Accuracy2', secondAccuracy, 0.95),
    share(
      `tempo confidence, area under the curve, with ${confidences.length - pieces.length} sounds without a beat`,
      areaUnderCurve(confidences),
      0.75,
    ),
    share('the same of the arrangements alone', areaUnderCurve(confidences.slice(0, pieces.length)), 0.75),
    share('key, exact', exactShare, 0.85),
    share('key, weighed as in MIREX', weightedShare, 0.9),
  ];
  if (spawnSync('aubio', ['--version']).error) console.error('NOT JUDGED: tempo beside aubio, which is absent');
  else {
    const aubioAccuracies = accuracies(
      pieces.map(({ path }) => {
        const wav = `${path}.44100.wav`;
        ffmpeg('-i', path, '-ar', '44100', '-ac', '1', wav);
        const bpm = Number.parseFloat(execFileSync('aubio', ['tempo', '-i', wav], { encoding: 'utf8' }));
        rmSync(wav);
        return bpm;
      }),
    );
    measures.push(
      compareWith('Accuracy1', 'aubio', firstAccuracy, aubioAccuracies[0]),
      compareWith('Accuracy2', 'aubio', secondAccuracy, aubioAccuracies[1]),
    );
  }
  const paths = pieces.map(({ path }) => path);
  const byLibrosa = judge(python, 'tempo', paths);
  if (byLibrosa) {
    const librosaAccuracies = accuracies(byLibrosa.map(({ bpm }) => bpm));
    measures.push(
      compareWith('Accuracy1', 'librosa', firstAccuracy, librosaAccuracies[0]),
      compareWith('Accuracy2', 'librosa', secondAccuracy, librosaAccuracies[1]),
    );
  }
  const judgedMusic = judge(python, 'music', paths);
  if (judgedMusic) {
    const judgedAccuracies = accuracies(judgedMusic.map(({ bpm }) => bpm));
    const [theirExact, theirWeighed] = keyShares(judgedMusic.map(({ key }) => keyName(key)));
    measures.push(
      compareWith('Accuracy1', 'sonara', firstAccuracy, judgedAccuracies[0]),
      compareWith('Accuracy2', 'sonara', secondAccuracy, judgedAccuracies[1]),
      compareWith('key, exact', 'sonara', exactShare, theirExact),
      compareWith('key, weighed', 'sonara', weightedShare, theirWeighed),
    );
  }
  return measures;
}

const FLAT_NAMES: Record<string, string> = { 'D#': 'Eb', 'G#': 'Ab', 'A#': 'Bb' };
/** Returns the short form of a key, such as `Bbm` for `A# minor`. */
function keyName(longName: string): string {
  const [tonic = '', mode] = longName.split(' ');
  return `${FLAT_NAMES[tonic] ?? tonic}${mode === 'minor' ? 'm' : ''}`;
}
