// Computes the vector of a track from its character (character.ts), weighted by what the library itself shows. The
// parts of a track sound alike, and so do the tracks of an album: features that differ within an album say little about
// similarity, and features that differ between albums say much (linear discriminant analysis: Fisher 1936; for sounds:
// Hatch et al., WCCN, 2006). No trained weights come with the product.
import { DIMENSIONS, type Character } from './character.ts';

/**
 * The version of vectors. When it is raised, all vectors are computed again from the stored characters, without
 * decoding.
 */
export const VECTOR_VERSION = 1;
/** Number of dimensions of a vector; each is stored as a signed byte. */
export const VECTOR_SIZE = 56;

const RAW_SIZE = 2 * DIMENSIONS;
/**
 * With this many album tracks, the library's own data weighs as much as the prior assumption that all axes are equal.
 */
const PRIOR_TRACKS = 150;
/** The number of segments on which a track's character is usually based. */
const TYPICAL_SEGMENTS = 12;
const MIN_VARIANCE = 1e-4;

export interface VectorModel {
  mean: Float64Array;
  /** A matrix of `VECTOR_SIZE` rows and `2 * DIMENSIONS` columns. */
  axes: Float64Array;
}

function rawOf({ mean, spread }: Character, values: Float64Array): void {
  values.set(mean);
  for (let i = 0; i < DIMENSIONS; i++) values[DIMENSIONS + i] = Math.log(0.3 + (spread[i] as number));
}

/**
 * Creates a trainer, to which characters are added album by album. Tracks without an album are added with the id null.
 */
export function createVectorTrainer() {
  const raw = new Float64Array(RAW_SIZE);
  const total = createMoments();
  const scatterWithin = new Float64Array(RAW_SIZE * RAW_SIZE);
  const segments = new Float64Array(RAW_SIZE);
  let album = createMoments();
  let albumId: number | null = null;
  let alikes = 0;

  function endAlbum(): void {
    if (album.count() > 1) {
      album.addScatter(scatterWithin);
      alikes += album.count() - 1;
    }
    if (album.count() > 0) album = createMoments();
  }

  return {
    push(character: Character, ofAlbum: number | null): void {
      if (ofAlbum !== albumId) endAlbum();
      albumId = ofAlbum;
      rawOf(character, raw);
      total.push(raw);
      for (let i = 0; i < DIMENSIONS; i++)
        segments[i] = (segments[i] as number) + (character.spread[i] as number) ** 2 / TYPICAL_SEGMENTS;
      if (ofAlbum !== null) album.push(raw);
    },

    finish(): VectorModel {
      endAlbum();
      const count = Math.max(1, total.count());
      const totalScatter = new Float64Array(RAW_SIZE * RAW_SIZE);
      total.addScatter(totalScatter);
      for (let i = 0; i < totalScatter.length; i++) totalScatter[i] = (totalScatter[i] as number) / count;
      const trust = alikes / (alikes + PRIOR_TRACKS);
      const noise = new Float64Array(RAW_SIZE * RAW_SIZE);
      for (let i = 0; i < RAW_SIZE; i++) {
        for (let j = 0; j < RAW_SIZE; j++)
          noise[i * RAW_SIZE + j] = (trust * (scatterWithin[i * RAW_SIZE + j] as number)) / Math.max(1, alikes);
        const diagonalIndex = i * RAW_SIZE + i;
        const variance = Math.max(MIN_VARIANCE, totalScatter[diagonalIndex] as number);
        totalScatter[diagonalIndex] = variance;
        noise[diagonalIndex] =
          (noise[diagonalIndex] as number) + (0.5 * (1 - trust) + 0.03) * variance + (segments[i] as number) / count;
      }
      return { mean: total.mean(), axes: discriminants(totalScatter, noise) };
    },
  };
}

function createMoments() {
  const sum = new Float64Array(RAW_SIZE);
  const products = new Float64Array(RAW_SIZE * RAW_SIZE);
  let count = 0;
  return {
    count: (): number => count,
    mean: (): Float64Array => sum.map((value) => value / Math.max(1, count)),
    push(values: Float64Array): void {
      count++;
      for (let i = 0; i < RAW_SIZE; i++) {
        const value = values[i] as number;
        sum[i] = (sum[i] as number) + value;
        for (let j = 0, index = i * RAW_SIZE; j <= i; j++, index++)
          products[index] = (products[index] as number) + value * (values[j] as number);
      }
    },
    /** Adds the scatter matrix (the sums of products of the differences from the mean) to a matrix. */
    addScatter(to: Float64Array): void {
      for (let i = 0; i < RAW_SIZE; i++)
        for (let j = 0; j <= i; j++) {
          const value = (products[i * RAW_SIZE + j] as number) - ((sum[i] as number) * (sum[j] as number)) / count;
          to[i * RAW_SIZE + j] = (to[i * RAW_SIZE + j] as number) + value;
          if (i !== j) to[j * RAW_SIZE + i] = (to[j * RAW_SIZE + i] as number) + value;
        }
    },
  };
}

/** Returns the axes along which `all` varies most in relation to `noise`. */
function discriminants(totalScatter: Float64Array, noise: Float64Array): Float64Array {
  const lowerTriangle = cholesky(noise);
  const inverse = invertLower(lowerTriangle);
  const { values, vectors } = eigen(multiply(multiply(inverse, totalScatter), transpose(inverse)));
  const order = Array.from(values.keys()).sort((a, b) => (values[b] as number) - (values[a] as number));
  const axes = new Float64Array(VECTOR_SIZE * RAW_SIZE);
  for (let axis = 0; axis < VECTOR_SIZE; axis++) {
    const column = order[axis] as number;
    for (let j = 0; j < RAW_SIZE; j++) {
      let sum = 0;
      for (let i = j; i < RAW_SIZE; i++)
        sum += (vectors[i * RAW_SIZE + column] as number) * (inverse[i * RAW_SIZE + j] as number);
      axes[axis * RAW_SIZE + j] = sum;
    }
  }
  return axes;
}

function multiply(a: Float64Array, b: Float64Array): Float64Array {
  const result = new Float64Array(RAW_SIZE * RAW_SIZE);
  for (let i = 0; i < RAW_SIZE; i++)
    for (let k = 0; k < RAW_SIZE; k++) {
      const value = a[i * RAW_SIZE + k] as number;
      if (value === 0) continue;
      for (let j = 0; j < RAW_SIZE; j++)
        result[i * RAW_SIZE + j] = (result[i * RAW_SIZE + j] as number) + value * (b[k * RAW_SIZE + j] as number);
    }
  return result;
}

function transpose(a: Float64Array): Float64Array {
  return a.map((_, index) => a[(index % RAW_SIZE) * RAW_SIZE + Math.floor(index / RAW_SIZE)] as number);
}

function cholesky(a: Float64Array): Float64Array {
  const lowerTriangle = new Float64Array(RAW_SIZE * RAW_SIZE);
  for (let i = 0; i < RAW_SIZE; i++)
    for (let j = 0; j <= i; j++) {
      let sum = a[i * RAW_SIZE + j] as number;
      for (let k = 0; k < j; k++)
        sum -= (lowerTriangle[i * RAW_SIZE + k] as number) * (lowerTriangle[j * RAW_SIZE + k] as number);
      lowerTriangle[i * RAW_SIZE + j] =
        i === j ? Math.sqrt(Math.max(MIN_VARIANCE, sum)) : sum / (lowerTriangle[j * RAW_SIZE + j] as number);
    }
  return lowerTriangle;
}

function invertLower(lowerTriangle: Float64Array): Float64Array {
  const inverse = new Float64Array(RAW_SIZE * RAW_SIZE);
  for (let column = 0; column < RAW_SIZE; column++)
    for (let i = column; i < RAW_SIZE; i++) {
      let sum = i === column ? 1 : 0;
      for (let k = column; k < i; k++)
        sum -= (lowerTriangle[i * RAW_SIZE + k] as number) * (inverse[k * RAW_SIZE + column] as number);
      inverse[i * RAW_SIZE + column] = sum / (lowerTriangle[i * RAW_SIZE + i] as number);
    }
  return inverse;
}

const JACOBI_SWEEPS = 12;

/** Returns the eigenvalues and eigenvectors of a symmetric matrix, by Jacobi rotations. The vectors are the columns. */
function eigen(matrix: Float64Array): { values: Float64Array; vectors: Float64Array } {
  const a = Float64Array.from(matrix);
  const vectors = new Float64Array(RAW_SIZE * RAW_SIZE);
  for (let i = 0; i < RAW_SIZE; i++) vectors[i * RAW_SIZE + i] = 1;
  for (let sweep = 0; sweep < JACOBI_SWEEPS; sweep++)
    for (let p = 0; p < RAW_SIZE; p++) for (let q = p + 1; q < RAW_SIZE; q++) rotate(a, vectors, p, q);
  return { values: Float64Array.from({ length: RAW_SIZE }, (_, i) => a[i * RAW_SIZE + i] as number), vectors };
}

function rotate(a: Float64Array, vectors: Float64Array, p: number, q: number): void {
  const apq = a[p * RAW_SIZE + q] as number;
  if (Math.abs(apq) < 1e-12) return;
  const theta = ((a[q * RAW_SIZE + q] as number) - (a[p * RAW_SIZE + p] as number)) / (2 * apq);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  const rotatePair = (matrix: Float64Array, x: number, y: number): void => {
    const [vx, vy] = [matrix[x] as number, matrix[y] as number];
    matrix[x] = c * vx - s * vy;
    matrix[y] = s * vx + c * vy;
  };
  for (let k = 0; k < RAW_SIZE; k++) rotatePair(a, k * RAW_SIZE + p, k * RAW_SIZE + q);
  for (let k = 0; k < RAW_SIZE; k++) rotatePair(a, p * RAW_SIZE + k, q * RAW_SIZE + k);
  for (let k = 0; k < RAW_SIZE; k++) rotatePair(vectors, k * RAW_SIZE + p, k * RAW_SIZE + q);
}

/** The layout of vectors in memory, as kernels.wat compares them. */
export const RECORD_BYTES = 64;
export const RECORD_ID_OFFSET = 56;
export const RECORD_SCALE_OFFSET = 60;

/** Returns the function that computes the vector of a character. */
export function createVectorWriter({ mean, axes }: VectorModel) {
  const raw = new Float64Array(RAW_SIZE);
  const exactValues = new Float64Array(VECTOR_SIZE);
  return (character: Character): Float64Array => {
    rawOf(character, raw);
    for (let i = 0; i < RAW_SIZE; i++) raw[i] = (raw[i] as number) - (mean[i] as number);
    for (let axis = 0; axis < VECTOR_SIZE; axis++) {
      let sum = 0;
      for (let i = 0, index = axis * RAW_SIZE; i < RAW_SIZE; i++, index++)
        sum += (axes[index] as number) * (raw[i] as number);
      exactValues[axis] = sum;
    }
    return exactValues;
  };
}

/** Writes a vector as signed bytes, scaled so that the largest value is 127: only the direction matters. */
export function writeRecord(values: ArrayLike<number>, id: number, view: DataView, offset: number): void {
  let maxValue = 1e-9;
  for (let i = 0; i < VECTOR_SIZE; i++) maxValue = Math.max(maxValue, Math.abs(values[i] as number));
  let squares = 0;
  for (let i = 0; i < VECTOR_SIZE; i++) {
    const value = Math.round(((values[i] as number) * 127) / maxValue);
    squares += value * value;
    view.setInt8(offset + i, value);
  }
  view.setInt32(offset + RECORD_ID_OFFSET, id, true);
  view.setFloat32(offset + RECORD_SCALE_OFFSET, 1 / Math.sqrt(Math.max(1, squares)), true);
}
