// Reads what music-metadata does not tell about Matroska and WebM: whether there is video, the length of recordings
// that declare no duration (such as those of browsers), the title, the tags, and where the audio is.
// https://www.matroska.org/technical/elements.html
import { MAX_VALUE_BYTES } from '../limits.ts';
import { bufferSource } from '../byte-source.ts';
import { decodeUtf8 } from '../text.ts';
import type { ByteSource } from '../types.ts';
import { Window } from '../buffered-source.ts';

const TRACK_TYPE = 0x83;
const VIDEO = 1;
const TIMESTAMP_SCALE = 0x2ad7b1;
const TITLE = 0x7ba9;
const TAGS = 0x1254c367;
const SEGMENT = 0x18538067;
const SEEK_HEAD = 0x114d9b74;
const SEEK = 0x4dbb;
const SEEK_ID = 0x53ab;
const SEEK_POSITION = 0x53ac;
const CLUSTER = 0x1f43b675;
const CLUSTER_TIMESTAMP = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const BLOCK = 0xa1;
/** Elements whose content is walked through; the others are Info, Tracks, TrackEntry and BlockGroup. */
const CONTAINERS = new Set([SEGMENT, SEEK_HEAD, SEEK, 0x1549a966, 0x1654ae6b, 0xae, CLUSTER, 0xa0]);
const MAX_TAGS_BYTES = 4 << 20;
const MAX_ELEMENTS = 1_000_000;
const MAX_HEAD_BYTES = 12;
const NS_PER_MS = 1e6;

export interface MatroskaScan {
  title?: string;
  /** Content of the element `Tags`. */
  tags?: Buffer | undefined;
  hasVideo: boolean;
  /** Time of the last block; 0 without `withBlocks`. */
  lastBlockMs: number;
  /**
   * Range from the first cluster to the last consecutive one; elements that change with the tags are before or after
   * it.
   */
  payload?: { start: number; end: number } | undefined;
}

/** Scans the elements of a file, up to the audio unless `withBlocks` is set. */
export function scanMatroska(source: ByteSource, withBlocks: boolean): MatroskaScan {
  const window = new Window(source);
  const scan: MatroskaScan = { hasVideo: false, lastBlockMs: 0 };
  let scale = NS_PER_MS;
  let cluster = 0;
  let segmentAt = 0;
  let soughtId = 0;
  let tagsAt: number | undefined;
  for (let position = 0, n = 0; n < MAX_ELEMENTS; n++) {
    const id = numberAt(window, position, 4, false);
    const size = id && numberAt(window, position + id.length, 8, true);
    if (!id || !size) break;
    const body = position + id.length + size.length;
    if (id.value === CLUSTER) scan.payload ??= { start: position, end: endOfClusters(source, position) };
    if (id.value === CLUSTER && !withBlocks) break;
    if (id.value === SEGMENT) segmentAt = body;
    if (CONTAINERS.has(id.value)) {
      position = body;
      continue;
    }
    if (!Number.isFinite(size.value)) break;
    if (id.value === TRACK_TYPE && unsignedAt(window, body, size.value) === VIDEO) scan.hasVideo = true;
    else if (id.value === TIMESTAMP_SCALE) scale = unsignedAt(window, body, size.value) || NS_PER_MS;
    else if (id.value === SEEK_ID) soughtId = unsignedAt(window, body, size.value);
    else if (id.value === SEEK_POSITION && soughtId === TAGS) tagsAt = segmentAt + unsignedAt(window, body, size.value);
    else if (id.value === TAGS) tagsAt = position;
    else if (id.value === TITLE) scan.title ??= textAt(window, body, size.value);
    else if (id.value === CLUSTER_TIMESTAMP) cluster = unsignedAt(window, body, size.value);
    else if (id.value === SIMPLE_BLOCK || id.value === BLOCK) {
      const track = numberAt(window, body, 8, true);
      const i = track ? window.at(body + track.length, 2) : -1;
      if (i >= 0)
        scan.lastBlockMs = Math.max(scan.lastBlockMs, ((cluster + window.bytes.readInt16BE(i)) * scale) / NS_PER_MS);
    }
    position = body + size.value;
  }
  if (tagsAt !== undefined) scan.tags = readTags(source, tagsAt);
  return scan;
}

/** Returns the content of the element at `position` if it is `Tags`, which may be behind the audio. */
function readTags(source: ByteSource, position: number): Buffer | undefined {
  const head = new Window(bufferSource(source.read(position, MAX_HEAD_BYTES)));
  const id = numberAt(head, 0, 4, false);
  const size = id?.value === TAGS ? numberAt(head, id.length, 8, true) : undefined;
  if (!id || !size || size.value > MAX_TAGS_BYTES) return undefined;
  const bytes = source.read(position + id.length + size.length, size.value);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns the end of consecutive clusters. A cluster of unknown size, as in a browser's recording, is the last one. */
function endOfClusters(source: ByteSource, firstClusterAt: number): number {
  let position = firstClusterAt;
  for (let n = 0; n < MAX_ELEMENTS; n++) {
    const head = new Window(bufferSource(source.read(position, MAX_HEAD_BYTES)));
    const id = numberAt(head, 0, 4, false);
    const size = id?.value === CLUSTER ? numberAt(head, id.length, 8, true) : undefined;
    if (!id || !size) break;
    position = Math.min(source.size, position + id.length + size.length + size.value);
  }
  return position;
}

function textAt(window: Window, position: number, size: number): string {
  const i = size <= MAX_VALUE_BYTES ? window.at(position, size) : -1;
  return i < 0 ? '' : decodeUtf8(window.bytes, i, i + size);
}

/** Reads an EBML number, whose first byte says how many bytes follow. A size with all bits set is unknown. */
function numberAt(
  window: Window,
  position: number,
  maxLength: number,
  isSize: boolean,
): { value: number; length: number } | undefined {
  const firstIndex = window.at(position, 1);
  const leadByte = firstIndex < 0 ? 0 : (window.bytes[firstIndex] as number);
  const length = leadByte === 0 ? 9 : Math.clz32(leadByte) - 23;
  const i = length > maxLength ? -1 : window.at(position, length);
  if (i < 0) return undefined;
  let value = isSize ? leadByte & (0xff >> length) : leadByte;
  let isUnknown = isSize && value === 0xff >> length;
  for (let k = 1; k < length; k++) {
    const byte = window.bytes[i + k] as number;
    value = value * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  return { value: isUnknown ? Infinity : value, length };
}

function unsignedAt(window: Window, position: number, length: number): number {
  const i = length > 8 ? -1 : window.at(position, length);
  let value = 0;
  for (let k = 0; i >= 0 && k < length; k++) value = value * 256 + (window.bytes[i + k] as number);
  return value;
}
