// What a library says about likeness: directions in which the tracks of an album (and the segments of a track) differ
// among themselves count little, those that tell albums apart count much (within-class covariance normalization:
// Hatch and others 2006, then the largest components of what is left). Learned from tracks, applied to each.
import { DIMENSIONS, type Character } from './character.ts';

/** Of a vector as it is compared: bytes. */
export const VECTOR_LENGTH = 48;
/** Added to the variances, relative to all of them, so that few tracks do not mislead. */
const SHRINKAGE = 0.1;
/** Weight of the differences within tracks, beside those within albums. */
const TRACK_WEIGHT = 0.5;

export interface Whitening {
  mean: Float64Array;
  /** `VECTOR_LENGTH` rows of `DIMENSIONS`. */
  rows: Float64Array;
  /** Multiplied with components before they are rounded to bytes. */
  scale: number;
}

/** `album` tells which tracks belong together; null for none. */
export function learnWhitening(tracks: readonly { character: Character; album: number | null }[]): Whitening {
  const n = DIMENSIONS;
  const mean = meanOf(tracks.map(({ character }) => character.mean));
  const total = covariance(
    tracks.map(({ character }) => character.mean),
    mean,
  );
  const within = new Float64Array(n * n);
  let degrees = 0;
  const albums = Map.groupBy(
    tracks.filter(({ album }) => album !== null),
    ({ album }) => album,
  );
  for (const members of albums.values()) {
    if (members.length < 2) continue;
    const means = members.map(({ character }) => character.mean);
    const scatter = covariance(means, meanOf(means));
    for (let i = 0; i < n * n; i++) within[i] = (within[i] as number) + (scatter[i] as number) * members.length;
    degrees += members.length - 1;
  }
  // few albums: what is left of the total stands in for them
  const trust = degrees / (degrees + n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      const at = i * n + j;
      within[at] =
        (trust * (within[at] as number)) / Math.max(1, degrees) +
        (i === j ? (1 - trust) * (total[at] as number) * 0.5 : 0);
    }
  for (let i = 0; i < n; i++) {
    let square = 0;
    for (const { character } of tracks) square += (character.spread[i] as number) ** 2 / tracks.length;
    const at = i * n + i;
    within[at] = (within[at] as number) + TRACK_WEIGHT * square + SHRINKAGE * (total[at] as number) + 1e-3;
  }
  const root = inverseRoot(within, n);
  const whitened = multiply(multiply(root, total, n), root, n);
  const { vectors } = eigen(whitened, n); // columns, largest value first
  const rows = new Float64Array(VECTOR_LENGTH * n);
  for (let row = 0; row < VECTOR_LENGTH; row++)
    for (let column = 0; column < n; column++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += (vectors[k * n + row] as number) * (root[k * n + column] as number);
      rows[row * n + column] = sum;
    }
  const components = tracks.flatMap(({ character }) => [...project(character, { mean, rows, scale: 1 })]);
  const largest = components.map(Math.abs).sort((a, b) => a - b)[Math.floor(components.length * 0.999)] ?? 1;
  return { mean, rows, scale: 127 / Math.max(largest, 1e-9) };
}

function project({ mean: value }: Character, { mean, rows, scale }: Whitening): Float64Array {
  const out = new Float64Array(VECTOR_LENGTH);
  for (let row = 0; row < VECTOR_LENGTH; row++) {
    let sum = 0;
    for (let i = 0; i < DIMENSIONS; i++)
      sum += (rows[row * DIMENSIONS + i] as number) * ((value[i] as number) - (mean[i] as number));
    out[row] = sum * scale;
  }
  return out;
}

/** The vector by which a track is compared; the squared distance of two is how much they differ. */
export const toVector = (character: Character, whitening: Whitening): Int8Array =>
  Int8Array.from(project(character, whitening), (value) => Math.max(-127, Math.min(127, Math.round(value))));

function meanOf(values: readonly Float64Array[]): Float64Array {
  const mean = new Float64Array(DIMENSIONS);
  for (const value of values)
    for (let i = 0; i < DIMENSIONS; i++) mean[i] = (mean[i] as number) + (value[i] as number) / values.length;
  return mean;
}

function covariance(values: readonly Float64Array[], mean: Float64Array): Float64Array {
  const n = DIMENSIONS;
  const sum = new Float64Array(n * n);
  const apart = new Float64Array(n);
  for (const value of values) {
    for (let i = 0; i < n; i++) apart[i] = (value[i] as number) - (mean[i] as number);
    for (let i = 0; i < n; i++)
      for (let j = 0; j <= i; j++)
        sum[i * n + j] = (sum[i * n + j] as number) + ((apart[i] as number) * (apart[j] as number)) / values.length;
  }
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) sum[j * n + i] = sum[i * n + j] as number;
  return sum;
}

function multiply(a: Float64Array, b: Float64Array, n: number): Float64Array {
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let k = 0; k < n; k++) {
      const value = a[i * n + k] as number;
      for (let j = 0; j < n; j++) out[i * n + j] = (out[i * n + j] as number) + value * (b[k * n + j] as number);
    }
  return out;
}

function inverseRoot(matrix: Float64Array, n: number): Float64Array {
  const { values, vectors } = eigen(matrix, n);
  const scaled = new Float64Array(n * n);
  const turned = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let k = 0; k < n; k++) {
      scaled[i * n + k] = (vectors[i * n + k] as number) / Math.sqrt(Math.max(1e-9, values[k] as number));
      turned[k * n + i] = vectors[i * n + k] as number;
    }
  return multiply(scaled, turned, n);
}

/** Of a symmetric matrix, by Jacobi's rotations (Golub and Van Loan, 8.5): values, and vectors as columns. */
function eigen(matrix: Float64Array, n: number): { values: Float64Array; vectors: Float64Array } {
  const a = Float64Array.from(matrix);
  const v = new Float64Array(n * n);
  for (let i = 0; i < n; i++) v[i * n + i] = 1;
  for (let sweep = 0; sweep < 30; sweep++) {
    let off = 0;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) off += (a[p * n + q] as number) ** 2;
    if (off < 1e-18) break;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        const apq = a[p * n + q] as number;
        if (Math.abs(apq) < 1e-15) continue;
        const theta = ((a[q * n + q] as number) - (a[p * n + p] as number)) / (2 * apq);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        const s = t * c;
        for (let k = 0; k < n; k++) {
          const akp = a[k * n + p] as number;
          const akq = a[k * n + q] as number;
          a[k * n + p] = c * akp - s * akq;
          a[k * n + q] = s * akp + c * akq;
        }
        for (let k = 0; k < n; k++) {
          const apk = a[p * n + k] as number;
          const aqk = a[q * n + k] as number;
          a[p * n + k] = c * apk - s * aqk;
          a[q * n + k] = s * apk + c * aqk;
          const vkp = v[k * n + p] as number;
          const vkq = v[k * n + q] as number;
          v[k * n + p] = c * vkp - s * vkq;
          v[k * n + q] = s * vkp + c * vkq;
        }
      }
  }
  const order = Array.from({ length: n }, (_, i) => i).sort(
    (x, y) => (a[y * n + y] as number) - (a[x * n + x] as number),
  );
  const values = Float64Array.from(order, (i) => a[i * n + i] as number);
  const vectors = new Float64Array(n * n);
  order.forEach((from, to) => {
    for (let k = 0; k < n; k++) vectors[k * n + to] = v[k * n + from] as number;
  });
  return { values, vectors };
}
