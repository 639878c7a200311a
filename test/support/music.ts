// Generates audio with the properties of music for fingerprints, from a seed: chords, a melody with overtones, bass and
// drums. The same seed results in the same piece.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { seededRandom } from './seeded-random.ts';

const RATE = 22_050;
const SCALE = [0, 2, 3, 5, 7, 8, 10];
const CHORDS = [
  [0, 2, 4],
  [3, 5, 7],
  [4, 6, 8],
  [5, 7, 9],
  [2, 4, 6],
  [1, 3, 5],
];
const OVERTONES = [1, 0.5, 0.3, 0.15];

export interface Piece {
  seed: number;
  seconds: number;
  /** Seconds of silence before the piece. */
  lead?: number;
  /** The factor by which the piece is faster. */
  tempo?: number;
  /** Number of half tones by which the piece is higher. */
  higher?: number;
  /** Number of the take: in each take notes come up to 30 ms earlier or later, and louder or softer. */
  take?: number;
  /** Overtones of other instruments for melody and chords. */
  overtones?: readonly number[];
}

/** Writes a piece as a WAV file, 16 bits, mono. */
export function writeMusic(path: string, piece: Piece): void {
  const samples = play(piece);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.byteLength, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.byteLength, 40);
  writeFileSync(path, Buffer.concat([head, Buffer.from(samples.buffer)]));
}

function play({ seed, seconds, lead = 0, tempo = 1, higher = 0, take, overtones = OVERTONES }: Piece): Int16Array {
  const random = seededRandom(seed);
  const player = take === undefined ? () => 0.5 : seededRandom(take);
  const randomBelow = (n: number): number => Math.floor(random() * n);
  const mix = new Float32Array(Math.round((seconds + lead) * RATE));
  const root = 45 + randomBelow(12) + higher;
  const beat = (0.3 + random() * 0.25) / tempo;
  const hertz = (degree: number, octave: number): number =>
    440 * 2 ** ((root + (SCALE[degree % 7] as number) + 12 * (octave + Math.floor(degree / 7)) - 69) / 12);
  const note = (startSeconds: number, length: number, frequency: number, volume: number): void => {
    const from = Math.max(0, Math.round((lead + startSeconds + (player() - 0.5) * 0.06) * RATE));
    const count = Math.min(Math.round(length * RATE), mix.length - from);
    const touch = 0.5 + player();
    const fade = Math.exp(-2 / count);
    overtones.forEach((overtone, n) => {
      // each sample of a sine follows from the two before it
      const twice = 2 * Math.cos((2 * Math.PI * frequency * (n + 1)) / RATE);
      let [valueBefore, value, amplitude] = [
        0,
        Math.sin((2 * Math.PI * frequency * (n + 1)) / RATE),
        touch * volume * overtone,
      ];
      for (let i = 0; i < count; i++) {
        mix[from + i] = (mix[from + i] as number) + amplitude * value * Math.min(1, i / 200);
        [valueBefore, value] = [value, twice * value - valueBefore];
        amplitude *= fade;
      }
    });
  };
  const drum = (startSeconds: number, volume: number): void => {
    const from = Math.round((lead + startSeconds) * RATE);
    const count = Math.min(RATE >> 4, mix.length - from);
    for (let i = 0; i < count; i++)
      mix[from + i] = (mix[from + i] as number) + volume * (random() * 2 - 1) * Math.exp((-6 * i) / count);
  };
  for (let startSeconds = 0; startSeconds < seconds; startSeconds += beat * 4) {
    const chord = CHORDS[randomBelow(CHORDS.length)] as number[];
    for (const degree of chord) note(startSeconds, beat * 4, hertz(degree, 0), 0.12);
    note(startSeconds, beat * 2, hertz(chord[0] as number, -1), 0.25);
    for (let n = 0; n < 8; n++)
      if (random() < 0.8)
        note(
          startSeconds + (n * beat) / 2,
          beat * (0.5 + random()),
          hertz((chord[randomBelow(3)] as number) + randomBelow(3), 1),
          0.2,
        );
    for (let n = 0; n < 4; n++) drum(startSeconds + n * beat, n % 2 === 0 ? 0.15 : 0.25);
  }
  return Int16Array.from(mix, (value) => Math.max(-32_767, Math.min(32_767, Math.round(value * 20_000))));
}

const ENCODERS: Record<string, string[]> = {
  'mp3-64': ['-c:a', 'libmp3lame', '-b:a', '64k', '-f', 'mp3'],
  'mp3-128': ['-c:a', 'libmp3lame', '-b:a', '128k', '-ar', '44100', '-f', 'mp3'],
  'mp3-320': ['-c:a', 'libmp3lame', '-b:a', '320k', '-ar', '44100', '-f', 'mp3'],
  mp3: ['-c:a', 'libmp3lame', '-b:a', '160k', '-ar', '44100', '-f', 'mp3'],
  flac: ['-c:a', 'flac', '-f', 'flac'],
  ogg: ['-c:a', 'libvorbis', '-q:a', '4', '-f', 'ogg'],
  opus: ['-c:a', 'libopus', '-b:a', '96k', '-f', 'opus'],
  m4a: ['-c:a', 'aac', '-b:a', '128k', '-f', 'ipod'],
  wav: ['-c:a', 'pcm_s16le', '-f', 'wav'],
  'wav-24': ['-c:a', 'pcm_s24le', '-f', 'wav'],
  'wav-float': ['-c:a', 'pcm_f32le', '-f', 'wav'],
  aiff: ['-c:a', 'pcm_s16be', '-f', 'aiff'],
};
export type Encoding = keyof typeof ENCODERS;

/** Encodes audio in another format. Needs ffmpeg. */
export function encodeMusic(
  from: string,
  to: string,
  encoding: Encoding,
  tags: Record<string, string> = {},
  filter: readonly string[] = [],
): void {
  const metadata = Object.entries(tags).flatMap(([name, value]) => ['-metadata', `${name}=${value}`]);
  const { status, stderr } = spawnSync(
    'ffmpeg',
    ['-nostdin', '-y', '-v', 'error', '-i', from, ...filter, ...metadata, ...(ENCODERS[encoding] as string[]), to],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`ffmpeg could not make ${encoding}: ${stderr}`);
}
