// Reads files in threads (blob-worker.ts). The threads start with the first file, and leave one processor to the
// server. When a thread dies, all files count as unreadable.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { stopWorker } from '../runtime/stop-worker.ts';
import type { Batch, BlobRequest, BlobWorkerData, FileToRead } from './blob-worker.ts';
import { PIECE_BYTES } from './packs.ts';

const MAX_THREADS = 4;
/** Maximum number of files that are sent to a thread together; their bytes are limited, too. */
const MAX_FILES_PER_REQUEST = 32;

/** Bytes as a backup stores them. `hash` and `size` refer to the plain bytes. */
export interface ReadBlob {
  hash: string;
  size: number;
  storedBytes: Buffer;
  sum: string;
}
/** Returns the size of the file; undefined when it cannot be read, or does not match its hash. */
export type ReadBlobs = (onBlob: (blob: ReadBlob) => Promise<void>) => Promise<number | undefined>;

interface ReadOrder {
  file: FileToRead;
  size: number;
  onBlob: (blob: ReadBlob) => Promise<void>;
  resolve: (size: number | undefined) => void;
  reject: (error: unknown) => void;
}

interface BlobThreadDeps {
  workerUrl: URL;
  key: BlobWorkerData['key'];
  signal: AbortSignal;
}

export type BlobThreads = ReturnType<typeof createBlobThreads>;

export function createBlobThreads({ workerUrl, key, signal }: BlobThreadDeps) {
  const maxThreads = Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1));
  const threads: Worker[] = [];
  const idleThreads: Worker[] = [];
  const queue: ReadOrder[] = [];
  /** Orders that have no result yet, including those in the queue. */
  const pendingOrders = new Set<ReadOrder>();
  let isStarting = false;
  /** Set when the threads have ended; every later order is passed to this function. */
  let endOrder: ((order: ReadOrder) => void) | undefined;

  function enqueue(order: ReadOrder): void {
    if (endOrder) return endOrder(order);
    queue.push(order);
    pendingOrders.add(order);
    if (!isStarting) setImmediate(startThreads); // orders of the same turn are sent to a thread together
    isStarting = true;
  }

  function startThreads(): void {
    isStarting = false;
    while (queue.length > 0) {
      const thread = idleThreads.pop() ?? (threads.length < maxThreads ? startThread() : undefined);
      if (!thread) return;
      work(thread).catch((error: unknown) => end((order) => order.reject(error)));
    }
  }

  function startThread(): Worker {
    const thread = new Worker(workerUrl, { workerData: { key } satisfies BlobWorkerData });
    thread.on('error', () => end((order) => order.resolve(undefined)));
    threads.push(thread);
    return thread;
  }

  function end(handleOrder: (order: ReadOrder) => void): void {
    endOrder ??= handleOrder;
    queue.length = 0;
    for (const order of pendingOrders) endOrder(order);
    pendingOrders.clear();
  }

  function takeOrders(): ReadOrder[] {
    let size = 0;
    const count = queue.findIndex(
      (order, index) => index >= MAX_FILES_PER_REQUEST || (size += order.size) > PIECE_BYTES,
    );
    return queue.splice(0, count < 0 ? queue.length : Math.max(1, count));
  }

  /**
   * Sends orders to a thread until the queue is empty. While a batch is stored, the thread already makes the next one.
   */
  async function work(thread: Worker): Promise<void> {
    let orders = takeOrders();
    let batch = request(thread, requestOf(orders));
    while (orders.length > 0) {
      const [result, batchOrders] = [await batch, orders];
      if (result.isLast) orders = takeOrders();
      if (orders.length > 0) batch = request(thread, result.isLast ? requestOf(orders) : 'next');
      await store(result, batchOrders);
    }
    idleThreads.push(thread);
    startThreads();
  }

  async function store({ blobs, bytes, finishedFiles }: Batch, orders: readonly ReadOrder[]): Promise<void> {
    signal.throwIfAborted();
    for (const { file, hash, size, offset, length, sum } of blobs) {
      const storedBytes = Buffer.from(bytes.buffer, bytes.byteOffset + offset, length);
      await orders[file]?.onBlob({ hash, size, storedBytes, sum });
    }
    for (const { file, size } of finishedFiles) {
      const order = orders[file];
      if (order && pendingOrders.delete(order)) order.resolve(size ?? undefined);
    }
  }

  return {
    /** Returns a function that reads the file in a thread. `size` is the expected size, if it is known. */
    read:
      (file: FileToRead, size = 0): ReadBlobs =>
      (onBlob) =>
        new Promise((resolve, reject) => {
          enqueue({ file, size, onBlob, resolve, reject });
        }),

    async close(): Promise<void> {
      await Promise.all(threads.map((thread) => stopWorker(thread)));
    },
  };
}

const requestOf = (orders: readonly ReadOrder[]): FileToRead[] => orders.map(({ file }) => file);

/** Resolves with the batch that the thread sends; never when the thread dies. */
const request = (thread: Worker, message: BlobRequest): Promise<Batch> =>
  new Promise((resolve) => {
    thread.once('message', resolve);
    thread.postMessage(message);
  });
