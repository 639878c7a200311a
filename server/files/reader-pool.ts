// Runs the reading thread. When the parser hangs on a file or runs out of memory, reading that file fails, and a new
// thread reads the other files again.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { stopWorker } from '../runtime/stop-worker.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { NO_SEPARATORS, type Separators } from '../media/tag-separators.ts';
import { isAbsent } from '../storage/file-errors.ts';
import { TEMP_DIR, tempName, threadPrefix } from '../storage/local-paths.ts';
import type { ReaderWorkerData, ReadRequest, ReadResponse, ReadResult } from './reader-worker.ts';
import { bindContext } from '../runtime/bind-context.ts';

const MAX_PARSE_MS = 10_000;
/** Maximum JavaScript heap of the thread. Buffers are outside the heap; the readers limit them. */
const MAX_HEAP_MB = 64;
const MAX_IDLE_MS = 10_000;
/** After this many crashes in a row for which no file is known to be the cause, reading fails. */
const MAX_CONSECUTIVE_CRASHES = 3;
/** Maximum number of threads that are ending; a thread cannot end while a disk does not answer. */
const MAX_ENDING_THREADS = 2;
const MAX_CLOSE_MS = 2_000;

export type ReadGroup = Omit<ReadRequest, 'group' | 'separators' | 'customTags'>;

export interface ReaderPoolDeps {
  workerUrl: URL;
  log: Log;
  /** Returns the separators of tag values as they are set now. Without it, values are not split. */
  separators?: () => Separators;
  /** Returns the names of the tags that a person named as they are set now. */
  customTags?: () => readonly string[];
  /** Time limit for parsing one file; copying is not counted. */
  parseLimitMs?: number;
  heapLimitMb?: number;
  /** An idle thread is ended after this time, to free its memory. */
  idleMs?: number;
}

/** One call of `read`. */
interface ReadCall {
  results: (ReadResult | undefined)[];
  pendingCount: number;
  resolve: (results: ReadResult[]) => void;
  reject: (error: Error) => void;
}

/** Files of one call that are sent to the thread together. */
interface Task {
  call: ReadCall;
  request: ReadRequest;
  /** The indexes that the results of this task have among the results of the call. */
  indexes: number[];
  /** Whether the task has a single file and no other task runs: if the thread crashes again, this file is the cause. */
  isAlone: boolean;
}

interface Thread {
  worker: Worker;
  id: number;
  /** Written by the thread: [group being read, index of the file in the group, 1 while parsing]. */
  progress: Int32Array;
  /** What the thread was reading at the last check, and for how long. */
  lastCheck: { group: number; index: number; forMs: number };
  copyRoots: Set<string>;
}

export type ReaderPool = ReturnType<typeof createReaderPool>;

/**
 * Creates the pool, which has one thread. It is started on first use and ended by `close`; groups are read in the order
 * of the calls.
 */
export function createReaderPool(deps: ReaderPoolDeps) {
  const context = createContext(deps);

  return bindContext(context, { warmUp, read, close });
}

type Context = ReturnType<typeof createContext>;

function createContext({
  workerUrl,
  log,
  separators = () => NO_SEPARATORS,
  customTags = () => [],
  parseLimitMs = MAX_PARSE_MS,
  heapLimitMb = MAX_HEAP_MB,
  idleMs = MAX_IDLE_MS,
}: ReaderPoolDeps) {
  const checkIntervalMs = Math.max(10, parseLimitMs / 20);
  const runningTasks = new Map<number, Task>();
  const endingThreads = new Set<Promise<unknown>>();
  return {
    workerUrl,
    log,
    separators,
    customTags,
    parseLimitMs,
    heapLimitMb,
    idleMs,
    checkIntervalMs,
    runningTasks,
    endingThreads,
    queue: [] as Task[],
    thread: undefined as Thread | undefined,
    checkTimer: undefined as NodeJS.Timeout | undefined,
    idleTimer: undefined as NodeJS.Timeout | undefined,
    lastGroup: 0,
    crashes: 0,
    isClosed: false,
  };
}

function startThread(context: Context): Thread {
  // each thread gets its own memory, because a thread that is ending may still write
  const progress = new Int32Array(new SharedArrayBuffer(12));
  const worker = new Worker(context.workerUrl, {
    workerData: { progress: progress.buffer } satisfies ReaderWorkerData,
    resourceLimits: { maxOldGenerationSizeMb: context.heapLimitMb, maxYoungGenerationSizeMb: 8 },
  });
  const newThread: Thread = {
    worker,
    id: worker.threadId,
    progress,
    lastCheck: { group: 0, index: 0, forMs: 0 },
    copyRoots: new Set(),
  };
  worker.on('message', (response: ReadResponse) => finishTask(context, response));
  worker.on('error', (err) => {
    if (context.thread !== newThread) return;
    context.log.warn({ err }, 'the reading thread stopped unexpectedly');
    handleCrash(
      context,
      newThread,
      'code' in err && err.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? 'reading it needs too much memory'
        : 'reading it crashed the reader',
    );
  });
  worker.on('exit', () => {
    if (context.thread === newThread) handleCrash(context, newThread, 'reading it crashed the reader');
    void removeUnfinishedCopies(context, newThread);
  });
  return newThread;
}

/** Sends the next tasks to the thread, unless one of them has to be read alone. */
function sendNextTasks(context: Context): void {
  for (let task = context.queue[0]; task && !context.isClosed; task = context.queue[0]) {
    const isBusy =
      context.runningTasks.size > 0 &&
      (task.isAlone || [...context.runningTasks.values()].some((runningTask) => runningTask.isAlone));
    if (isBusy) return;
    if (!context.thread && context.endingThreads.size >= MAX_ENDING_THREADS)
      return failAll(context, new AppError('unavailable', 'The files cannot be read now: the disk is not responding.'));
    context.queue.shift();
    sendTask(context, task);
  }
}

function sendTask(context: Context, task: Task): void {
  clearTimeout(context.idleTimer);
  context.thread ??= startThread(context);
  task.request.group = ++context.lastGroup;
  context.runningTasks.set(context.lastGroup, task);
  if (task.request.copyTo !== null) context.thread.copyRoots.add(task.request.copyTo);
  context.thread.worker.ref();
  context.thread.worker.postMessage(task.request);
  context.checkTimer ??= setInterval(() => checkProgress(context), context.checkIntervalMs).unref();
}

function finishTask(context: Context, { group, results }: ReadResponse): void {
  // a thread that was replaced may still answer: its task was requeued, and the files are read again
  const task = context.runningTasks.get(group);
  if (!task) return;
  context.runningTasks.delete(group);
  context.crashes = 0;
  results.forEach((result, i) => setResult(task, i, result));
  sendNextTasks(context);
  if (context.runningTasks.size === 0) startIdleTimer(context);
}

function setResult({ call, indexes }: Task, i: number, result: ReadResult): void {
  call.results[indexes[i] as number] = result;
  if (--call.pendingCount === 0) call.resolve(call.results as ReadResult[]);
}

function startIdleTimer(context: Context): void {
  clearInterval(context.checkTimer);
  context.checkTimer = undefined;
  context.thread?.worker.unref();
  clearTimeout(context.idleTimer);
  context.idleTimer = setTimeout(() => endThread(context), context.idleMs).unref();
}

/** Terminates the thread after `graceMs`, unless it ends before. */
function endThread(context: Context, graceMs?: number): void {
  const endingThread = context.thread;
  context.thread = undefined;
  if (!endingThread) return;
  const endPromise: Promise<unknown> = stopWorker(endingThread.worker, graceMs).finally(() =>
    context.endingThreads.delete(endPromise),
  );
  context.endingThreads.add(endPromise);
}

/**
 * Checks how long the thread has been reading the same file. Checks are counted instead of clock time, so that no
 * file fails because the machine was asleep.
 */
function checkProgress(context: Context): void {
  if (!context.thread) return;
  const [group = 0, index = 0, parsing = 0] = context.thread.progress;
  const { lastCheck } = context.thread;
  if (parsing === 0 || group !== lastCheck.group || index !== lastCheck.index)
    context.thread.lastCheck = { group, index, forMs: 0 };
  else if ((lastCheck.forMs += context.checkIntervalMs) >= context.parseLimitMs) {
    endThread(context, 0);
    const interruptedTasks = [...context.runningTasks.values()];
    const hungTask = context.runningTasks.get(group);
    context.runningTasks.clear();
    if (hungTask) failFile(context, hungTask, index, `reading it took longer than ${context.parseLimitMs / 1000} s`);
    requeue(context, interruptedTasks);
  }
}

/**
 * Handles a crash of the thread. Only a file that was read alone is certainly the cause; other files are read again
 * one by one.
 */
function handleCrash(context: Context, crashedThread: Thread, reason: string): void {
  context.thread = undefined;
  context.crashes++;
  const [currentGroup = 0] = crashedThread.progress;
  const interruptedTasks = [...context.runningTasks.values()];
  context.runningTasks.clear();
  const remainingTasks = interruptedTasks.flatMap((task) => {
    if (task.request.group > currentGroup) return [task]; // the thread had not started this task
    if (!task.isAlone) return splitTask(task);
    failFile(context, task, 0, reason);
    return [];
  });
  if (context.crashes < MAX_CONSECUTIVE_CRASHES) return requeue(context, remainingTasks);
  context.queue = [...remainingTasks, ...context.queue];
  failAll(context, new AppError('unavailable', 'The files cannot be read now: the reading thread does not start.'));
}

function failFile(context: Context, task: Task, index: number, reason: string): void {
  context.crashes = 0;
  setResult(task, index, { ok: false, reason });
  task.request = { ...task.request, paths: task.request.paths.toSpliced(index, 1) };
  task.indexes = task.indexes.toSpliced(index, 1);
}

const splitTask = ({ call, request, indexes }: Task): Task[] =>
  request.paths.map((path, i) => ({
    call,
    request: { ...request, paths: [path] },
    indexes: [indexes[i] as number],
    isAlone: true,
  }));

function requeue(context: Context, tasks: Task[]): void {
  context.queue = [...tasks.filter((task) => task.request.paths.length > 0), ...context.queue];
  sendNextTasks(context);
  if (context.runningTasks.size === 0) startIdleTimer(context);
}

function failAll(context: Context, error: Error): void {
  const calls = new Set([...context.runningTasks.values(), ...context.queue].map((task) => task.call));
  context.runningTasks.clear();
  context.queue = [];
  context.crashes = 0;
  for (const call of calls) call.reject(error);
}

/** Deletes the unfinished copies of an ended thread. */
async function removeUnfinishedCopies(context: Context, { id, copyRoots }: Thread): Promise<void> {
  const prefix = tempName(process.pid, threadPrefix(id));
  for (const folder of [...copyRoots].map((root) => join(root, TEMP_DIR))) {
    try {
      for (const name of await readdir(folder))
        if (name.startsWith(prefix)) await rm(join(folder, name), { force: true });
    } catch (err) {
      if (!isAbsent(err)) context.log.warn({ err }, 'cannot remove unfinished copies');
    }
  }
}

/** Starts the thread before the first files need it. */
function warmUp(context: Context): void {
  if (context.isClosed || context.thread || context.endingThreads.size >= MAX_ENDING_THREADS) return;
  context.thread = startThread(context);
  startIdleTimer(context);
}

/**
 * Returns one result per path, in order, also for a file that cannot be read. Rejects with `unavailable` if no file
 * can be read at all.
 */
const read = (context: Context, { paths, ...group }: ReadGroup): Promise<ReadResult[]> =>
  new Promise((resolve, reject) => {
    if (context.isClosed) return reject(new AppError('unavailable', 'The reader was closed.'));
    if (paths.length === 0) return resolve([]);
    const call: ReadCall = {
      results: Array.from(paths, () => undefined),
      pendingCount: paths.length,
      resolve,
      reject,
    };
    context.queue.push({
      call,
      request: {
        ...group,
        group: 0,
        separators: context.separators(),
        customTags: context.customTags(),
        paths: [...paths],
      },
      indexes: paths.map((_, i) => i),
      isAlone: false,
    });
    sendNextTasks(context);
  });

async function close(context: Context): Promise<void> {
  context.isClosed = true;
  clearInterval(context.checkTimer);
  clearTimeout(context.idleTimer);
  failAll(context, new AppError('unavailable', 'The reader was closed.'));
  endThread(context);
  await Promise.race([Promise.all(context.endingThreads), sleep(MAX_CLOSE_MS, undefined, { ref: false })]);
}
