import { expect, test } from 'vitest';
import { fadeCurves } from '../../../renderer/player/crossfade.ts';
import { stretched } from '../../../renderer/player/stretch.ts';

const RATE_HZ = 8_000;
const tone = (hz: number, seconds: number, amplitude = 1) =>
  Float32Array.from({ length: seconds * RATE_HZ }, (_, i) => amplitude * Math.sin((2 * Math.PI * hz * i) / RATE_HZ));
/** Interpolates the curve at a share (0 to 1) of the fade. */
const readCurve = (curve: Float32Array, share: number) => {
  const place = share * (curve.length - 1);
  const index = Math.min(curve.length - 2, Math.floor(place));
  return curve[index]! + (curve[index + 1]! - curve[index]!) * (place - index);
};

test.each([
  { name: 'both at full scale', levels: [1, 1] },
  { name: 'one made louder', levels: [1.1, 0.4] },
  { name: 'both quiet', levels: [0.5, 0.5] },
])('two sounds that fade never add up to more than full scale: $name', ({ levels: [leavingLevel, comingLevel] }) => {
  const sound = (level: number) => ({ samples: [tone(440, 4, 0.9)], frames: 4 * RATE_HZ, level });
  const curves = fadeCurves(sound(leavingLevel!), sound(comingLevel!));
  const sums = Array.from({ length: 1_001 }, (_, i) => {
    const share = i / 1_000;
    return 0.9 * (leavingLevel! * readCurve(curves.out, share) + comingLevel! * readCurve(curves.in, share));
  });
  expect(Math.max(...sums)).toBeLessThan(1.02);
  expect([curves.out[0], curves.in.at(-1), curves.in[0]]).toEqual([1, 1, 0]);
});

test('quiet sounds fade with equal power', () => {
  const sound = { samples: [tone(440, 2, 0.3)], frames: 2 * RATE_HZ, level: 1 };
  const curves = fadeCurves(sound, sound);
  curves.out.forEach((value, k) => expect(value ** 2 + curves.in[k]! ** 2).toBeCloseTo(1, 5));
});

test.each([0.95, 1.05])('at %f of its speed a sound keeps its pitch and its level', (rate) => {
  const [sound] = stretched([tone(441, 3, 0.5)], rate, RATE_HZ);
  expect(sound).toHaveLength(Math.floor((3 * RATE_HZ) / rate));
  const middleSamples = sound!.subarray(RATE_HZ / 10, sound!.length - RATE_HZ / 10);
  const crossings = middleSamples.filter((value, i) => i > 0 && value >= 0 !== middleSamples[i - 1]! >= 0).length;
  expect(crossings / 2 / (middleSamples.length / RATE_HZ)).toBeCloseTo(441, -0.5);
  expect(Math.sqrt(middleSamples.reduce((sum, value) => sum + value ** 2, 0) / middleSamples.length)).toBeCloseTo(
    0.354,
    1,
  );
});

test('a stretched beat stays a beat', () => {
  const click = new Float32Array(4 * RATE_HZ);
  for (let i = 0; i < 8; i += 1) for (let n = 0; n < 40; n += 1) click[i * 4_000 + n] = n % 2 === 0 ? 1 : -1;
  const [sound] = stretched([click], 1.04, RATE_HZ);
  const onsets = [...sound!.keys()].filter(
    (i) => Math.abs(sound![i]!) > 0.5 && sound!.subarray(Math.max(0, i - 400), i).every((v) => Math.abs(v) <= 0.5),
  );
  expect(onsets.length).toBe(8);
  onsets.slice(1).forEach((onset, i) => expect((onset - onsets[i]!) / RATE_HZ).toBeCloseTo(0.5 / 1.04, 1));
});
