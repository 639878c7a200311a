// Lets the thread that reads pictures read audio in an object store. Readers are synchronous, so the thread blocks
// until the main thread has copied the bytes into shared memory. Only the tags are fetched, not the music.
import type { Readable } from 'node:stream';
import { UnreadableAudio, type ByteSource } from '../media/types.ts';
import type { ByteRange } from '../storage/storage.ts';

/** Bytes per request; most tags with a picture are smaller. */
const WINDOW_BYTES = 512 << 10;
const HEAD_INTS = 2;
const HEAD_BYTES = HEAD_INTS * 4;
const [ASKED, FILLED, FAILED] = [0, 1, 2];

/** Sent to the thread. `shared`: state, number of bytes, then the bytes. */
export interface RemoteFile {
  size: number;
  shared: SharedArrayBuffer;
}

export const shareFile = (size: number): RemoteFile => ({
  size,
  shared: new SharedArrayBuffer(HEAD_BYTES + WINDOW_BYTES),
});

/** In the worker thread. `ask` requests bytes from the main thread. */
export function remoteByteSource({ size, shared }: RemoteFile, ask: (range: ByteRange) => void): ByteSource {
  const head = new Int32Array(shared, 0, HEAD_INTS);
  const bytes = Buffer.allocUnsafeSlow(WINDOW_BYTES); // readers do not get shared memory
  let start = 0;
  let filled = 0;

  function fetch(position: number): void {
    filled = 0;
    Atomics.store(head, 0, ASKED);
    ask({ start: position, end: Math.min(size, position + WINDOW_BYTES) - 1 });
    Atomics.wait(head, 0, ASKED);
    if (Atomics.load(head, 0) !== FILLED) throw new UnreadableAudio('its bytes could not be fetched');
    start = position;
    filled = Atomics.load(head, 1);
    Buffer.from(shared, HEAD_BYTES, filled).copy(bytes);
  }

  return {
    size,
    read(position, length) {
      const end = Math.min(size, position + length);
      if (position >= end) return Buffer.alloc(0);
      const isHere = position >= start && end <= start + filled;
      if (!isHere && end - position <= WINDOW_BYTES) fetch(position);
      if (end - position <= WINDOW_BYTES) return bytes.subarray(position - start, Math.min(filled, end - start));
      const large = Buffer.alloc(end - position);
      for (let at = position; at < end; at = start + filled) {
        fetch(at);
        if (filled === 0) return large.subarray(0, at - position); // the file became shorter
        bytes.copy(large, at - position, 0, Math.min(filled, end - at));
      }
      return large;
    },
  };
}

/** In the main thread: copies the bytes and wakes the worker. Throws errors of `open`, after waking it. */
export async function supplyRange(
  { shared }: RemoteFile,
  range: ByteRange,
  open: (range: ByteRange) => Promise<{ stream: Readable }>,
): Promise<void> {
  const head = new Int32Array(shared, 0, HEAD_INTS);
  const bytes = Buffer.from(shared, HEAD_BYTES);
  let count = 0;
  let state = FAILED;
  try {
    const wanted = range.end - range.start + 1;
    for await (const chunk of (await open(range)).stream as AsyncIterable<Buffer>) {
      count += chunk.copy(bytes, count, 0, Math.min(chunk.length, wanted - count));
      if (count === wanted) break;
    }
    state = FILLED;
  } finally {
    Atomics.store(head, 1, count);
    Atomics.store(head, 0, state);
    Atomics.notify(head, 0);
  }
}
