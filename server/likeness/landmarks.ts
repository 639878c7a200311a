// Lays out the clusters of sounds on the map, so that similar clusters lie together (t-SNE: van der Maaten and Hinton
// 2008). Only clusters are laid out; tracks lie between the clusters that they are most like.

const NEIGHBOURS = 12;
const ROUNDS = 300;
/** Rounds in which similar clusters attract each other more, so that groups form. */
const EARLY_ROUNDS = 80;
const EARLY_PULL_FACTOR = 6;

export interface Places {
  xs: Float64Array;
  ys: Float64Array;
}

/**
 * Places the clusters on the map. `likeness` has the similarity of each cluster to each cluster, row by row, -1 to 1.
 */
export function placeLandmarks(likeness: Float32Array, count: number, random: () => number): Places {
  const pull = attractions(likeness, count);
  const xs = Float64Array.from({ length: count }, () => (random() - 0.5) * 0.01);
  const ys = Float64Array.from({ length: count }, () => (random() - 0.5) * 0.01);
  const [speedX, speedY] = [new Float64Array(count), new Float64Array(count)];
  const [forceX, forceY] = [new Float64Array(count), new Float64Array(count)];
  const nearness = new Float64Array(count * count);
  const rate = Math.max(10, count / 6);
  for (let round = 0; round < ROUNDS; round++) {
    let sum = 0;
    for (let i = 0; i < count; i++)
      for (let j = 0; j < i; j++) {
        const value =
          1 / (1 + ((xs[i] as number) - (xs[j] as number)) ** 2 + ((ys[i] as number) - (ys[j] as number)) ** 2);
        nearness[i * count + j] = value;
        sum += 2 * value;
      }
    forceX.fill(0);
    forceY.fill(0);
    const stronger = round < EARLY_ROUNDS ? EARLY_PULL_FACTOR : 1;
    for (let i = 0; i < count; i++)
      for (let j = 0; j < i; j++) {
        const closeness = nearness[i * count + j] as number;
        const force = 4 * (stronger * (pull[i * count + j] as number) - closeness / sum) * closeness;
        const [dx, dy] = [
          ((xs[i] as number) - (xs[j] as number)) * force,
          ((ys[i] as number) - (ys[j] as number)) * force,
        ];
        forceX[i] = (forceX[i] as number) - dx;
        forceY[i] = (forceY[i] as number) - dy;
        forceX[j] = (forceX[j] as number) + dx;
        forceY[j] = (forceY[j] as number) + dy;
      }
    const momentum = round < EARLY_ROUNDS ? 0.5 : 0.8;
    for (let i = 0; i < count; i++) {
      speedX[i] = momentum * (speedX[i] as number) + rate * (forceX[i] as number);
      speedY[i] = momentum * (speedY[i] as number) + rate * (forceY[i] as number);
      xs[i] = (xs[i] as number) + (speedX[i] as number);
      ys[i] = (ys[i] as number) + (speedY[i] as number);
    }
  }
  return { xs: toUnit(xs), ys: toUnit(ys) };
}

/**
 * Returns how strongly each pair attracts each other; the sum is 1. The reach of each row is chosen so that it has
 * about `NEIGHBOURS` neighbours.
 */
function attractions(likeness: Float32Array, count: number): Float64Array {
  const rows = new Float64Array(count * count);
  const targetEntropy = Math.log(Math.max(1, Math.min(NEIGHBOURS, (count - 1) / 3)));
  for (let i = 0; i < count; i++) {
    let [low, high, sharpness] = [0, Infinity, 10];
    for (let attempt = 0; attempt < 40; attempt++) {
      let [sum, weightedSum] = [1e-12, 0];
      for (let j = 0; j < count; j++) {
        if (j === i) continue;
        const distance = 1 - (likeness[i * count + j] as number);
        const value = Math.exp(-distance * sharpness);
        rows[i * count + j] = value;
        sum += value;
        weightedSum += value * distance;
      }
      const entropy = Math.log(sum) + (sharpness * weightedSum) / sum;
      for (let j = 0; j < count; j++) rows[i * count + j] = (rows[i * count + j] as number) / sum;
      if (Math.abs(entropy - targetEntropy) < 1e-3) break;
      if (entropy > targetEntropy) low = sharpness;
      else high = sharpness;
      sharpness = high === Infinity ? sharpness * 2 : (low + high) / 2;
    }
  }
  const pull = new Float64Array(count * count);
  for (let i = 0; i < count; i++)
    for (let j = 0; j < i; j++)
      pull[i * count + j] = ((rows[i * count + j] as number) + (rows[j * count + i] as number)) / (2 * count);
  return pull;
}

/** Scales values to 0..1; the outermost hundredth lies on the edge. */
function toUnit(values: Float64Array): Float64Array {
  const sortedValues = values.toSorted();
  const quantile = (share: number): number => sortedValues[Math.round(share * (sortedValues.length - 1))] ?? 0;
  const [low, high] = sortedValues.length < 200 ? [quantile(0), quantile(1)] : [quantile(0.005), quantile(0.995)];
  const width = high - low || 1;
  return values.map((value) => (sortedValues.length === 1 ? 0.5 : Math.max(0, Math.min(1, (value - low) / width))));
}
