// Keeps the reading thread and guards it: a file that makes the parser hang or eat its memory costs that thread and is named; the
// thread starts anew and the rest of the group is read again.
import { Worker } from 'node:worker_threads';
import type { ReaderWorkerData, ReadRequest, ReadResponse, ReadResult } from './reader-worker.ts';

const PARSE_LIMIT_MS = 10_000;
const WATCH_EVERY_MS = 500;
const HEAP_LIMIT_MB = 256;
const IDLE_MS = 30_000;

export type ReadGroup = Omit<ReadRequest, 'group'>;

interface Pending { request: ReadRequest; /** Results known before the thread died, by index in the asked group. */ settled: Map<number, ReadResult>; indexes: number[]; resolve: (results: ReadResult[]) => void; reject: (error: Error) => void; total: number }

export type ReaderPool = ReturnType<typeof createReaderPool>;

/** One reading thread; groups are read in the order they are asked for. Started at first use, ended by `close`. */
export function createReaderPool({ workerUrl }: { workerUrl: URL }) {
  const progress = new Int32Array(new SharedArrayBuffer(12));
  const pending = new Map<number, Pending>();
  let worker: Worker | undefined;
  let watch: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastGroup = 0;
  let closed = false;

  function start(): Worker {
    progress.fill(0);
    const started = new Worker(workerUrl, {
      workerData: { progress: progress.buffer } satisfies ReaderWorkerData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB },
    });
    started.on('message', (response: ReadResponse) => settle(response));
    started.on('error', (error) => { if (worker === started) recover('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'reading it needs too much memory' : `reading it failed: ${error.message}`); });
    started.unref();
    watch ??= setInterval(watchForHang, WATCH_EVERY_MS).unref();
    return started;
  }

  function settle({ group, results }: ReadResponse): void {
    const entry = pending.get(group);
    if (!entry) return;
    pending.delete(group);
    results.forEach((result, i) => entry.settled.set(entry.indexes[i] as number, result));
    entry.resolve(Array.from({ length: entry.total }, (_, i) => entry.settled.get(i) as ReadResult));
    if (pending.size === 0) rest();
  }

  /** Nothing to do: the thread does not keep the process alive, and goes after a while, since its memory is only useful while it works. */
  function rest(): void {
    worker?.unref();
    clearTimeout(idle);
    idle = setTimeout(() => {
      const resting = worker;
      worker = undefined;
      void resting?.terminate();
    }, IDLE_MS).unref();
  }

  let stuck = { group: 0, index: 0, since: 0 };
  function watchForHang(): void {
    const [group = 0, index = 0, parsing = 0] = progress;
    const now = performance.now();
    if (parsing === 0 || group !== stuck.group || index !== stuck.index) stuck = { group, index, since: now };
    else if (now - stuck.since > PARSE_LIMIT_MS) {
      const hung = worker;
      stuck = { group: 0, index: 0, since: now };
      recover(`reading it took longer than ${PARSE_LIMIT_MS / 1000} s`);
      void hung?.terminate();
    }
  }

  /** The thread died (or is about to) at the file that `progress` names. */
  function recover(reason: string): void {
    const [group = 0, index = 0] = progress;
    worker = undefined;
    const waiting = [...pending.values()];
    pending.clear();
    for (const entry of waiting) {
      if (entry.request.group === group) {
        entry.settled.set(entry.indexes[index] as number, { ok: false, reason });
        entry.indexes.splice(index, 1);
        entry.request.paths.splice(index, 1);
      }
      send(entry);
    }
  }

  function send(entry: Pending): void {
    entry.request = { ...entry.request, group: ++lastGroup };
    pending.set(entry.request.group, entry);
    if (closed) return fail(new Error('the reader was closed'));
    clearTimeout(idle);
    worker ??= start();
    worker.ref();
    worker.postMessage(entry.request);
  }

  function fail(error: Error): void {
    for (const entry of pending.values()) entry.reject(error);
    pending.clear();
  }

  return {
    /** One result per path, in order. Never rejects for a bad file. */
    read: ({ paths, ...group }: ReadGroup): Promise<ReadResult[]> =>
      new Promise((resolve, reject) => {
        if (paths.length === 0) return resolve([]);
        send({ request: { ...group, group: 0, paths: [...paths] }, settled: new Map(), indexes: paths.map((_, i) => i), resolve, reject, total: paths.length });
      }),
    async close(): Promise<void> {
      closed = true;
      clearInterval(watch);
      clearTimeout(idle);
      fail(new Error('the reader was closed'));
      await worker?.terminate();
    },
  };
}
