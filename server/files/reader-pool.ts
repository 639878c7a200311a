// Runs the reading thread. When the parser hangs or runs out of memory on a file, that file fails and a new thread
// reads the others again.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { stopWorker } from '../runtime/stop-worker.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { isAbsent } from '../storage/file-errors.ts';
import { TEMP_DIR, tempName, threadPrefix } from '../storage/local-paths.ts';
import type { ReaderWorkerData, ReadRequest, ReadResponse, ReadResult } from './reader-worker.ts';

const PARSE_LIMIT_MS = 10_000;
/** JavaScript heap of the thread. Buffers are not counted; the readers limit them. */
const HEAP_LIMIT_MB = 64;
const IDLE_MS = 10_000;
/** After this many threads died in a row without a file as the cause, reading fails. */
const LOSSES_IN_A_ROW = 3;
/** Threads that are still ending, because a disk does not answer. */
const MAX_ENDING = 2;
const CLOSE_LIMIT_MS = 2_000;

export type ReadGroup = Omit<ReadRequest, 'group'>;

export interface ReaderPoolDeps {
  workerUrl: URL;
  log: Log;
  /** How long one file may take to parse; copying is not counted. */
  parseLimitMs?: number;
  heapLimitMb?: number;
  /** An idle thread is ended after this time, to give back its memory. */
  idleMs?: number;
}

/** One call of `read`. */
interface Ask {
  results: (ReadResult | undefined)[];
  left: number;
  resolve: (results: ReadResult[]) => void;
  reject: (error: Error) => void;
}

/** Files of one call that are sent to the thread together. */
interface Task {
  ask: Ask;
  request: ReadRequest;
  /** Of its results in the call's results. */
  indexes: number[];
  /** Read on its own: if the thread dies again, this file is the cause. */
  alone: boolean;
}

interface Thread {
  worker: Worker;
  id: number;
  /** Written by the thread: [group being read, index in it, 1 while parsing]. */
  progress: Int32Array;
  /** What it was reading at the last check, and for how long. */
  seen: { group: number; index: number; forMs: number };
  copiesTo: Set<string>;
}

export type ReaderPool = ReturnType<typeof createReaderPool>;

/** One thread, started on first use and ended by `close`; groups are read in the order of the calls. */
export function createReaderPool({
  workerUrl,
  log,
  parseLimitMs = PARSE_LIMIT_MS,
  heapLimitMb = HEAP_LIMIT_MB,
  idleMs = IDLE_MS,
}: ReaderPoolDeps) {
  const watchEveryMs = Math.max(10, parseLimitMs / 20);
  const posted = new Map<number, Task>();
  const ending = new Set<Promise<unknown>>();
  let queue: Task[] = [];
  let thread: Thread | undefined;
  let watch: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastGroup = 0;
  let losses = 0;
  let closed = false;

  function start(): Thread {
    const progress = new Int32Array(new SharedArrayBuffer(12)); // not shared: a thread that is ending may still write
    const worker = new Worker(workerUrl, {
      workerData: { progress: progress.buffer } satisfies ReaderWorkerData,
      resourceLimits: { maxOldGenerationSizeMb: heapLimitMb, maxYoungGenerationSizeMb: 8 },
    });
    const started: Thread = {
      worker,
      id: worker.threadId,
      progress,
      seen: { group: 0, index: 0, forMs: 0 },
      copiesTo: new Set(),
    };
    worker.on('message', (response: ReadResponse) => settle(response));
    worker.on('error', (err) => {
      if (thread !== started) return;
      log.warn({ err }, 'the reading thread died');
      lose(
        started,
        'code' in err && err.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? 'reading it needs too much memory'
          : 'reading it crashed the reader',
      );
    });
    worker.on('exit', () => {
      if (thread === started) lose(started, 'reading it crashed the reader');
      void sweep(started);
    });
    return started;
  }

  /** Sends the next tasks, unless one has to be read alone. */
  function pump(): void {
    for (let task = queue[0]; task && !closed; task = queue[0]) {
      const isBusy = posted.size > 0 && (task.alone || [...posted.values()].some((other) => other.alone));
      if (isBusy) return;
      if (!thread && ending.size >= MAX_ENDING)
        return failAll(new AppError('unavailable', 'The files cannot be read now: the disk does not answer.'));
      queue.shift();
      post(task);
    }
  }

  function post(task: Task): void {
    clearTimeout(idle);
    thread ??= start();
    task.request.group = ++lastGroup;
    posted.set(lastGroup, task);
    if (task.request.copyTo !== null) thread.copiesTo.add(task.request.copyTo);
    thread.worker.ref();
    thread.worker.postMessage(task.request);
    watch ??= setInterval(look, watchEveryMs).unref();
  }

  function settle({ group, results }: ReadResponse): void {
    // none when the thread was replaced before it answered: the files are read again
    const task = posted.get(group);
    if (!task) return;
    posted.delete(group);
    losses = 0;
    results.forEach((result, i) => answer(task, i, result));
    pump();
    if (posted.size === 0) rest();
  }

  function answer({ ask, indexes }: Task, i: number, result: ReadResult): void {
    ask.results[indexes[i] as number] = result;
    if (--ask.left === 0) ask.resolve(ask.results as ReadResult[]);
  }

  function rest(): void {
    clearInterval(watch);
    watch = undefined;
    thread?.worker.unref();
    clearTimeout(idle);
    idle = setTimeout(() => giveUp(), idleMs).unref();
  }

  /** Terminates the thread after `graceMs`; before that it may end by itself. */
  function giveUp(graceMs?: number): void {
    const left = thread;
    thread = undefined;
    if (!left) return;
    const gone: Promise<unknown> = stopWorker(left.worker, graceMs).finally(() => ending.delete(gone));
    ending.add(gone);
  }

  /** Counts checks instead of clock time, so that no file fails because the machine was asleep. */
  function look(): void {
    if (!thread) return;
    const [group = 0, index = 0, parsing = 0] = thread.progress;
    const { seen } = thread;
    if (parsing === 0 || group !== seen.group || index !== seen.index) thread.seen = { group, index, forMs: 0 };
    else if ((seen.forMs += watchEveryMs) >= parseLimitMs) {
      giveUp(0);
      const lost = [...posted.values()];
      const hung = posted.get(group);
      posted.clear();
      if (hung) blame(hung, index, `reading it took longer than ${parseLimitMs / 1000} s`);
      again(lost);
    }
  }

  /** After the thread died. Only a file that was read alone is certainly the cause; others are read again singly. */
  function lose(dead: Thread, reason: string): void {
    thread = undefined;
    losses++;
    const [current = 0] = dead.progress;
    const lost = [...posted.values()];
    posted.clear();
    const left = lost.flatMap((task) => {
      if (task.request.group > current) return [task]; // not started
      if (!task.alone) return singles(task);
      blame(task, 0, reason);
      return [];
    });
    if (losses < LOSSES_IN_A_ROW) return again(left);
    queue = [...left, ...queue];
    failAll(new AppError('unavailable', 'The files cannot be read now: the reading thread does not start.'));
  }

  function blame(task: Task, index: number, reason: string): void {
    losses = 0;
    answer(task, index, { ok: false, reason });
    task.request = { ...task.request, paths: task.request.paths.toSpliced(index, 1) };
    task.indexes = task.indexes.toSpliced(index, 1);
  }

  const singles = ({ ask, request, indexes }: Task): Task[] =>
    request.paths.map((path, i) => ({
      ask,
      request: { ...request, paths: [path] },
      indexes: [indexes[i] as number],
      alone: true,
    }));

  function again(lost: Task[]): void {
    queue = [...lost.filter((task) => task.request.paths.length > 0), ...queue];
    pump();
    if (posted.size === 0) rest();
  }

  function failAll(error: Error): void {
    const asks = new Set([...posted.values(), ...queue].map((task) => task.ask));
    posted.clear();
    queue = [];
    losses = 0;
    for (const ask of asks) ask.reject(error);
  }

  /** Removes unfinished copies of an ended thread. */
  async function sweep({ id, copiesTo }: Thread): Promise<void> {
    const own = tempName(process.pid, threadPrefix(id));
    for (const folder of [...copiesTo].map((root) => join(root, TEMP_DIR))) {
      try {
        for (const name of await readdir(folder))
          if (name.startsWith(own)) await rm(join(folder, name), { force: true });
      } catch (err) {
        if (!isAbsent(err)) log.warn({ err }, 'unfinished copies could not be removed');
      }
    }
  }

  return {
    /** Starts the thread ahead of the first files. */
    warm(): void {
      if (closed || thread || ending.size >= MAX_ENDING) return;
      thread = start();
      rest();
    },
    /** One result per path, in order; a bad file is a result. Rejects with `unavailable` when nothing can be read. */
    read: ({ paths, ...group }: ReadGroup): Promise<ReadResult[]> =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new AppError('unavailable', 'The reader was closed.'));
        if (paths.length === 0) return resolve([]);
        const ask: Ask = { results: Array.from(paths, () => undefined), left: paths.length, resolve, reject };
        queue.push({
          ask,
          request: { ...group, group: 0, paths: [...paths] },
          indexes: paths.map((_, i) => i),
          alone: false,
        });
        pump();
      }),
    async close(): Promise<void> {
      closed = true;
      clearInterval(watch);
      clearTimeout(idle);
      failAll(new AppError('unavailable', 'The reader was closed.'));
      giveUp();
      await Promise.race([Promise.all(ending), sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]);
    },
  };
}
