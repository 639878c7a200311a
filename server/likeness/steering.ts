// Steers a search by sound: moves the sound to search for towards tracks that the listener wants more of, and away from
// tracks that the listener wants less of (relevance feedback: Rocchio 1971).
import { RECORD_BYTES, RECORD_SCALE_OFFSET, VECTOR_SIZE, writeRecord } from '../dsp/sound-vector.ts';

/** Total weight of the tracks in each direction; the sound that is steered has the weight 1. */
const WEIGHT_MORE = 1.25;
const WEIGHT_LESS = 0.3;

export const viewOf = (record: Uint8Array): DataView => new DataView(record.buffer, record.byteOffset, RECORD_BYTES);

/** Returns the direction of a record, as a vector of length 1. */
export function unitOf(record: Uint8Array): Float64Array {
  const view = viewOf(record);
  const scale = view.getFloat32(RECORD_SCALE_OFFSET, true);
  return Float64Array.from({ length: VECTOR_SIZE }, (_, i) => view.getInt8(i) * scale);
}

/** Returns the record to search for instead of this one; undefined without steering tracks. */
export function steeredRecord(
  record: Uint8Array,
  more: readonly Uint8Array[],
  less: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> | undefined {
  if (more.length + less.length === 0) return undefined;
  const sum = unitOf(record);
  const add = (records: readonly Uint8Array[], weight: number): void => {
    for (const otherRecord of records)
      unitOf(otherRecord).forEach((value, i) => (sum[i] = (sum[i] as number) + (weight * value) / records.length));
  };
  add(more, WEIGHT_MORE);
  add(less, -WEIGHT_LESS);
  const newRecord = new Uint8Array(RECORD_BYTES);
  writeRecord(sum, 0, viewOf(newRecord), 0);
  return newRecord;
}
