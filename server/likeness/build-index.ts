// Builds the index of sounds from the stored sound vectors ("characters"): trains the model, computes the vectors,
// groups them into clusters and lays out the map. Runs in a thread of its own; a million tracks take minutes.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { AUDIO_KEY } from '../analysis/queries.ts';
import { STEPS } from '../analysis/steps.ts';
import type { Sqlite } from '../db/client.ts';
import { countEnergies, type EnergyCounts } from '../library/lists/energy-ranks.ts';
import { DIMENSIONS, unpackCharacter } from '../dsp/character.ts';
import { createKernels } from '../dsp/kernels.ts';
import {
  createVectorTrainer,
  createVectorWriter,
  RECORD_BYTES,
  RECORD_ID_OFFSET,
  RECORD_SCALE_OFFSET,
  VECTOR_SIZE,
  VECTOR_VERSION,
  writeRecord,
  type VectorModel,
} from '../dsp/sound-vector.ts';
import { placeLandmarks, type Places } from './landmarks.ts';
import { AXES, HEADER_BYTES, layoutOf, MODEL_VALUES, type IndexHeader } from './sound-index.ts';
import { MAP_SIZE } from './wire.ts';

/** The model is trained on about this many tracks, always on whole albums. */
const TRAINING_TRACKS = 30_000;
const MAX_CLUSTERS = 1_024;
const TRACKS_PER_CLUSTER = 3;
const TRAINING_ROUNDS = 6;
/** The number of records per cluster that one round of training draws. */
const SAMPLES_PER_CLUSTER = 32;
const MAX_GENRES = 24;
/** Each track is placed between this many clusters on the map. */
const CLUSTERS_PER_TRACK = 3;
const SHARPNESS = 12;
/** The share of the map's width by which tracks are scattered, so that they do not lie on top of each other. */
const SCATTER_WIDTH = 0.012;
const WRITE_BYTES = 1 << 20;

/** SQL that selects tracks whose sound can be compared. */
const FROM_COMPARABLE_TRACKS = `FROM tracks t JOIN audio_analyses a ON a.audio_key = ${AUDIO_KEY}
  WHERE t.availability = 'available' AND t.audio_hash IS NOT NULL AND a.character IS NOT NULL
    AND a.character_version = ${STEPS.character}`;

export interface SoundCounts {
  /** The number of tracks with audio. */
  total: number;
  /** The number of tracks that were analyzed, with or without a result. */
  analyzed: number;
  comparable: number;
  /** A fingerprint that changes when other tracks or other results would be in the index. */
  members: string;
  energies: EnergyCounts;
}

export function countSounds(client: Sqlite): SoundCounts {
  const { total, analyzed } = client
    .prepare<[], { total: number; analyzed: number }>(
      `SELECT count(*) AS total, total(coalesce(a.character_version, 0) = ${STEPS.character}) AS analyzed
        FROM tracks t LEFT JOIN audio_analyses a ON a.audio_key = ${AUDIO_KEY}
        WHERE t.availability = 'available' AND t.audio_hash IS NOT NULL`,
    )
    .get() as { total: number; analyzed: number };
  const { comparable, members } = client
    .prepare<[], { comparable: number; members: string }>(
      `SELECT count(*) AS comparable, count(*) || ':' || total(t.id) || ':' || total(a.rowid * (t.id % 9973))
        AS members ${FROM_COMPARABLE_TRACKS}`,
    )
    .get() as { comparable: number; members: string };
  return { total, analyzed, comparable, members, energies: countEnergies(client) };
}

/** Writes the index to `path`; returns the number of its tracks. */
export function buildSoundIndex(
  client: Sqlite,
  path: string,
  { soundCounts, nowMs }: { soundCounts: SoundCounts; nowMs: number },
): number {
  const tracks = client.prepare<[], number>(`SELECT count(*) ${FROM_COMPARABLE_TRACKS}`).pluck().get() ?? 0;
  const model = trainModel(client, tracks);
  const records = makeRecords(client, model, tracks);
  return arrange(path, { ...records, model, nowMs, soundCounts });
}

/** Builds the index of records without a library, for measuring how well and how fast it finds similar records. */
export function indexRecords(path: string, records: Uint8Array<ArrayBuffer>, count: number): number {
  const model: VectorModel = { mean: new Float64Array(2 * DIMENSIONS), axes: new Float64Array(AXES) };
  const soundCounts: SoundCounts = { total: count, analyzed: count, comparable: count, members: '', energies: [] };
  return arrange(path, { records, count, genreOf: new Uint8Array(count), genres: [], model, nowMs: 0, soundCounts });
}

function arrange(path: string, trainedRecords: TrainedRecords): number {
  const random = numbersFrom(7);
  const clusters = sortIntoClusters(trainedRecords.records, trainedRecords.count, random);
  const map = layOut(clusters, trainedRecords, random);
  return writeIndex(path, { ...trainedRecords, ...clusters, ...map });
}

/**
 * Returns a generator of numbers from 0 to 1. The numbers are the same each time, so that an unchanged library keeps
 * its map.
 */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function trainModel(client: Sqlite, tracks: number): VectorModel {
  const trainer = createVectorTrainer();
  const share = Math.min(1, TRAINING_TRACKS / Math.max(1, tracks));
  const rows = client
    .prepare<{ bucketLimit: number }, [number | null, Buffer]>(
      `SELECT t.album_id, a.character ${FROM_COMPARABLE_TRACKS}
        AND coalesce(t.album_id, t.id) * 7919 % 10007 < @bucketLimit ORDER BY t.album_id`,
    )
    .raw()
    .iterate({ bucketLimit: Math.ceil(share * 10_007) });
  for (const [albumId, bytes] of rows) {
    const character = unpackCharacter(bytes);
    if (character) trainer.push(character, albumId);
  }
  return trainer.finish();
}

type TrainedRecords = Records & { model: VectorModel; nowMs: number; soundCounts: SoundCounts };

interface Records {
  count: number;
  /** Records in the order of track ids. */
  records: Uint8Array<ArrayBuffer>;
  genreOf: Uint8Array;
  genres: string[];
}

function makeRecords(client: Sqlite, model: VectorModel, maxRecords: number): Records {
  const genres = client
    .prepare<[], string>(
      `SELECT genre FROM tracks WHERE genre IS NOT NULL
        GROUP BY genre ORDER BY count(*) DESC, genre LIMIT ${MAX_GENRES}`,
    )
    .pluck()
    .all();
  const places = new Map(genres.map((name, place) => [name, place]));
  const toVector = createVectorWriter(model);
  const records = new Uint8Array(maxRecords * RECORD_BYTES);
  const genreOf = new Uint8Array(maxRecords).fill(0xff);
  const view = new DataView(records.buffer);
  let count = 0;
  const rows = client
    .prepare<[], [number, string | null, Buffer]>(
      `SELECT t.id, t.genre, a.character ${FROM_COMPARABLE_TRACKS} ORDER BY t.id`,
    )
    .raw()
    .iterate();
  for (const [id, genre, bytes] of rows) {
    const character = unpackCharacter(bytes);
    if (!character || count === maxRecords) continue;
    writeRecord(toVector(character), id, view, count * RECORD_BYTES);
    genreOf[count] = (genre === null ? undefined : places.get(genre)) ?? 0xff;
    count++;
  }
  return { count, records, genreOf, genres };
}

interface Clusters {
  middles: Uint8Array<ArrayBuffer>;
  clusters: number;
  /** The `CLUSTERS_PER_TRACK` clusters that each record is most similar to; `likeness` says how similar. */
  nearestClusters: Int32Array;
  likeness: Float32Array;
}

/** Sorts records into clusters by spherical k-means. */
function sortIntoClusters(records: Uint8Array<ArrayBuffer>, count: number, random: () => number): Clusters {
  const clusters = Math.max(1, Math.min(MAX_CLUSTERS, Math.ceil(count / TRACKS_PER_CLUSTER)));
  const { loops, reserve } = createKernels();
  const outAt = RECORD_BYTES * (1 + clusters);
  const memory = reserve(outAt + clusters * 4);
  const bytes = new Uint8Array(memory);
  const view = new DataView(memory);
  const products = new Float32Array(memory, outAt, clusters);
  const records32 = new DataView(records.buffer);
  const draw = (): number => Math.floor(random() * count);
  const setMiddle = (cluster: number, record: number): void =>
    bytes.set(records.subarray(record * RECORD_BYTES, (record + 1) * RECORD_BYTES), RECORD_BYTES * (1 + cluster));

  function compare(record: number): void {
    bytes.set(records.subarray(record * RECORD_BYTES, record * RECORD_BYTES + VECTOR_SIZE), 0);
    bytes.fill(0, VECTOR_SIZE, RECORD_BYTES);
    loops.dots(0, RECORD_BYTES, clusters, outAt);
  }
  function nearestOf(record: number): number {
    compare(record);
    let bestCluster = 0;
    for (let i = 1; i < clusters; i++) if ((products[i] as number) > (products[bestCluster] as number)) bestCluster = i;
    return bestCluster;
  }

  const stride = Math.max(1, Math.floor(count / clusters));
  for (let cluster = 0; cluster < clusters && count > 0; cluster++)
    setMiddle(cluster, Math.min(count - 1, cluster * stride));
  const sample = Math.min(count, clusters * SAMPLES_PER_CLUSTER);
  for (let round = 0; round < TRAINING_ROUNDS && count > clusters; round++) {
    const sums = new Float64Array(clusters * VECTOR_SIZE);
    const members = new Int32Array(clusters);
    for (let n = 0; n < sample; n++) {
      const record = sample === count ? n : draw();
      const cluster = nearestOf(record);
      const scale = records32.getFloat32(record * RECORD_BYTES + RECORD_SCALE_OFFSET, true);
      members[cluster] = (members[cluster] as number) + 1;
      for (let i = 0; i < VECTOR_SIZE; i++)
        sums[cluster * VECTOR_SIZE + i] =
          (sums[cluster * VECTOR_SIZE + i] as number) + records32.getInt8(record * RECORD_BYTES + i) * scale;
    }
    for (let cluster = 0; cluster < clusters; cluster++)
      if (members[cluster] === 0) setMiddle(cluster, draw());
      else
        writeRecord(
          sums.subarray(cluster * VECTOR_SIZE, (cluster + 1) * VECTOR_SIZE),
          0,
          view,
          RECORD_BYTES * (1 + cluster),
        );
  }

  const nearestClusters = new Int32Array(count * CLUSTERS_PER_TRACK);
  const likeness = new Float32Array(count * CLUSTERS_PER_TRACK);
  for (let record = 0; record < count; record++) {
    compare(record);
    const scale = records32.getFloat32(record * RECORD_BYTES + RECORD_SCALE_OFFSET, true);
    for (let place = 0; place < CLUSTERS_PER_TRACK; place++) {
      let bestCluster = -1;
      for (let i = 0; i < clusters; i++)
        if (bestCluster < 0 || (products[i] as number) > (products[bestCluster] as number)) bestCluster = i;
      nearestClusters[record * CLUSTERS_PER_TRACK + place] = bestCluster;
      likeness[record * CLUSTERS_PER_TRACK + place] = (products[bestCluster] as number) * scale;
      products[bestCluster] = -Infinity;
    }
  }
  return { middles: bytes.slice(RECORD_BYTES, RECORD_BYTES * (1 + clusters)), clusters, nearestClusters, likeness };
}

function layOut(
  { middles, clusters, nearestClusters, likeness }: Clusters,
  { count }: Records,
  random: () => number,
): { xs: Uint16Array; ys: Uint16Array } {
  const places = placeLandmarks(likenessOfAll(middles, clusters), clusters, random);
  const layOutAlong = (axis: Float64Array): Uint16Array => {
    const coordinates = new Uint16Array(count);
    for (let record = 0; record < count; record++) {
      const offset = record * CLUSTERS_PER_TRACK;
      let [sum, weights] = [0, 0];
      for (let i = offset; i < offset + CLUSTERS_PER_TRACK; i++) {
        const value = likeness[i] as number;
        if (value === -Infinity) continue;
        const weight = Math.exp(SHARPNESS * (value - (likeness[offset] as number)));
        sum += weight * (axis[nearestClusters[i] as number] as number);
        weights += weight;
      }
      const place = sum / weights + (random() - 0.5) * SCATTER_WIDTH;
      coordinates[record] = Math.round(Math.max(0, Math.min(1, place)) * MAP_SIZE);
    }
    return coordinates;
  };
  return { xs: layOutAlong((places satisfies Places).xs), ys: layOutAlong(places.ys) };
}

function likenessOfAll(middles: Uint8Array<ArrayBuffer>, count: number): Float32Array {
  const { loops, reserve } = createKernels();
  const outAt = RECORD_BYTES * (1 + count);
  const memory = reserve(outAt + count * 4);
  const bytes = new Uint8Array(memory);
  bytes.set(middles, RECORD_BYTES);
  const view = new DataView(middles.buffer, middles.byteOffset);
  const matrix = new Float32Array(count * count);
  for (let i = 0; i < count; i++) {
    bytes.set(middles.subarray(i * RECORD_BYTES, i * RECORD_BYTES + VECTOR_SIZE), 0);
    bytes.fill(0, VECTOR_SIZE, RECORD_BYTES);
    loops.dots(0, RECORD_BYTES, count, outAt);
    const scale = view.getFloat32(i * RECORD_BYTES + RECORD_SCALE_OFFSET, true);
    matrix.set(
      new Float32Array(memory, outAt, count).map((value) => value * scale),
      i * count,
    );
  }
  return matrix;
}

type IndexContent = TrainedRecords & Clusters & { xs: Uint16Array; ys: Uint16Array };

/** Writes the index to a file beside the old index, which it then replaces. */
function writeIndex(path: string, content: IndexContent): number {
  const { count, clusters } = content;
  const header: IndexHeader = {
    vectorVersion: VECTOR_VERSION,
    version: randomBytes(6).toString('hex'),
    builtAtMs: content.nowMs,
    members: content.soundCounts.members,
    analyzed: content.soundCounts.analyzed,
    total: content.soundCounts.total,
    tracks: count,
    clusters,
    genres: content.genres.map((name) => name.slice(0, 60)),
  };
  const layout = layoutOf(header);
  const head = Buffer.alloc(HEADER_BYTES);
  if (head.write(JSON.stringify(header)) >= HEADER_BYTES) throw new Error('the header of the index is too long');
  mkdirSync(dirname(path), { recursive: true });
  const newPath = `${path}.new`;
  const fd = openSync(newPath, 'w');
  try {
    const writeAt = (chunk: ArrayBufferView, position: number): void => {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      for (let writtenBytes = 0; writtenBytes < bytes.length;)
        writtenBytes += writeSync(
          fd,
          bytes,
          writtenBytes,
          Math.min(WRITE_BYTES, bytes.length - writtenBytes),
          position + writtenBytes,
        );
    };
    const { starts, places, ids } = writeRecords(content, (chunk, position) =>
      writeAt(chunk, layout.records + position),
    );
    const model = new Float64Array(MODEL_VALUES);
    model.set(content.model.mean);
    model.set(content.model.axes, content.model.mean.length);
    writeAt(head, 0);
    writeAt(model, layout.model);
    writeAt(content.middles, layout.middles);
    writeAt(starts, layout.starts);
    writeAt(ids, layout.ids);
    writeAt(places, layout.places);
    writeAt(content.xs, layout.xs);
    writeAt(content.ys, layout.ys);
    writeAt(content.genreOf.subarray(0, count), layout.genres);
    fsyncSync(fd);
  } catch (error) {
    rmSync(newPath, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  renameSync(newPath, path);
  return count;
}

/** Writes the records cluster by cluster. */
function writeRecords(
  { count, clusters, nearestClusters, records }: IndexContent,
  writeAt: (chunk: Uint8Array, position: number) => void,
) {
  const starts = new Int32Array(clusters + 1);
  for (let i = 0; i < count; i++) {
    const nextCluster = (nearestClusters[i * CLUSTERS_PER_TRACK] as number) + 1;
    starts[nextCluster] = (starts[nextCluster] as number) + 1;
  }
  for (let i = 1; i <= clusters; i++) starts[i] = (starts[i] as number) + (starts[i - 1] as number);
  const nextPlaces = starts.slice();
  const places = new Int32Array(count);
  const ids = new Int32Array(count);
  const sortedRecords = new Int32Array(count);
  const view = new DataView(records.buffer);
  for (let i = 0; i < count; i++) {
    const cluster = nearestClusters[i * CLUSTERS_PER_TRACK] as number;
    const place = nextPlaces[cluster] as number;
    nextPlaces[cluster] = place + 1;
    places[i] = place;
    sortedRecords[place] = i;
    ids[i] = view.getInt32(i * RECORD_BYTES + RECORD_ID_OFFSET, true);
  }
  const perPart = WRITE_BYTES / RECORD_BYTES;
  const chunk = new Uint8Array(WRITE_BYTES);
  for (let from = 0; from < count; from += perPart) {
    const partCount = Math.min(perPart, count - from);
    for (let i = 0; i < partCount; i++) {
      const recordStart = (sortedRecords[from + i] as number) * RECORD_BYTES;
      chunk.set(records.subarray(recordStart, recordStart + RECORD_BYTES), i * RECORD_BYTES);
    }
    writeAt(chunk.subarray(0, partCount * RECORD_BYTES), from * RECORD_BYTES);
  }
  return { starts, places, ids };
}
