// The index of sounds, a file that is read in parts: a search reads the records of the clusters that are nearest to
// what is looked for. Between two searches only the model and the middles of the clusters are in memory.
//
// The file: a header of 4 KB (JSON), the model, the middles (records), the start of each cluster, the records cluster
// by cluster, and in the order of track ids: ids, places of their records, coordinates on the map and genres.
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { DIMENSIONS, type Character } from '../dsp/character.ts';
import { createKernels } from '../dsp/kernels.ts';
import {
  createVectorWriter,
  RECORD_BYTES,
  RECORD_ID_OFFSET,
  RECORD_SCALE_OFFSET,
  VECTOR_SIZE,
  VECTOR_VERSION,
  writeRecord,
  type VectorModel,
} from '../dsp/sound-vector.ts';

export const HEADER_BYTES = 4_096;
export const AXES = VECTOR_SIZE * 2 * DIMENSIONS;
export const MODEL_VALUES = 2 * DIMENSIONS + AXES;

export interface IndexHeader {
  vectorVersion: number;
  /** Identifies this build of the index. */
  version: string;
  builtAtMs: number;
  /** Fingerprint of the library at the time of the build, see countSounds. */
  members: string;
  analyzed: number;
  total: number;
  tracks: number;
  clusters: number;
  /** Names of the genres, which tracks refer to by index. */
  genres: string[];
}

/** Returns the offsets of the parts of an index. */
export function layoutOf({ tracks, clusters }: Pick<IndexHeader, 'tracks' | 'clusters'>) {
  const sizes = {
    model: MODEL_VALUES * 8,
    middles: clusters * RECORD_BYTES,
    starts: (clusters + 1) * 4,
    records: tracks * RECORD_BYTES,
    ids: tracks * 4,
    places: tracks * 4,
    xs: tracks * 2,
    ys: tracks * 2,
    genres: tracks,
  };
  let offset = HEADER_BYTES;
  const starts = {} as Record<keyof typeof sizes, number>;
  for (const [part, size] of Object.entries(sizes) as [keyof typeof sizes, number][]) {
    starts[part] = offset;
    offset += Math.ceil(size / 8) * 8;
  }
  return { ...starts, end: offset };
}

/** Libraries up to this size compare all records. */
const MAX_FULLY_COMPARED = 30_000;
/** Larger libraries compare this share of their records, see docs/decisions/0089. */
const COMPARED_SHARE = 0.08;
const PAGE_RECORDS = 8_192;
/** Ranks are counted among at most this many tracks, spread evenly over the clusters. */
const MAX_RANK_SAMPLE = 4_096;

export interface Alike {
  ids: Int32Array<ArrayBuffer>;
  /** Similarity of each track, 0 to 1. */
  likeness: Float32Array<ArrayBuffer>;
}

/**
 * Returns the rank of a likeness: the share of the other tracks that are at least as similar, above 0 to 1; 1 for a
 * track that is not similar at all.
 */
export type RankOf = (likeness: number) => number;

export interface SoundMap {
  ids: Int32Array;
  xs: Uint16Array;
  ys: Uint16Array;
  genres: Uint8Array;
}

export type SoundIndex = NonNullable<ReturnType<typeof openSoundIndex>>;

/** Opens an index file. Returns undefined for a file that is damaged, or was made by another version. */
export function openSoundIndex(path: string) {
  const fd = openSync(path, 'r');
  const header = readHeader(fd);
  if (!header) {
    closeSync(fd);
    return undefined;
  }
  const { tracks, clusters } = header;
  const layout = layoutOf(header);
  const page = Math.max(clusters, PAGE_RECORDS);
  const [middlesAt, pageAt] = [RECORD_BYTES, RECORD_BYTES * (1 + clusters)];
  const outAt = pageAt + PAGE_RECORDS * RECORD_BYTES;
  const { loops, reserve } = createKernels();
  const memory = reserve(outAt + page * 4);
  const bytes = new Uint8Array(memory);
  const view = new DataView(memory);
  const products = new Float32Array(memory, outAt, page);
  let map: SoundMap | undefined;
  let rankSample: { records: Uint8Array<ArrayBuffer>; count: number } | undefined;

  function readAt(target: Uint8Array, position: number): void {
    for (let readBytes = 0; readBytes < target.length;) {
      const bytesRead = readSync(fd, target, readBytes, target.length - readBytes, position + readBytes);
      if (bytesRead === 0) throw new Error('the index of sounds ends too early');
      readBytes += bytesRead;
    }
  }
  function readArray<T extends Int32Array | Uint16Array | Uint8Array | Float64Array>(
    kind: new (buffer: ArrayBuffer) => T,
    length: number,
    position: number,
  ): T {
    const content = new Uint8Array(length);
    readAt(content, position);
    return new kind(content.buffer);
  }

  readAt(bytes.subarray(middlesAt, pageAt), layout.middles);
  const starts = readArray(Int32Array, (clusters + 1) * 4, layout.starts);
  const values = readArray(Float64Array, MODEL_VALUES * 8, layout.model);
  const model: VectorModel = {
    mean: values.subarray(0, 2 * DIMENSIONS),
    axes: values.subarray(2 * DIMENSIONS),
  };
  const toVector = createVectorWriter(model);
  const intBuffer = new Int32Array(1);

  function readInt(position: number): number {
    readAt(new Uint8Array(intBuffer.buffer), position);
    return intBuffer[0] as number;
  }

  /** Returns the record of a track. */
  function findRecord(id: number): Uint8Array<ArrayBuffer> | undefined {
    let [low, high] = [0, tracks - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const middleId = readInt(layout.ids + middle * 4);
      if (middleId === id) {
        const record = new Uint8Array(RECORD_BYTES);
        readAt(record, layout.records + readInt(layout.places + middle * 4) * RECORD_BYTES);
        return record;
      }
      if (middleId < id) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  /** Loads the record with which others are compared; returns the scale of the products. */
  function loadQuery(record: Uint8Array): number {
    bytes.set(record, 0);
    const scale = view.getFloat32(RECORD_SCALE_OFFSET, true);
    bytes.fill(0, VECTOR_SIZE, RECORD_BYTES);
    return scale;
  }

  function scan(from: number, count: number, scale: number, top: Top): void {
    for (let start = 0; start < count; start += PAGE_RECORDS) {
      const pageCount = Math.min(PAGE_RECORDS, count - start);
      readAt(bytes.subarray(pageAt, pageAt + pageCount * RECORD_BYTES), layout.records + (from + start) * RECORD_BYTES);
      loops.dots(0, pageAt, pageCount, outAt);
      for (let i = 0; i < pageCount; i++) {
        const likeness = (products[i] as number) * scale;
        if (likeness > top.least())
          top.add(view.getInt32(pageAt + i * RECORD_BYTES + RECORD_ID_OFFSET, true), likeness);
      }
    }
  }

  function readRankSample(): NonNullable<typeof rankSample> {
    const count = Math.min(tracks, MAX_RANK_SAMPLE);
    const records = new Uint8Array(count * RECORD_BYTES);
    if (count === tracks) readAt(records, layout.records);
    else
      for (let i = 0; i < count; i++)
        readAt(
          records.subarray(i * RECORD_BYTES, (i + 1) * RECORD_BYTES),
          layout.records + Math.floor((i * tracks) / count) * RECORD_BYTES,
        );
    return { records, count };
  }

  return {
    header,
    find: findRecord,
    /** Returns a function that ranks a likeness to this record among all tracks of the index. */
    ranksFor(record: Uint8Array): RankOf {
      const { records, count } = (rankSample ??= readRankSample());
      const scale = loadQuery(record);
      bytes.set(records, pageAt);
      loops.dots(0, pageAt, count, outAt);
      const ownId = idOf(record);
      const likenesses = products
        .slice(0, count)
        .map((dot) => dot * scale)
        .filter((_, i) => view.getInt32(pageAt + i * RECORD_BYTES + RECORD_ID_OFFSET, true) !== ownId)
        .sort();
      return (likeness) => {
        if (likeness <= 0) return 1;
        let [low, high] = [0, likenesses.length];
        while (low < high) {
          const middle = (low + high) >> 1;
          if ((likenesses[middle] as number) < likeness - ROUNDING_ERROR) low = middle + 1;
          else high = middle;
        }
        return Math.max(1, likenesses.length - low) / Math.max(1, likenesses.length);
      };
    },
    /** Computes the record of a track that is not in the index yet. */
    recordOf(character: Character, id: number): Uint8Array<ArrayBuffer> {
      const record = new Uint8Array(RECORD_BYTES);
      writeRecord(toVector(character), id, new DataView(record.buffer), 0);
      return record;
    },
    likenessOf(a: Uint8Array, b: Uint8Array): number {
      const scale = loadQuery(a);
      bytes.set(b, pageAt);
      loops.dots(0, pageAt, 1, outAt);
      return Math.max(0, Math.min(1, (products[0] as number) * scale));
    },
    /**
     * Returns the most similar records first, including `record` itself if it is indexed. Compares only a `share` of
     * all records.
     */
    nearest(record: Uint8Array, count: number, share = COMPARED_SHARE, allUpTo = MAX_FULLY_COMPARED): Alike {
      const scale = loadQuery(record);
      const top = createTop(Math.min(count, tracks));
      if (tracks <= allUpTo || share >= 1) scan(0, tracks, scale, top);
      else {
        loops.dots(0, middlesAt, clusters, outAt);
        const clusterLikeness = products.slice(0, clusters);
        const order = Array.from(clusterLikeness.keys()).sort(
          (a, b) => (clusterLikeness[b] as number) - (clusterLikeness[a] as number),
        );
        const minCompared = Math.max(allUpTo, tracks * share);
        let comparedCount = 0;
        for (const cluster of order) {
          const from = starts[cluster] as number;
          const size = (starts[cluster + 1] as number) - from;
          scan(from, size, scale, top);
          comparedCount += size;
          if (comparedCount >= minCompared) break;
        }
      }
      return top.finish();
    },
    map(): SoundMap {
      map ??= {
        ids: readArray(Int32Array, tracks * 4, layout.ids),
        xs: readArray(Uint16Array, tracks * 2, layout.xs),
        ys: readArray(Uint16Array, tracks * 2, layout.ys),
        genres: readArray(Uint8Array, tracks, layout.genres),
      };
      return map;
    },
    close: (): void => closeSync(fd),
  };
}

/** Tolerance for comparing likeness values, which are stored in 32 bits. */
const ROUNDING_ERROR = 1e-6;
const idOf = (record: Uint8Array): number =>
  new DataView(record.buffer, record.byteOffset, RECORD_BYTES).getInt32(RECORD_ID_OFFSET, true);

/** Returns a function that reads the header of the current index. */
export function createHeaderReader(path: string): () => IndexHeader | undefined {
  let cachedHeader: { key: string; header: IndexHeader | undefined } | undefined;
  return () => {
    const key = keyOf(path);
    if (cachedHeader?.key !== key) {
      const fd = key === undefined ? undefined : openSync(path, 'r');
      cachedHeader = { key: key ?? '', header: fd === undefined ? undefined : readHeader(fd) };
      if (fd !== undefined) closeSync(fd);
    }
    return cachedHeader?.header;
  };
}

/** Returns a key that changes with each build; undefined without an index. */
export function keyOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.ino}:${stat.mtimeMs}:${stat.size}`;
}

/** Returns the header. Returns undefined for a file that was cut off or overwritten, so that the index is rebuilt. */
function readHeader(fd: number): IndexHeader | undefined {
  const head = Buffer.alloc(HEADER_BYTES);
  if (readSync(fd, head, 0, HEADER_BYTES, 0) < HEADER_BYTES) return undefined;
  const header = parse(head.toString('utf8', 0, head.indexOf(0)));
  if (header?.vectorVersion !== VECTOR_VERSION) return undefined;
  return fstatSync(fd).size < layoutOf(header).genres + header.tracks ? undefined : header;
}

function parse(text: string): IndexHeader | undefined {
  try {
    return JSON.parse(text) as IndexHeader;
  } catch {
    return undefined;
  }
}

type Top = ReturnType<typeof createTop>;

/** Keeps the best `limit` values, as a heap with the worst on top. */
export function createTop(limit: number) {
  const ids = new Int32Array(limit);
  const values = new Float32Array(limit);
  let count = 0;
  const swap = (a: number, b: number): void => {
    [ids[a], ids[b]] = [ids[b] as number, ids[a] as number];
    [values[a], values[b]] = [values[b] as number, values[a] as number];
  };

  function sink(): void {
    for (let index = 0; ;) {
      let leastIndex = index;
      for (const child of [2 * index + 1, 2 * index + 2])
        if (child < count && (values[child] as number) < (values[leastIndex] as number)) leastIndex = child;
      if (leastIndex === index) return;
      swap(index, leastIndex);
      index = leastIndex;
    }
  }

  return {
    /** Returns the value that a new one has to exceed to be kept. */
    least: (): number => (count < limit ? -Infinity : limit === 0 ? Infinity : (values[0] as number)),
    add(id: number, value: number): void {
      if (count < limit) {
        ids[count] = id;
        values[count] = value;
        for (let index = count++; index > 0;) {
          const parent = (index - 1) >> 1;
          if ((values[parent] as number) <= (values[index] as number)) break;
          swap(index, parent);
          index = parent;
        }
      } else if (value > (values[0] as number)) {
        ids[0] = id;
        values[0] = value;
        sink();
      }
    },
    finish(): Alike {
      const order = Array.from({ length: count }, (_, i) => i).sort(
        (a, b) => (values[b] as number) - (values[a] as number) || (ids[a] as number) - (ids[b] as number),
      );
      return {
        ids: Int32Array.from(order, (i) => ids[i] as number),
        likeness: Float32Array.from(order, (i) => Math.max(0, Math.min(1, values[i] as number))),
      };
    },
  };
}
