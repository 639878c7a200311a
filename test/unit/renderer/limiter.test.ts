import { expect, test } from 'vitest';
import { Limiter } from '../../../renderer/player/limiter.ts';
import { createTruePeakMeter } from '../../../server/dsp/true-peak.ts';
import { seededRandom } from '../../support/test-random.ts';

const RATE_HZ = 44_100;
const BLOCK_FRAMES = 128;

/** Returns the output of the limiter without its delay. */
function limit(channels: readonly Float32Array[], rateHz = RATE_HZ): Float32Array[] {
  const limiter = new Limiter(rateHz, channels.length);
  const { length } = channels[0]!;
  const outputs = channels.map(() => new Float32Array(length + limiter.delay + BLOCK_FRAMES));
  for (let offset = 0; offset < length + limiter.delay; offset += BLOCK_FRAMES)
    limiter.process(
      channels.map((samples) => samples.subarray(offset, offset + BLOCK_FRAMES)),
      outputs.map((samples) => samples.subarray(offset, offset + BLOCK_FRAMES)),
    );
  return outputs.map((samples) => samples.slice(limiter.delay, limiter.delay + length));
}

function truePeak(channels: readonly Float32Array[], rateHz = RATE_HZ): number {
  const meter = createTruePeakMeter(rateHz, channels.length);
  meter.push(channels, channels[0]!.length);
  return meter.finish().truePeak;
}

const sine = (frequency: number, level: number, seconds = 1, phase = 0): Float32Array =>
  Float32Array.from(
    { length: seconds * RATE_HZ },
    (_, i) => level * Math.sin((2 * Math.PI * frequency * i) / RATE_HZ + phase),
  );
const meanSquare = (samples: Float32Array): number => samples.reduce((sum, x) => sum + x * x, 0) / samples.length;

test('what stays within full scale leaves it bit for bit', () => {
  const random = seededRandom(4);
  const noise = Float32Array.from({ length: RATE_HZ }, () => random() - 0.5);
  expect(limit([sine(997, 0.98), noise])).toEqual([sine(997, 0.98), noise]);
});

test.each([
  ['a drum in quiet music', () => sine(220, 0.2).map((x, i) => x + (i % 22_050 < 200 ? 1.6 : 0))],
  ['music that is twice too loud throughout', () => sine(997, 2)],
  ['peaks between the samples', () => sine(RATE_HZ / 4, 1.3, 1, Math.PI / 4)],
  ['noise', () => Float32Array.from({ length: RATE_HZ }, seededRandom(7)).map((x) => 6 * x - 3)],
])('no point of %s is above full scale', (_, make) => {
  const samples = make();
  expect(truePeak([samples])).toBeGreaterThan(1.1);
  expect(truePeak(limit([samples]))).toBeLessThanOrEqual(1);
});

test('a loud moment turns down a tenth of a second and not the track', () => {
  const quietSamples = sine(220, 0.2, 4);
  const samples = quietSamples.map((x, i) => (i > 2 * RATE_HZ && i < 2 * RATE_HZ + 50 ? 1.5 : x));
  const [output] = limit([samples]) as [Float32Array];
  expect(output.slice(0, 2 * RATE_HZ - 300)).toEqual(quietSamples.slice(0, 2 * RATE_HZ - 300));
  expect(meanSquare(output.slice(2.5 * RATE_HZ)) / meanSquare(quietSamples.slice(2.5 * RATE_HZ))).toBeGreaterThan(0.98);
  expect(output.slice(-1_000)).toEqual(quietSamples.slice(-1_000));
});

test('both channels are turned down alike, so that nothing moves sideways', () => {
  const leftSamples = sine(220, 1.5);
  const rightSamples = sine(220, 0.3);
  const [leftOutput, rightOutput] = limit([leftSamples, rightSamples]) as [Float32Array, Float32Array];
  for (let i = 1_000; i < RATE_HZ - 1_000; i += 777) expect(rightOutput[i]).toBeCloseTo(leftOutput[i]! / 5, 5);
});

test.each([8_000, 22_050, 48_000, 96_000, 192_000])('at %i Hz', (rateHz) => {
  const samples = Float32Array.from({ length: rateHz / 2 }, (_, i) => 1.8 * Math.sin(i / 7));
  expect(truePeak(limit([samples], rateHz), rateHz)).toBeLessThanOrEqual(1);
});
