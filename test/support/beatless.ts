// Sounds without a beat: noise, drones, speech, rain, wind and bells that are struck at random.
import { seededRandom } from './seeded-random.ts';

const RATE_HZ = 22_050;
const SECONDS = 30;
export const BEATLESS = ['white noise', 'brown noise', 'drone', 'choir', 'speech', 'rain', 'wind', 'chimes'] as const;

/** Makes the sound with this number, which decides its kind and its details. */
export function playBeatless(number: number): {
  samples: Float32Array;
  rateHz: number;
  kind: (typeof BEATLESS)[number];
} {
  const random = seededRandom(70_000 + number);
  const kind = BEATLESS[number % BEATLESS.length] as (typeof BEATLESS)[number];
  const samples = new Float32Array(SECONDS * RATE_HZ);
  const fill = (valueAt: (seconds: number, i: number) => number): void => {
    for (let i = 0; i < samples.length; i++) samples[i] = valueAt(i / RATE_HZ, i);
  };
  const tone = (from: number, seconds: number, level: number, hz: number, attack: number): void => {
    const firstSample = Math.round(from * RATE_HZ);
    const count = Math.min(samples.length - firstSample, Math.round(seconds * RATE_HZ));
    for (let i = 0; i < count; i++) {
      const envelope = Math.min(1, i / (attack * RATE_HZ), (count - i) / (0.03 * RATE_HZ));
      const phase = (2 * Math.PI * hz * i) / RATE_HZ;
      const value = Math.sin(phase) + 0.6 * Math.sin(2 * phase) + 0.4 * Math.sin(3 * phase) + 0.2 * Math.sin(5 * phase);
      samples[firstSample + i] = (samples[firstSample + i] as number) + level * envelope * value;
    }
  };
  const burst = (from: number, seconds: number, level: number): void => {
    const firstSample = Math.round(from * RATE_HZ);
    for (let i = 0; i < seconds * 4 * RATE_HZ && firstSample + i < samples.length; i++)
      samples[firstSample + i] =
        (samples[firstSample + i] as number) + level * (random() * 2 - 1) * Math.exp(-i / (seconds * RATE_HZ));
  };
  /** Calls `play` at random, independent times. */
  const atRandom = (perSecond: number, play: (startSeconds: number) => void): void => {
    for (let startSeconds = random(); startSeconds < SECONDS; startSeconds -= Math.log(1 - random()) / perSecond)
      play(startSeconds);
  };

  if (kind === 'white noise') fill(() => 0.3 * (random() * 2 - 1));
  if (kind === 'brown noise') {
    let level = 0;
    fill(() => (level = 0.995 * level + 0.03 * (random() * 2 - 1)));
  }
  if (kind === 'wind') {
    let [level, gust] = [0, 0];
    fill((seconds, i) => {
      if (i % 512 === 0) gust = 0.97 * gust + 0.1 * (random() - 0.5);
      level = 0.9 * level + 0.1 * (random() * 2 - 1);
      return level * (0.4 + gust + 0.2 * Math.sin(seconds / 3));
    });
  }
  if (kind === 'drone' || kind === 'choir') {
    const hz = 60 + random() * 120;
    const waves = Array.from({ length: 8 }, (_, n) => ({
      hz: hz * (n + 1) * (1 + (random() - 0.5) * 0.004),
      slow: 0.02 + random() * 0.1,
      level: 0.2 / (n + 1),
    }));
    fill((seconds) =>
      waves.reduce(
        (sum, wave) =>
          sum +
          wave.level *
            Math.sin(2 * Math.PI * wave.hz * seconds) *
            (1 + 0.6 * Math.sin(2 * Math.PI * wave.slow * seconds)),
        0,
      ),
    );
    if (kind === 'choir')
      atRandom(0.5, (startSeconds) =>
        tone(startSeconds, 2 + random() * 4, 0.08, hz * (2 + Math.floor(random() * 6)), 0.4),
      );
  }
  if (kind === 'speech')
    for (let startSeconds = 0.3; startSeconds < SECONDS;) {
      const seconds = 0.07 + random() * 0.25;
      if (random() < 0.4) burst(startSeconds, 0.02 + random() * 0.03, 0.1);
      tone(startSeconds + 0.02, seconds, 0.1 + random() * 0.1, 90 + random() * 70, 0.02);
      startSeconds += seconds + (random() < 0.15 ? 0.2 + random() * 0.8 : random() * 0.08);
    }
  if (kind === 'rain')
    atRandom(5 + random() * 60, (startSeconds) => burst(startSeconds, 0.003 + random() * 0.01, 0.05 + random() * 0.2));
  if (kind === 'chimes')
    atRandom(0.7 + random() * 2, (startSeconds) =>
      tone(startSeconds, 1.5, 0.15 * random(), 400 + random() * 900, 0.002),
    );
  return { samples, rateHz: RATE_HZ, kind };
}
