// How fast everything is heard, beside a loop that only decodes the same files with the same decoders: one track at a
// time on both sides, in turn. The processor time is that of this process and of ffmpeg.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { measure, median, type Measure } from '../measure.ts';
import { ffmpeg, type Hear } from './hear.ts';

const SECONDS = 240;
const ROUNDS = 6;
const TICK_MS = 10;
const FORMATS: [ending: string, ...args: string[]][] = [
  ['flac'],
  ['mp3', '-b:a', '192k'],
  ['ogg', '-c:a', 'libvorbis', '-q:a', '5'],
  ['m4a', '-b:a', '160k'],
  ['opus', '-b:a', '96k'],
  ['wav'],
];

interface Spent {
  wallMs: number;
  cpuMs: number;
}

/** The pieces one after the other, again and again, make a track of four minutes. */
export async function speed(dir: string, pieces: readonly string[], hear: Hear): Promise<Measure[]> {
  const whole = join(dir, 'speed.source.wav');
  const inputs = pieces.flatMap((path) => ['-i', path]);
  const layout = pieces.map((_, n) => `[${n}:a]aresample=44100,aformat=channel_layouts=stereo[a${n}]`).join(';');
  const joined = `${layout};${pieces.map((_, n) => `[a${n}]`).join('')}concat=n=${pieces.length}:v=0:a=1`;
  ffmpeg(...inputs, '-filter_complex', joined, '-t', String(SECONDS), '-sample_fmt', 's16', whole);
  const measures: Measure[] = [];
  for (const [ending, ...args] of FORMATS) {
    const path = join(dir, `speed.${ending}`);
    ffmpeg('-i', whole, ...args, path);
    const [decoded, heard]: [Spent[], Spent[]] = [[], []];
    for (let round = 0; round <= ROUNDS; round++) {
      const [first, second] = [await spent(() => hear(path, [])), await spent(() => hear(path))];
      if (round === 0) continue; // compilation
      decoded.push(first);
      heard.push(second);
    }
    const of = (some: Spent[], field: keyof Spent): number => median(some.map((one) => one[field]));
    const row = (name: string, unit: string, field: keyof Spent, scale: number): Measure =>
      measure({
        suite: 'ear',
        name: `${name}, ${ending}`,
        unit,
        product: scale / of(heard, field),
        bound: { name: 'decoding alone', value: scale / of(decoded, field) },
        goal: { op: '>=', value: 0.5 },
      });
    const hours = (of(heard, 'wallMs') * 100_000) / 3_600_000;
    console.error(`ear: ${ending}: 100,000 tracks of four minutes take ${hours.toFixed(1)} h`);
    measures.push(
      row('tracks of four minutes heard', 'tracks/s', 'wallMs', 1_000),
      row('the same by processor time', 'tracks/s of one processor', 'cpuMs', 1_000),
    );
  }
  return measures;
}

async function spent(work: () => Promise<unknown>): Promise<Spent> {
  const [from, before] = [performance.now(), processorMs()];
  await work();
  return { wallMs: performance.now() - from, cpuMs: processorMs() - before };
}

/** Of this process and the programs that it waited for. */
function processorMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
}
