// Compares which recorded tracks the analysis finds similar with librosa's MFCC and sonara in the same run, checks
// whether altered copies find their original, and measures the index of a million sounds. Vectors are judged that were
// trained without the album in question, and again with held-out packages only. Runs only when named. The music comes
// from Debian's packages of games; --libraries DIR keeps them (2 GB). --python PROGRAM needs PyPI's sonara and librosa;
// missing ones are reported.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CHARACTER_BYTES, type Character } from '../../../server/dsp/character.ts';
import { RECORD_BYTES } from '../../../server/dsp/sound-vector.ts';
import { indexRecords } from '../../../server/likeness/build-index.ts';
import { openSoundIndex } from '../../../server/likeness/sound-index.ts';
import { madeUpSounds } from '../../support/made-up-sounds.ts';
import { measureAlbumLikeness, dot, precision, trainVectors } from '../ear/albums-alike.ts';
import { atMost, ffmpeg, openEar, share, type Hear } from '../ear/hear.ts';
import { judge } from '../ear/judge.ts';
import { openSoundtracks, type Recorded } from '../ear/soundtracks.ts';
import { toRows, type Measure } from '../measure.ts';

/** Seconds of each recording that are compared. */
const HEARD_SECONDS = 120;
const MILLION_TRACKS = 1_000_000;
const QUESTION_COUNT = 500;
const FIRST_SEED = 25;
const COPY_FORMATS: [name: string, ending: string, ...args: string[]][] = [
  ['mp3 128k', 'mp3', '-b:a', '128k'],
  ['opus', 'opus', '-b:a', '96k'],
  ['-12 dB', 'flac', '-af', 'volume=-12dB'],
  ['cut by 20 s', 'flac', '-ss', '20'],
];
/** Number of recorded tracks that are copied and altered. */
const COPIED_TRACK_COUNT = 60;

export async function likenessSuite(
  dir: string,
  { python, packages }: { python: string; packages: string },
): Promise<Measure[]> {
  mkdirSync(dir, { recursive: true });
  const measures = neighbours(dir);
  console.error(toRows(measures)); // prints the first figures early, since the rest takes an hour
  const soundtracks = openSoundtracks(packages);
  if (soundtracks.length === 0) return measures;
  const hear = await openEar();
  return [...measures, ...(await likeness(dir, soundtracks, python, hear))];
}

async function likeness(dir: string, allTracks: Recorded[], python: string, hear: Hear): Promise<Measure[]> {
  const recordedTracks: Recorded[] = [];
  const characters: Character[] = [];
  for (const track of allTracks) {
    const { character } = await hear(track.path, ['character'], HEARD_SECONDS);
    if (!character?.value) continue;
    recordedTracks.push(track);
    characters.push(character.value);
  }
  const vectorOf = trainVectors(recordedTracks, characters);
  const vectors = characters.map(vectorOf);
  const artists = recordedTracks.map(({ artist }) => artist);
  const halves = await segments(recordedTracks, vectors, vectorOf, hear);
  console.log(`same segment first: ${halves.toFixed(3)}; same artist@10: ${precision(vectors, artists).toFixed(3)}`);
  const measures = [...(await copies(dir, recordedTracks, vectors, vectorOf, hear))];
  const judgedTracks = judge(
    python,
    'likeness',
    recordedTracks.map(({ path }) => path),
    String(HEARD_SECONDS),
  );
  measures.push(...measureAlbumLikeness(recordedTracks, characters, judgedTracks ?? []));
  return measures;
}

/** Returns the share of tracks whose first quarter is most similar to the whole track. */
async function segments(
  recordedTracks: readonly Recorded[],
  knownVectors: readonly number[][],
  vectorOf: (character: Character) => number[],
  hear: Hear,
): Promise<number> {
  let [foundCount, count] = [0, 0];
  for (const [n, { path }] of recordedTracks.entries()) {
    if (n % 4 > 0) continue;
    const { character } = await hear(path, ['character'], HEARD_SECONDS / 4);
    if (!character?.value) continue;
    count++;
    if (nearestTo(vectorOf(character.value), knownVectors) === n) foundCount++;
  }
  return foundCount / Math.max(1, count);
}

function nearestTo(vector: readonly number[], knownVectors: readonly number[][]): number {
  const like = knownVectors.map((knownVector) => dot(vector, knownVector));
  return like.indexOf(Math.max(...like));
}

/** Measures the share of altered copies that are most similar to their original. */
async function copies(
  dir: string,
  recordedTracks: readonly Recorded[],
  knownVectors: readonly number[][],
  vectorOf: (character: Character) => number[],
  hear: Hear,
): Promise<Measure[]> {
  let [foundCount, count] = [0, 0];
  const step = Math.max(1, Math.floor(recordedTracks.length / COPIED_TRACK_COUNT));
  for (let n = 0; n < recordedTracks.length; n += step)
    for (const [name, ending, ...args] of COPY_FORMATS) {
      const { path } = recordedTracks[n] as Recorded;
      const copy = join(dir, `copy.${ending}`);
      ffmpeg('-i', path, '-map', '0:a:0', '-t', String(HEARD_SECONDS), ...args, copy);
      const { character } = await hear(copy, ['character']);
      if (!character?.value) continue;
      count++;
      if (nearestTo(vectorOf(character.value), knownVectors) === n) foundCount++;
      else console.log(`the copy (${name}) of ${path} is more like another track`);
    }
  return [share(`${count} altered copies of recorded tracks find their original`, foundCount / count, 0.99)];
}

/** Measures the index with a million generated sounds: speed and accuracy of the nearest sounds, and memory. */
function neighbours(dir: string): Measure[] {
  const path = join(dir, 'sounds.index');
  const records = madeUpSounds(MILLION_TRACKS, FIRST_SEED);
  indexRecords(path, records, MILLION_TRACKS);
  const index = openSoundIndex(path);
  if (!index) throw new Error('the index cannot be read');
  const times: number[] = [];
  let foundCount = 0;
  for (let question = 0; question < QUESTION_COUNT; question++) {
    const n = (question * 7_919) % MILLION_TRACKS;
    const record = records.subarray(n * RECORD_BYTES, (n + 1) * RECORD_BYTES);
    const from = performance.now();
    const { ids } = index.nearest(record, 20);
    times.push(performance.now() - from);
    if (question % 10 > 0) continue; // only every tenth sound is compared with all others, which takes long
    const exact = new Set(index.nearest(record, 20, 1).ids);
    foundCount += ids.filter((id) => exact.has(id)).length;
  }
  index.close();
  const p99 = times.toSorted((a, b) => a - b)[Math.floor(0.99 * times.length)] as number;
  return [
    atMost('20 nearest of 1,000,000, p99', 'ms', p99, 20),
    share('the same, recall', foundCount / (QUESTION_COUNT / 10) / 20, 0.95),
    atMost(
      'bytes of a track in index and database',
      'bytes',
      statSync(path).size / MILLION_TRACKS + CHARACTER_BYTES,
      300,
    ),
  ];
}
