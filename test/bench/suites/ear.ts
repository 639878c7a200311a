// What the analysis hears, beside other programs in the same run: loudness and true peak beside libebur128, tempo
// beside aubio, altered copies among all others, and its speed beside a loop that only decodes. Runs only when it is
// named; --files N pieces, 500 at most, are rendered from seeds. Needs ffmpeg. Judges come from Debian's packages
// libebur128-1 and aubio-tools; what is absent is named. The likeness of an album's tracks needs recorded music and is
// not measured here.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Character } from '../../../server/dsp/character.ts';
import type { Heard, SoundStep } from '../../../server/dsp/listener.ts';
import { createVectorTrainer, createVectorWriter } from '../../../server/dsp/sound-vector.ts';
import { loadChromaprint } from '../../../server/media/chromaprint.ts';
import { listen } from '../../../server/media/listen.ts';
import { seededRandom } from '../../support/random.ts';
import { playScore, type Score } from '../../support/score.ts';
import { measure, type Measure } from '../measure.ts';
import { root } from '../product.ts';

const SECONDS = 20;
const SEED = 25;
const KEYS = ['C', 'C#', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'Ab', 'A', 'Bb', 'B'] as const;
/** Ending and ffmpeg's arguments. */
const FORMATS: [ending: string, ...args: string[]][] = [
  ['wav'],
  ['flac', '-ar', '44100', '-ac', '2'],
  ['mp3', '-b:a', '192k', '-ar', '44100'],
  ['m4a', '-b:a', '160k', '-ar', '48000', '-ac', '2'],
  ['opus', '-b:a', '96k'],
  ['ogg', '-c:a', 'libvorbis', '-q:a', '5', '-ar', '44100', '-ac', '2'],
  ['aiff', '-ar', '48000'],
  ['wv', '-ar', '96000', '-ac', '2'],
];
const COPIES: [name: string, ending: string, ...args: string[]][] = [
  ['mp3 128k', 'mp3', '-b:a', '128k'],
  ['opus', 'opus', '-b:a', '96k'],
  ['-12 dB', 'flac', '-af', 'volume=-12dB'],
  ['cut by 20 %', 'flac', '-ss', String(SECONDS / 5)],
];
const STEPS: SoundStep[] = ['loudness', 'waveform', 'rhythm', 'character'];
const TEMPO_TOLERANCE = 0.04;

/** Reads lines of path, rate and channels; prints LUFS and the true peak. */
const EBUR128 = `
import ctypes, subprocess, sys
lib = ctypes.CDLL('libebur128.so.1')
lib.ebur128_init.restype = ctypes.c_void_p
lib.ebur128_init.argtypes = [ctypes.c_uint, ctypes.c_ulong, ctypes.c_int]
lib.ebur128_add_frames_float.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
lib.ebur128_loudness_global.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_double)]
lib.ebur128_true_peak.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.POINTER(ctypes.c_double)]
for line in sys.stdin:
    path, rate, channels = line.rstrip('\\n').split('\\t')
    channels = int(channels)
    state = lib.ebur128_init(channels, int(rate), 53)
    data = subprocess.run(['ffmpeg', '-v', 'error', '-i', path, '-f', 'f32le', '-'], capture_output=True).stdout
    lib.ebur128_add_frames_float(state, data, len(data) // 4 // channels)
    value = ctypes.c_double()
    lib.ebur128_loudness_global(state, value)
    loudness, peak = value.value, 0.0
    for channel in range(channels):
        lib.ebur128_true_peak(state, channel, value)
        peak = max(peak, value.value)
    print(loudness, peak)
`;

const ffmpeg = (...args: string[]): Buffer =>
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args], { maxBuffer: 1 << 30 });
const share = (name: string, product: number, value: number): Measure =>
  measure({
    suite: 'ear',
    name,
    unit: 'share',
    product,
    bound: { name: 'goal', value },
    goal: { op: '>=', value: 1 },
  });
const atMost = (name: string, unit: string, product: number, value: number): Measure =>
  measure({ suite: 'ear', name, unit, product, bound: { name: 'goal', value }, goal: { op: '<=', value: 1 } });

interface Piece {
  score: Score;
  path: string;
  heard: Heard;
}

export async function earSuite(dir: string, { files }: { files: number }): Promise<Measure[]> {
  mkdirSync(dir, { recursive: true });
  const chromaprint = await loadChromaprint(join(root, 'dist', 'server', 'chromaprint.wasm'));
  const hear = async (path: string, steps = STEPS): Promise<Heard> => {
    const order = { path, ffmpeg: { program: 'ffmpeg', input: [] }, steps, wantsFingerprint: false };
    const result = await listen(order, { chromaprint, seconds: 120 });
    if (!result) throw new Error(`${path} cannot be decoded`);
    return result.heard;
  };
  const pieces: Piece[] = [];
  let [heardMs, decodedMs] = [0, 0];
  for (const [n, score] of scores(files).entries()) {
    const wav = join(dir, `${n}.source.wav`);
    writeFileSync(wav, wavOf(playScore(score)));
    const [ending, ...args] = FORMATS[n % FORMATS.length] as (typeof FORMATS)[number];
    const path = join(dir, `${n}.${ending}`);
    ffmpeg('-i', wav, ...args, path);
    const from = performance.now();
    await hear(path, []);
    const between = performance.now();
    const heard = await hear(path);
    decodedMs += between - from;
    heardMs += performance.now() - between;
    pieces.push({ score, path, heard });
  }
  const ratio = { name: 'decoding alone', value: files / decodedMs };
  return [
    ...loudness(pieces),
    ...tempo(pieces),
    ...(await copies(dir, pieces, hear)),
    measure({
      suite: 'ear',
      name: `speed with ${SECONDS} s pieces`,
      unit: 'files/ms',
      product: files / heardMs,
      bound: ratio,
      goal: { op: '>=', value: 0.5 },
    }),
  ];
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

function loudness(pieces: Piece[]): Measure[] {
  const input = pieces.map(({ path, heard }) => `${path}\t${heard.sampleRateHz}\t${channelsOf(path)}\n`).join('');
  const { status, stdout, stderr } = spawnSync('python3', ['-c', EBUR128], { input, encoding: 'utf8' });
  if (status !== 0) {
    console.error(
      `NOT JUDGED: loudness and true peak, as libebur128 or python3 is absent (${stderr.trim().slice(-120)})`,
    );
    return [];
  }
  const judged = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number) as [number, number]);
  const worst = (of: (piece: Piece, judge: [number, number]) => number): number =>
    Math.max(...pieces.map((piece, n) => Math.abs(of(piece, judged[n] as [number, number]))));
  const decibels = (peak: number): number => 20 * Math.log10(peak);
  return [
    atMost(
      'loudness, worst beside libebur128',
      'LU',
      worst(({ heard }, [lufs]) => (heard.loudness?.integrated ?? 0) - lufs),
      0.1,
    ),
    atMost(
      'true peak, worst beside libebur128',
      'dB',
      worst(({ heard }, [, peak]) => decibels(heard.loudness?.truePeak ?? 0) - decibels(peak)),
      0.2,
    ),
  ];
}

const channelsOf = (path: string): string =>
  execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'stream=channels', '-of', 'csv=p=0', path], {
    encoding: 'utf8',
  }).trim();

function tempo(pieces: Piece[]): Measure[] {
  const isNear = (bpm: number, wanted: number): boolean => Math.abs(bpm / wanted - 1) <= TEMPO_TOLERANCE;
  const accuracies = (found: readonly number[]): [number, number] =>
    [[1], [1, 2, 1 / 2, 3, 1 / 3]].map(
      (octaves) =>
        found.filter((bpm, n) => octaves.some((octave) => isNear(bpm, (pieces[n] as Piece).score.bpm * octave)))
          .length / found.length,
    ) as [number, number];
  const [first, second] = accuracies(pieces.map(({ heard }) => heard.rhythm?.tempo?.bpm ?? 0));
  const own = [share('tempo, Accuracy1', first, 0.8), share('tempo, Accuracy2', second, 0.95)];
  const keys = pieces.filter(({ heard, score }) => heard.rhythm?.key?.name === score.key + (score.isMinor ? 'm' : ''));
  own.push(share('key, exact', keys.length / pieces.length, 0.75));
  if (spawnSync('aubio', ['--version']).error) {
    console.error('NOT JUDGED: tempo beside aubio, which is absent');
    return own;
  }
  const theirs = accuracies(
    pieces.map(({ path }) => {
      const wav = `${path}.44100.wav`;
      ffmpeg('-i', path, '-ar', '44100', '-ac', '1', wav);
      return Number.parseFloat(execFileSync('aubio', ['tempo', '-i', wav], { encoding: 'utf8' }));
    }),
  );
  const beside = (name: string, product: number, value: number): Measure =>
    measure({
      suite: 'ear',
      name,
      unit: 'share',
      product,
      bound: { name: 'aubio', value },
      goal: { op: '>=', value: 1 },
    });
  return [
    ...own,
    beside('Accuracy1 beside aubio', first, theirs[0]),
    beside('Accuracy2 beside aubio', second, theirs[1]),
  ];
}

/** Which share of altered copies is most like its original. */
async function copies(
  dir: string,
  pieces: Piece[],
  hear: (path: string, steps: SoundStep[]) => Promise<Heard>,
): Promise<Measure[]> {
  const originals = pieces.flatMap(({ heard, path }) =>
    heard.character?.is ? [{ path, is: heard.character.is }] : [],
  );
  const trainer = createVectorTrainer();
  for (const { is } of originals) trainer.push(is, null);
  const vectorOf = createVectorWriter(trainer.finish());
  const unit = (character: Character): number[] => {
    const values = [...vectorOf(character)];
    const length = Math.hypot(...values);
    return values.map((value) => value / length);
  };
  const known = originals.map(({ is }) => unit(is));
  let found = 0;
  for (const [n, { path }] of originals.entries())
    for (const [name, ending, ...args] of COPIES) {
      const copy = join(dir, `copy.${ending}`);
      ffmpeg('-i', path, ...args, copy);
      const { character } = await hear(copy, ['character']);
      if (!character?.is) continue;
      const wanted = unit(character.is);
      const likeness = known.map((values) => values.reduce((sum, value, i) => sum + value * (wanted[i] as number), 0));
      if (likeness.indexOf(Math.max(...likeness)) === n) found++;
      else console.log(`the copy (${name}) of ${path} is more like another piece`);
    }
  return [
    share(
      `${originals.length * COPIES.length} copies find their original`,
      found / (originals.length * COPIES.length),
      0.99,
    ),
  ];
}
