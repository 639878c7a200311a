// Computes the outline of a track in 1,000 points: the highest sample of each thousandth. The length is unknown until
// the end, so peaks are stored in buckets that double in size whenever there are too many of them.
import { createKernels } from './kernels.ts';

const WAVEFORM_POINTS = 1_000;
const MAX_BUCKETS = 16 * WAVEFORM_POINTS;
const BLOCK_SAMPLES = 8_192;

export function createWaveformMeter() {
  const buckets = new Float32Array(MAX_BUCKETS);
  const { loops, reserve } = createKernels();
  const line = new Float32Array(reserve(BLOCK_SAMPLES * 4), 0, BLOCK_SAMPLES);
  let [size, usedBuckets, filledSamples, frames] = [1, 0, 0, 0];

  /** Adds `count` samples of the line, beginning with the bucket that is not full yet. */
  function fill(count: number): void {
    let room = size - filledSamples;
    for (let offset = 0, bucket = usedBuckets; offset < count; offset += room, bucket++, room = size)
      buckets[bucket] = Math.max(buckets[bucket] as number, loops.peak(offset * 4, Math.min(room, count - offset)));
  }

  function halve(): void {
    for (let i = 0; i < MAX_BUCKETS / 2; i++)
      buckets[i] = Math.max(buckets[2 * i] as number, buckets[2 * i + 1] as number);
    buckets.fill(0, MAX_BUCKETS / 2);
    usedBuckets /= 2;
    size *= 2;
  }

  return {
    push(data: readonly Float32Array[], count: number): void {
      for (let start = 0; start < count;) {
        const end = Math.min(count, start + BLOCK_SAMPLES, start + (MAX_BUCKETS - usedBuckets) * size - filledSamples);
        for (const channel of data) {
          line.set(channel.subarray(start, end));
          fill(end - start);
        }
        filledSamples += end - start;
        usedBuckets += Math.floor(filledSamples / size);
        filledSamples %= size;
        start = end;
        if (usedBuckets === MAX_BUCKETS) halve();
      }
      frames += count;
    },
    /** Returns a value of 0 to 255 for each point; 255 is full scale. */
    finish(): Uint8Array {
      const points = new Uint8Array(WAVEFORM_POINTS);
      const filledBuckets = frames / size;
      for (let point = 0; point < WAVEFORM_POINTS; point++) {
        const firstBucket = Math.floor((point * filledBuckets) / WAVEFORM_POINTS);
        const endBucket = Math.max(firstBucket + 1, Math.ceil(((point + 1) * filledBuckets) / WAVEFORM_POINTS));
        let peak = 0;
        for (let i = firstBucket; i < endBucket; i++) peak = Math.max(peak, buckets[i] ?? 0);
        points[point] = Math.min(255, Math.round(peak * 255));
      }
      return points;
    },
  };
}
