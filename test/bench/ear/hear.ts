// Functions that all parts of this benchmark share: analyzing a file, and printing figures.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { SoundAnalysis, SoundStep } from '../../../server/dsp/listener.ts';
import { loadChromaprint } from '../../../server/media/chromaprint.ts';
import { listen } from '../../../server/media/listen.ts';
import { measure, type Measure } from '../measure.ts';
import { root } from '../product.ts';

/** Extension of each format, and ffmpeg's arguments for it. */
export const AUDIO_FORMATS: [ending: string, ...args: string[]][] = [
  ['wav'],
  ['flac', '-ar', '44100', '-ac', '2'],
  ['mp3', '-b:a', '192k', '-ar', '44100'],
  ['m4a', '-b:a', '160k', '-ar', '48000', '-ac', '2'],
  ['opus', '-b:a', '96k'],
  ['ogg', '-c:a', 'libvorbis', '-q:a', '5', '-ar', '44100', '-ac', '2'],
  ['aiff', '-ar', '48000'],
  ['wv', '-ar', '96000', '-ac', '2'],
];
const SOUND_STEPS: SoundStep[] = ['loudness', 'waveform', 'rhythm', 'character'];

export type Hear = (path: string, steps?: SoundStep[], seconds?: number) => Promise<SoundAnalysis>;

/** Returns a function that analyzes a file, or only its first `seconds` (of a file with 44,100 Hz). */
export async function openEar(): Promise<Hear> {
  const chromaprint = await loadChromaprint(join(root, 'dist', 'server', 'chromaprint.wasm'));
  return async (path, steps = SOUND_STEPS, seconds) => {
    const section = seconds === undefined ? undefined : { start: 0, end: seconds * 44_100 };
    const order = { path, ffmpeg: { program: 'ffmpeg', input: [] }, section, steps, wantsFingerprint: false };
    const result = await listen(order, { chromaprint, seconds: 120 });
    if (!result) throw new Error(`${path} cannot be decoded`);
    return result.heard;
  };
}

export const ffmpeg = (...args: string[]): Buffer =>
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args], { maxBuffer: 1 << 30 });
export const share = (name: string, product: number, value: number): Measure =>
  measure({
    suite: 'ear',
    name,
    unit: 'share',
    product,
    bound: { name: 'goal', value },
    goal: { op: '>=', value: 1 },
  });
export const atMost = (name: string, unit: string, product: number, value: number): Measure =>
  measure({ suite: 'ear', name, unit, product, bound: { name: 'goal', value }, goal: { op: '<=', value: 1 } });

export const compareWith = (name: string, judgeName: string, product: number, value: number, times = 1): Measure =>
  measure({
    suite: 'ear',
    name: `${name} beside ${judgeName}`,
    unit: 'share',
    product,
    bound: { name: judgeName, value },
    goal: { op: '>=', value: times },
  });
