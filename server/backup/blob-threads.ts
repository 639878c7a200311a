// Has files read by threads of blob-worker.ts. They start with the first file, and leave a processor to the server.
// When one dies, all files count as unreadable.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { stopWorker } from '../runtime/stop-worker.ts';
import type { Batch, BlobRequest, BlobWorkerData, FileToRead } from './blob-worker.ts';
import { PIECE_BYTES } from './packs.ts';

const MOST_THREADS = 4;
/** Sent to a thread together, with more bytes than one piece at the end. */
const FILES_AT_ONCE = 32;

/** Bytes as a backup stores them. `hash` and `size`: of what they were made of. */
export interface ReadBlob {
  hash: string;
  size: number;
  stored: Buffer;
  sum: string;
}
/** Returns the size of the file; undefined when it cannot be read, or is not what it should be. */
export type ReadBlobs = (each: (blob: ReadBlob) => Promise<void>) => Promise<number | undefined>;

interface Order {
  file: FileToRead;
  size: number;
  each: (blob: ReadBlob) => Promise<void>;
  settle: (size: number | undefined) => void;
  fail: (error: unknown) => void;
}

interface BlobThreadDeps {
  workerUrl: URL;
  key: BlobWorkerData['key'];
  signal: AbortSignal;
}

export type BlobThreads = ReturnType<typeof createBlobThreads>;

export function createBlobThreads({ workerUrl, key, signal }: BlobThreadDeps) {
  const most = Math.max(1, Math.min(MOST_THREADS, availableParallelism() - 1));
  const threads: Worker[] = [];
  const idle: Worker[] = [];
  const queue: Order[] = [];
  /** Those in the queue, too. */
  const waiting = new Set<Order>();
  let isStarting = false;
  /** What happens to all from now on. */
  let ended: ((order: Order) => void) | undefined;

  function enqueue(order: Order): void {
    if (ended) return ended(order);
    queue.push(order);
    waiting.add(order);
    if (!isStarting) setImmediate(startThreads); // those of the same turn go to a thread together
    isStarting = true;
  }

  function startThreads(): void {
    isStarting = false;
    while (queue.length > 0) {
      const thread = idle.pop() ?? (threads.length < most ? startThread() : undefined);
      if (!thread) return;
      work(thread).catch((error: unknown) => end((order) => order.fail(error)));
    }
  }

  function startThread(): Worker {
    const thread = new Worker(workerUrl, { workerData: { key } satisfies BlobWorkerData });
    thread.on('error', () => end((order) => order.settle(undefined)));
    threads.push(thread);
    return thread;
  }

  function end(how: (order: Order) => void): void {
    ended ??= how;
    queue.length = 0;
    for (const order of waiting) ended(order);
    waiting.clear();
  }

  function take(): Order[] {
    let size = 0;
    const count = queue.findIndex((order, n) => n >= FILES_AT_ONCE || (size += order.size) > PIECE_BYTES);
    return queue.splice(0, count < 0 ? queue.length : Math.max(1, count));
  }

  /** While a batch is stored, the thread makes the next. */
  async function work(thread: Worker): Promise<void> {
    let orders = take();
    let batch = ask(thread, requestOf(orders));
    while (orders.length > 0) {
      const [made, of] = [await batch, orders];
      if (made.isLast) orders = take();
      if (orders.length > 0) batch = ask(thread, made.isLast ? requestOf(orders) : 'next');
      await store(made, of);
    }
    idle.push(thread);
    startThreads();
  }

  async function store({ blobs, bytes, done }: Batch, orders: readonly Order[]): Promise<void> {
    signal.throwIfAborted();
    for (const { file, hash, size, offset, length, sum } of blobs) {
      const stored = Buffer.from(bytes.buffer, bytes.byteOffset + offset, length);
      await orders[file]?.each({ hash, size, stored, sum });
    }
    for (const { file, size } of done) {
      const order = orders[file];
      if (order && waiting.delete(order)) order.settle(size ?? undefined);
    }
  }

  return {
    /** `size`: as far as it is known. */
    read:
      (file: FileToRead, size = 0): ReadBlobs =>
      (each) =>
        new Promise((settle, fail) => {
          enqueue({ file, size, each, settle, fail });
        }),

    async close(): Promise<void> {
      await Promise.all(threads.map((thread) => stopWorker(thread)));
    },
  };
}

const requestOf = (orders: readonly Order[]): FileToRead[] => orders.map(({ file }) => file);

/** Stays pending when the thread dies. */
const ask = (thread: Worker, request: BlobRequest): Promise<Batch> =>
  new Promise((resolve) => {
    thread.once('message', resolve);
    thread.postMessage(request);
  });
