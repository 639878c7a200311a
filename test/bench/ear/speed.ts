// Measures how fast the analysis is, compared with a loop that only decodes the same files with the same decoders, one
// track at a time and in turn. The processor time includes this process and ffmpeg.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { measure, median, type Measure } from '../measure.ts';
import { ffmpeg, type Hear } from './hear.ts';

const SOURCE_SECONDS = 240;
const ROUND_COUNT = 6;
const TICK_MS = 10;
const SPEED_FORMATS: [ending: string, ...args: string[]][] = [
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

/** Measures the speed on a track of four minutes, which consists of the pieces, repeated. */
export async function measureSpeed(dir: string, pieces: readonly string[], hear: Hear): Promise<Measure[]> {
  const sourcePath = join(dir, 'speed.source.wav');
  const inputs = pieces.flatMap((path) => ['-i', path]);
  const layout = pieces.map((_, n) => `[${n}:a]aresample=44100,aformat=channel_layouts=stereo[a${n}]`).join(';');
  const filterGraph = `${layout};${pieces.map((_, n) => `[a${n}]`).join('')}concat=n=${pieces.length}:v=0:a=1`;
  ffmpeg(...inputs, '-filter_complex', filterGraph, '-t', String(SOURCE_SECONDS), '-sample_fmt', 's16', sourcePath);
  const measures: Measure[] = [];
  for (const [ending, ...args] of SPEED_FORMATS) {
    const path = join(dir, `speed.${ending}`);
    ffmpeg('-i', sourcePath, ...args, path);
    const [decodeCosts, analysisCosts]: [Spent[], Spent[]] = [[], []];
    for (let round = 0; round <= ROUND_COUNT; round++) {
      const [decodeCost, analysisCost] = [await measureTime(() => hear(path, [])), await measureTime(() => hear(path))];
      if (round === 0) continue; // the first round includes compilation
      decodeCosts.push(decodeCost);
      analysisCosts.push(analysisCost);
    }
    const medianOf = (costs: Spent[], field: keyof Spent): number => median(costs.map((cost) => cost[field]));
    const row = (name: string, unit: string, field: keyof Spent, scale: number): Measure =>
      measure({
        suite: 'ear',
        name: `${name}, ${ending}`,
        unit,
        product: scale / medianOf(analysisCosts, field),
        bound: { name: 'decoding alone', value: scale / medianOf(decodeCosts, field) },
        goal: { op: '>=', value: 0.5 },
      });
    const hours = (medianOf(analysisCosts, 'wallMs') * 100_000) / 3_600_000;
    console.error(`ear: ${ending}: 100,000 tracks of four minutes take ${hours.toFixed(1)} h`);
    measures.push(
      row('tracks of four minutes heard', 'tracks/s', 'wallMs', 1_000),
      row('the same by processor time', 'tracks/s of one processor', 'cpuMs', 1_000),
    );
  }
  return measures;
}

async function measureTime(work: () => Promise<unknown>): Promise<Spent> {
  const [from, previousProcessorMs] = [performance.now(), processorMs()];
  await work();
  return { wallMs: performance.now() - from, cpuMs: processorMs() - previousProcessorMs };
}

/** Returns the processor time of this process and of its finished children. */
function processorMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
}
