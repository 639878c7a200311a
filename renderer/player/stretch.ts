// Changes the speed of a sound at constant pitch: windows of the sound are overlapped at another distance, each
// shifted to where it best matches the previous window (WSOLA). Pure.

/** Length of a window in seconds: long enough for the lowest notes and short enough not to double a drum beat. */
const WINDOW_S = 0.06;
/** Seconds by which a window may be shifted to match. */
const SEARCH_S = 0.012;
/** Only every n-th sample is compared in the coarse search. */
const COARSE_STEP = 4;

/** Returns the channels at another speed; a `rate` above 1 is faster. All channels are shifted by the same amount. */
export function stretched(
  channels: readonly Float32Array[],
  rate: number,
  sampleRate: number,
): Float32Array<ArrayBuffer>[] {
  const length = channels[0]?.length ?? 0;
  const hop = Math.round((WINDOW_S * sampleRate) / 2);
  const search = Math.round(SEARCH_S * sampleRate);
  const total = Math.floor(length / rate);
  const results = channels.map(() => new Float32Array(total));
  const rising = Float32Array.from({ length: hop }, (_, i) => 0.5 - 0.5 * Math.cos((Math.PI * i) / hop));
  const mono = mixToMono(channels);
  let from = 0;
  for (let to = 0; to < total; to += hop) {
    // the previous window continues at `from`: the next window is taken from near its ideal place, where it matches
    // best
    const ideal = Math.round(to * rate);
    const matchStart = to === 0 ? 0 : bestMatch(mono, from, { ideal, search, hop });
    const end = Math.min(hop, total - to);
    results.forEach((result, channel) => {
      const sound = channels[channel]!;
      for (let i = 0; i < end; i += 1) {
        const weight = to === 0 ? 1 : rising[i]!;
        result[to + i] = (sound[from + i] ?? 0) * (1 - weight) + (sound[matchStart + i] ?? 0) * weight;
      }
    });
    from = matchStart + hop;
  }
  return results;
}

function mixToMono(channels: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(channels[0]?.length ?? 0);
  for (const channel of channels) for (let i = 0; i < sum.length; i += 1) sum[i]! += channel[i]!;
  return sum;
}

function bestMatch(
  sound: Float32Array,
  from: number,
  { ideal, search, hop }: { ideal: number; search: number; hop: number },
): number {
  const lowest = Math.max(0, ideal - search);
  const highest = Math.max(lowest, Math.min(sound.length - hop, ideal + search));
  let bestStart = Math.min(Math.max(lowest, ideal), highest);
  let bestScore = -Infinity;
  const score = (start: number): number => {
    let likeness = 0;
    let power = 1e-9;
    for (let i = 0; i < hop; i += COARSE_STEP) {
      const sample = sound[start + i] ?? 0;
      likeness += sample * (sound[from + i] ?? 0);
      power += sample * sample;
    }
    return likeness / Math.sqrt(power);
  };
  const consider = (start: number): void => {
    const candidateScore = score(start);
    if (candidateScore > bestScore) [bestStart, bestScore] = [start, candidateScore];
  };
  for (let start = lowest; start <= highest; start += COARSE_STEP) consider(start);
  const coarse = bestStart;
  for (
    let start = Math.max(lowest, coarse - COARSE_STEP + 1);
    start < Math.min(highest + 1, coarse + COARSE_STEP);
    start += 1
  )
    consider(start);
  return bestStart;
}
