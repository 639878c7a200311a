// The outline of a track in 1,000 points: the highest sample of each thousandth. The length is not known before the
// end, so peaks are kept in buckets that double in size whenever there are too many.

export const WAVEFORM_POINTS = 1_000;
const MOST_BUCKETS = 16 * WAVEFORM_POINTS;

export function createWaveformMeter() {
  const buckets = new Float32Array(MOST_BUCKETS);
  let [size, used, filled, frames] = [1, 0, 0, 0];

  function endBucket(): void {
    filled = 0;
    used++;
    if (used < MOST_BUCKETS) return;
    for (let i = 0; i < MOST_BUCKETS / 2; i++)
      buckets[i] = Math.max(buckets[2 * i] as number, buckets[2 * i + 1] as number);
    buckets.fill(0, MOST_BUCKETS / 2);
    used /= 2;
    size *= 2;
  }

  return {
    push(data: readonly Float32Array[], count: number): void {
      for (let at = 0; at < count;) {
        const to = Math.min(count, at + size - filled);
        let peak = buckets[used] as number;
        for (const channel of data)
          for (let i = at; i < to; i++) {
            const value = Math.abs(channel[i] as number);
            if (value > peak) peak = value;
          }
        buckets[used] = peak;
        filled += to - at;
        at = to;
        if (filled === size) endBucket();
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
