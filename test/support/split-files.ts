// Makes one file of noise with the tracks of an album and a CUE sheet; in noise it is visible whether each sample is in
// its place.
import { spawnSync } from 'node:child_process';
import { seededRandom } from './seeded-random.ts';

export const RATE = 44_100;
export const FRAME_BYTES = 4;
export const SECONDS = 13;

/** Makes stereo noise of 16 bits. */
export function noise(seed: number): Buffer {
  const random = seededRandom(seed);
  const pcm = Buffer.alloc(SECONDS * RATE * FRAME_BYTES);
  for (let i = 0; i < pcm.length; i += 2) pcm.writeInt16LE(Math.floor((random() - 0.5) * 20_000), i);
  return pcm;
}

export function encode(pcm: Buffer, path: string, ...options: string[]): void {
  const input = ['-f', 's16le', '-ar', String(RATE), '-ac', '2', '-i', 'pipe:0'];
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...input, ...options, path], { input: pcm });
  if (status !== 0) throw new Error(stderr.toString());
}

/** Decodes a file, by its path if possible, because the end of an MP3 can be trimmed only if its length is known. */
export function decode(audio: Buffer | string): Buffer {
  const args = ['-v', 'error', '-i', typeof audio === 'string' ? audio : 'pipe:0', '-f', 's16le', 'pipe:1'];
  const input = typeof audio === 'string' ? undefined : audio;
  return spawnSync('ffmpeg', args, { input, maxBuffer: 1 << 27 }).stdout;
}

/** Start times of the tracks. The second is neither at a block of an encoder nor at a whole millisecond. */
export const BEGINS = ['00:00:00', '00:04:13', '00:08:41'];
export const samplesAt = BEGINS.map((time) => {
  const [minutes, seconds, frames] = time.split(':').map(Number) as [number, number, number];
  return ((minutes * 60 + seconds) * 75 + frames) * (RATE / 75);
});
export const sheetOf = (file: string, album: string, titles = ['One', 'Two', 'Three']): string =>
  [
    'PERFORMER "Band"',
    `TITLE "${album}"`,
    `FILE "${file}" WAVE`,
    ...titles.flatMap((title, i) => [`TRACK 0${i + 1} AUDIO`, `TITLE "${title}"`, `INDEX 01 ${BEGINS[i]}`]),
  ].join('\r\n');
