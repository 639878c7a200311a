// Measures the generated signals of EBU Tech 3341 and 3342 with the tolerances of these documents.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packHistograms, unpackHistograms } from '../../../server/dsp/histogram-code.ts';
import { albumLoudness, createLoudnessMeter, type Loudness } from '../../../server/dsp/loudness.ts';
import { createSilenceMeter } from '../../../server/dsp/silence.ts';
import { createTruePeakMeter } from '../../../server/dsp/true-peak.ts';
import { createWaveformMeter } from '../../../server/dsp/waveform.ts';

const RATE_HZ = 48_000;
type Part = [dbfs: number, seconds: number];

/** Generates a sine of 1 kHz at these levels (dBFS) for these numbers of seconds. */
function tone(...parts: Part[]): Float32Array {
  const samples = new Float32Array(parts.reduce((sum, [, seconds]) => sum + seconds, 0) * RATE_HZ);
  let offset = 0;
  for (const [dbfs, seconds] of parts)
    for (const end = offset + seconds * RATE_HZ; offset < end; offset++)
      samples[offset] = 10 ** (dbfs / 20) * Math.sin((2 * Math.PI * 1_000 * offset) / RATE_HZ);
  return samples;
}

function measureLoudness(...channels: Float32Array[]): Loudness {
  const meter = createLoudnessMeter(RATE_HZ, channels.length);
  const [firstChannel] = channels as [Float32Array];
  // decoders return uneven chunks like these
  for (let offset = 0; offset < firstChannel.length; offset += 10_007) {
    const parts = channels.map((data) => data.subarray(offset, offset + 10_007));
    meter.push(parts, (parts[0] as Float32Array).length);
  }
  return meter.finish();
}

test.each<{ name: string; parts: Part[]; lufs: number }>([
  { name: '3341-1: -23 LUFS', parts: [[-23, 20]], lufs: -23 },
  { name: '3341-2: -33 LUFS', parts: [[-33, 20]], lufs: -33 },
  {
    name: '3341-3: the relative gate',
    parts: [
      [-36, 10],
      [-23, 60],
      [-36, 10],
    ],
    lufs: -23,
  },
  {
    name: '3341-4: both gates',
    parts: [
      [-72, 10],
      [-36, 10],
      [-23, 60],
      [-36, 10],
      [-72, 10],
    ],
    lufs: -23,
  },
  {
    name: '3341-5: close to the gate',
    parts: [
      [-26, 20],
      [-20, 20.1],
      [-26, 20],
    ],
    lufs: -23,
  },
])('integrated loudness, $name', ({ parts, lufs }) => {
  const signal = tone(...parts);
  expect(Math.abs((measureLoudness(signal, signal).integrated ?? 0) - lufs)).toBeLessThan(0.1);
});

test('integrated loudness, 3341-6: surround channels count more, and the LFE does not count', () => {
  const [frontChannel, centreChannel, surroundChannel] = [tone([-28, 20]), tone([-24, 20]), tone([-30, 20])];
  const { integrated } = measureLoudness(
    frontChannel,
    frontChannel,
    centreChannel,
    tone([0, 20]),
    surroundChannel,
    surroundChannel,
  );
  expect(Math.abs((integrated ?? 0) + 23)).toBeLessThan(0.1);
});

test.each<{ name: string; parts: Part[]; lu: number }>([
  {
    name: '3342-1',
    parts: [
      [-20, 20],
      [-30, 20],
    ],
    lu: 10,
  },
  {
    name: '3342-2',
    parts: [
      [-20, 20],
      [-15, 20],
    ],
    lu: 5,
  },
  {
    name: '3342-3',
    parts: [
      [-40, 20],
      [-20, 20],
    ],
    lu: 20,
  },
  {
    name: '3342-4',
    parts: [
      [-50, 20],
      [-35, 20],
      [-20, 20],
      [-35, 20],
      [-50, 20],
    ],
    lu: 15,
  },
])('loudness range, $name', ({ parts, lu }) => {
  const signal = tone(...parts);
  expect(Math.abs(measureLoudness(signal, signal).range - lu)).toBeLessThan(1);
});

test('silence has no loudness', () => {
  expect(measureLoudness(new Float32Array(RATE_HZ))).toMatchObject({ integrated: null, range: 0 });
  expect(albumLoudness([measureLoudness(new Float32Array(RATE_HZ))])).toBeNull();
});

test('an album is as loud as its tracks played one after the other', () => {
  const tracks = [tone([-20, 20]), tone([-35, 20]), tone([-26, 10])].map((signal) => measureLoudness(signal, signal));
  const albumSignal = tone([-20, 20], [-35, 20], [-26, 10]);
  const histograms = tracks.map(({ blocks, shortTerm }) => {
    const packed = packHistograms([blocks, shortTerm]);
    expect(packed.length).toBeLessThan(200);
    const [first, second] = unpackHistograms(packed);
    return { blocks: first as Uint32Array, shortTerm: second as Uint32Array };
  });
  const albumLoudnessMeasured = measureLoudness(albumSignal, albumSignal);
  expect(Math.abs((albumLoudness(histograms)?.integrated ?? 0) - (albumLoudnessMeasured.integrated ?? 0))).toBeLessThan(
    0.1,
  );
  expect(Math.abs((albumLoudness(histograms)?.range ?? 0) - albumLoudnessMeasured.range)).toBeLessThan(1);
});

test.each([
  { name: '3341-15', divisor: 4, phase: 0, amplitude: 0.5, dbtp: -6 },
  { name: '3341-16', divisor: 4, phase: 45, amplitude: 0.5, dbtp: -6 },
  { name: '3341-17', divisor: 6, phase: 60, amplitude: 0.5, dbtp: -6 },
  { name: '3341-18', divisor: 8, phase: 67.5, amplitude: 0.5, dbtp: -6 },
  { name: '3341-19', divisor: 4, phase: 45, amplitude: 1.41, dbtp: 3 },
])('true peak, $name', ({ divisor, phase, amplitude, dbtp }) => {
  const meter = createTruePeakMeter(RATE_HZ, 1);
  const signal = Float32Array.from(
    { length: RATE_HZ },
    (_, i) =>
      Math.min(1, i / 2_000, (RATE_HZ - i) / 2_000) *
      amplitude *
      Math.sin((2 * Math.PI * i) / divisor + (phase * Math.PI) / 180),
  );
  for (let offset = 0; offset < signal.length; offset += 1_001) {
    const chunk = signal.subarray(offset, offset + 1_001);
    meter.push([chunk], chunk.length);
  }
  const measuredDb = 20 * Math.log10(meter.finish().truePeak);
  expect(measuredDb).toBeLessThan(dbtp + 0.2);
  expect(measuredDb).toBeGreaterThan(dbtp - 0.4);
});

const ffmpeg = spawnSync('ffmpeg', ['-version']).status === 0;
describe.skipIf(!ffmpeg)('beside ffmpeg’s ebur128', () => {
  test('noise of 25 s that swells agrees within 0.1 LU and 0.2 dB', () => {
    const dir = mkdtempSync(join(tmpdir(), 'tonearm-loudness-'));
    const file = join(dir, 'noise.wav');
    const graph = 'anoisesrc=d=25:c=pink:r=44100:a=0.9:seed=7,tremolo=f=0.125:d=0.9,pan=stereo|c0=c0|c1=0.4*c0';
    execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', graph, '-c:a', 'pcm_f32le', file]);
    const bytes = execFileSync('ffmpeg', ['-v', 'error', '-i', file, '-f', 'f32le', 'pipe:1'], { maxBuffer: 1 << 28 });
    const report = spawnSync('ffmpeg', ['-nostats', '-i', file, '-af', 'ebur128=peak=true', '-f', 'null', '-'], {
      encoding: 'utf8',
    }).stderr;
    rmSync(dir, { recursive: true });
    const frames = bytes.length / 8;
    const channel = (channelIndex: number): Float32Array =>
      Float32Array.from({ length: frames }, (_, i) => bytes.readFloatLE((2 * i + channelIndex) * 4));
    const channels = [channel(0), channel(1)];
    const [loudness, peaks] = [createLoudnessMeter(44_100, 2), createTruePeakMeter(44_100, 2)];
    loudness.push(channels, frames);
    peaks.push(channels, frames);
    const summary = report.slice(report.lastIndexOf('Summary'));
    const figure = (name: string): number => Number(new RegExp(`${name}:\\s+(-?[\\d.]+)`).exec(summary)?.[1]);
    // ffmpeg prints one decimal
    const { integrated, range } = loudness.finish();
    expect(Math.abs((integrated ?? 0) - figure('I'))).toBeLessThan(0.15);
    expect(Math.abs(range - figure('LRA'))).toBeLessThan(0.15);
    expect(Math.abs(20 * Math.log10(peaks.finish().truePeak) - figure('Peak'))).toBeLessThan(0.25);
  });
});

test('silence at both ends is exact to the frame, also across chunks', () => {
  const signal = new Float32Array(10_000);
  signal.fill(0.5, 1_234, 7_766);
  const meter = createSilenceMeter();
  for (let offset = 0; offset < signal.length; offset += 999) {
    const chunk = signal.subarray(offset, offset + 999);
    meter.push([chunk, new Float32Array(chunk.length)], chunk.length);
  }
  expect(meter.finish()).toEqual({ leading: 1_234, trailing: 2_234, frames: 10_000 });
});

test.each([10, 1_000, 123_456])('the waveform of %i frames has the highest sample of each thousandth', (frames) => {
  const signal = Float32Array.from({ length: frames }, (_, i) => (i / frames) * (i % 2 ? -1 : 1));
  const meter = createWaveformMeter();
  for (let offset = 0; offset < frames; offset += 4_096) {
    const chunk = signal.subarray(offset, offset + 4_096);
    meter.push([chunk], chunk.length);
  }
  const points = meter.finish();
  expect(points).toHaveLength(1_000);
  points.forEach((point, i) => {
    const expected = (255 * (Math.ceil(((i + 1) * frames) / 1_000) - 1)) / frames;
    expect(Math.abs(point - expected)).toBeLessThan(2);
  });
});
