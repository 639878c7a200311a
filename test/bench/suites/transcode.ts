// Measures how long a listener waits for a track that has to be converted: for the first bytes, for a place at nine
// tenths of it, and for the first bytes of five tracks at once. Bound: ffmpeg alone, which begins at the same place of
// the same file.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measure, type Measure } from '../measure.ts';
import { startProduct, type Product } from '../product.ts';

const PIECE_SECONDS = 240;
const LENGTHS: { name: string; pieces: number }[] = [
  { name: '4 minutes', pieces: 1 },
  { name: '60 minutes', pieces: 15 },
  { name: '10 hours', pieces: 150 },
];
const SOURCES: { name: string; file: string; encode: string[] }[] = [
  { name: 'MP3', file: 'mp3.mp3', encode: ['-c:a', 'libmp3lame', '-b:a', '256k'] },
  { name: 'AAC', file: 'aac.m4a', encode: ['-c:a', 'aac', '-b:a', '192k'] },
  { name: 'ALAC', file: 'alac.m4a', encode: ['-c:a', 'alac'] },
  { name: 'FLAC', file: 'flac.flac', encode: ['-c:a', 'flac', '-compression_level', '0'] },
  { name: 'Opus', file: 'opus.opus', encode: ['-c:a', 'libopus', '-b:a', '128k'] },
];
const TARGETS = [
  { format: 'mp3', encode: ['-c:a', 'libmp3lame', '-f', 'mp3'] },
  { format: 'opus', encode: ['-c:a', 'libopus', '-f', 'ogg'] },
  { format: 'aac', encode: ['-c:a', 'aac', '-f', 'adts'] },
];
const TARGET_KBPS = 96;
const PLACE = 0.9;
const LISTENER_COUNT = 5;
/** Nobody notices less than this; what the server adds to ffmpeg is told by the figures. */
const GOAL = { op: '<=', value: 4 } as const;

interface LongTrack {
  id: number;
  title: string;
  path: string;
  seconds: number;
}

export async function transcodeSuite(dir: string): Promise<Measure[]> {
  const music = join(dir, 'long-tracks');
  writeLongTracks(music, join(dir, 'pieces'));
  const product = await startProduct(join(dir, 'transcode'), {
    LOCAL_MEDIA_IMPORT_PATH: music,
    LOCAL_MEDIA_IMPORT_MODE: 'reference',
  });
  try {
    await product.scan();
    const { items } = await product.api<{ items: { id: number; title: string }[] }>('/tracks?limit=100');
    const tracks = LENGTHS.flatMap(({ name, pieces }) =>
      SOURCES.map((source): LongTrack => {
        const title = `${source.name} of ${name}`;
        const id = items.find((item) => item.title === title)?.id;
        if (id === undefined) throw new Error(`The scan did not find "${title}".`);
        return { id, title, path: join(music, `${pieces}-${source.file}`), seconds: pieces * PIECE_SECONDS };
      }),
    );
    const measures: Measure[] = [];
    for (const { name, pieces } of LENGTHS)
      measures.push(
        ...(await measureLength(
          product,
          name,
          tracks.filter(({ seconds }) => seconds === pieces * PIECE_SECONDS),
        )),
      );
    return [...measures, await measureTogether(product, tracks.slice(SOURCES.length))];
  } finally {
    await product.stop();
  }
}

/** Writes the tracks: a piece is encoded once and repeated, but FLAC numbers its frames, so it is encoded whole. */
function writeLongTracks(music: string, piecesDir: string): void {
  for (const dir of [music, piecesDir]) mkdirSync(dir, { recursive: true });
  const runFfmpeg = (...args: string[]) => execFileSync('ffmpeg', ['-v', 'error', '-y', ...args]);
  const wav = join(piecesDir, 'piece.wav');
  const sound = '0.3*sin(2*PI*(200+40*sin(t*0.7))*t)+0.1*random(0)|0.3*sin(2*PI*(300+30*sin(t*0.3))*t)+0.1*random(1)';
  runFfmpeg('-f', 'lavfi', '-i', `aevalsrc='${sound}':s=44100:d=${PIECE_SECONDS}`, wav);
  for (const source of SOURCES) {
    const isEncodedWhole = source.name === 'FLAC';
    const piece = isEncodedWhole ? wav : join(piecesDir, source.file);
    if (!isEncodedWhole) runFfmpeg('-i', wav, ...source.encode, piece);
    for (const { name, pieces } of LENGTHS) {
      const list = join(piecesDir, 'list.txt');
      writeFileSync(list, `file '${piece}'\n`.repeat(pieces));
      const encode = isEncodedWhole ? source.encode : ['-c', 'copy'];
      const title = `title=${source.name} of ${name}`;
      runFfmpeg(
        '-f',
        'concat',
        '-safe',
        '0',
        '-i',
        list,
        ...encode,
        '-metadata',
        title,
        join(music, `${pieces}-${source.file}`),
      );
    }
  }
  rmSync(piecesDir, { recursive: true });
}

/** Measures the longest wait of all sources and targets. */
async function measureLength(product: Product, name: string, tracks: LongTrack[]): Promise<Measure[]> {
  const waits = { first: 0, firstAlone: 0, place: 0, placeAlone: 0 };
  const keepLongest = (key: keyof typeof waits, ms: number) => (waits[key] = Math.max(waits[key], ms));
  for (const track of tracks) {
    for (const { format, encode } of TARGETS) {
      keepLongest('firstAlone', await waitForFfmpeg(track.path, 0, encode));
      const { ms, size } = await waitForBytes(product, track.id, format, 'bytes=0-1');
      keepLongest('first', ms);
      keepLongest('placeAlone', await waitForFfmpeg(track.path, track.seconds * PLACE, encode));
      const place = await waitForBytes(product, track.id, format, `bytes=${Math.round(size * PLACE)}-`);
      keepLongest('place', place.ms);
    }
  }
  const common = { suite: 'transcode', unit: 'ms', goal: GOAL };
  return [
    measure({
      ...common,
      name: `first bytes, ${name}`,
      product: waits.first,
      bound: { name: 'ffmpeg', value: waits.firstAlone },
    }),
    measure({
      ...common,
      name: `place at ${PLACE * 100} %, ${name}`,
      product: waits.place,
      bound: { name: 'ffmpeg', value: waits.placeAlone },
    }),
  ];
}

async function measureTogether(product: Product, tracks: LongTrack[]): Promise<Measure> {
  const waits = await Promise.all(
    tracks.slice(0, LISTENER_COUNT).map(({ id }) => waitForBytes(product, id, 'ogg', 'bytes=0-1').then(({ ms }) => ms)),
  );
  const alone = await Promise.all(
    tracks.slice(0, LISTENER_COUNT).map(({ path }) => waitForFfmpeg(path, 0, ['-c:a', 'libvorbis', '-f', 'ogg'])),
  );
  return measure({
    suite: 'transcode',
    unit: 'ms',
    name: `first bytes, ${LISTENER_COUNT} at once`,
    product: Math.max(...waits),
    bound: { name: `ffmpeg, ${LISTENER_COUNT} at once`, value: Math.max(...alone) },
    goal: GOAL,
  });
}

/** Returns the time to the first bytes of a range, and the size of the whole. */
async function waitForBytes(
  { url, token }: Product,
  id: number,
  format: string,
  range: string,
): Promise<{ ms: number; size: number }> {
  const startedAt = performance.now();
  const response = await fetch(`${url}/stream/${id}?format=${format}&max_bitrate=${TARGET_KBPS}&token=${token}`, {
    headers: { range },
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  const ms = performance.now() - startedAt;
  await reader.cancel();
  if (response.status !== 206) throw new Error(`The range ${range} was answered with ${response.status}.`);
  return { ms, size: Number(response.headers.get('content-range')?.split('/')[1]) };
}

function waitForFfmpeg(path: string, second: number, encode: string[]): Promise<number> {
  const startedAt = performance.now();
  const args = ['-v', 'error', '-ss', String(second), '-i', path, '-map', '0:a:0', '-b:a', `${TARGET_KBPS}k`];
  const child = spawn('ffmpeg', [...args, ...encode, '-'], { stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve, reject) => {
    child.stdout.once('data', () => {
      resolve(performance.now() - startedAt);
      child.kill('SIGKILL');
    });
    child.once('error', reject);
  });
}
