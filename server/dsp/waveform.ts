// The outline of a track in 1,000 points: the highest sample of each thousandth. The length is not known before the
// end, so peaks are kept in buckets that double in size whenever there are too many.
import { createKernels } from './kernels.ts';

const WAVEFORM_POINTS = 1_000;
const MOST_BUCKETS = 16 * WAVEFORM_POINTS;
const BLOCK = 8_192;

export function createWaveformMeter() {
  const buckets = new Float32Array(MOST_BUCKETS);
  const { loops, reserve } = createKernels();
  const line = new Float32Array(reserve(BLOCK * 4), 0, BLOCK);
  let [size, used, filled, frames] = [1, 0, 0, 0];

  /** So many of the line, from the bucket on that has room. */
  function fill(count: number): void {
    let room = size - filled;
    for (let at = 0, bucket = used; at < count; at += room, bucket++, room = size)
      buckets[bucket] = Math.max(buckets[bucket] as number, loops.peak(at * 4, Math.min(room, count - at)));
  }

  function halve(): void {
    for (let i = 0; i < MOST_BUCKETS / 2; i++)
      buckets[i] = Math.max(buckets[2 * i] as number, buckets[2 * i + 1] as number);
    buckets.fill(0, MOST_BUCKETS / 2);
    used /= 2;
    size *= 2;
  }

  return {
    push(data: readonly Float32Array[], count: number): void {
      for (let at = 0; at < count;) {
        const to = Math.min(count, at + BLOCK, at + (MOST_BUCKETS - used) * size - filled);
        for (const channel of data) {
          line.set(channel.subarray(at, to));
          fill(to - at);
        }
        filled += to - at;
        used += Math.floor(filled / size);
        filled %= size;
        at = to;
        if (used === MOST_BUCKETS) halve();
      }
      frames += count;
    },
    /** 0 to 255 for each point; 255 is full scale. */
    finish(): Uint8Array {
      const points = new Uint8Array(WAVEFORM_POINTS);
      const filledBuckets = frames / size;
      for (let point = 0; point < WAVEFORM_POINTS; point++) {
        const from = Math.floor((point * filledBuckets) / WAVEFORM_POINTS);
        const to = Math.max(from + 1, Math.ceil(((point + 1) * filledBuckets) / WAVEFORM_POINTS));
        let peak = 0;
        for (let i = from; i < to; i++) peak = Math.max(peak, buckets[i] ?? 0);
        points[point] = Math.min(255, Math.round(peak * 255));
      }
      return points;
    },
  };
}
