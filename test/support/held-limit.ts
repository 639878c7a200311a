// Lets time limits end when a test says so and never by the clock, for code in the test's process. The test sets a
// limit to a number that nothing else uses, so that its timers are recognized.
import { Socket } from 'node:net';
import { until } from './until.ts';

export interface HeldLimit {
  /** Returns the number of running timers of the limit. */
  running(): number;
  /** Returns the total number of started timers: a limit that is restarted with every byte starts a timer each time. */
  startedCount(): number;
  /** Ends the running timers, oldest first, or the next timer if none is running. */
  runOut(): Promise<void>;
  /** Restores the timers. */
  release(): void;
}

export function holdLimit(ms: number): HeldLimit {
  const { setTimeout, clearTimeout } = globalThis;
  const running = new Map<NodeJS.Timeout | Socket, () => void>();
  const watched = new WeakSet<Socket>();
  let startedLimits = 0;
  globalThis.setTimeout = Object.assign((callback: () => void, delay?: number, ...args: []) => {
    if (delay !== ms) return setTimeout(callback, delay, ...args);
    startedLimits++;
    const timer = setTimeout(() => undefined, 2 ** 31 - 1).unref();
    running.set(timer, callback);
    return timer;
  }, setTimeout) as typeof globalThis.setTimeout;
  globalThis.clearTimeout = (timer) => {
    running.delete(timer as NodeJS.Timeout);
    clearTimeout(timer);
  };
  const { setTimeout: waitAtSocket } = Socket.prototype;
  Socket.prototype.setTimeout = function holdTimeout(delay, listener) {
    running.delete(this);
    if (delay !== ms) return waitAtSocket.call(this, delay, listener);
    if (listener) this.once('timeout', listener);
    startedLimits++;
    running.set(this, () => this.emit('timeout'));
    if (!watched.has(this)) this.once('close', () => running.delete(this)); // kept-alive sockets are used again
    watched.add(this);
    return this;
  };
  const abortAfter = AbortSignal.timeout;
  AbortSignal.timeout = (delay) => {
    if (delay !== ms) return abortAfter.call(AbortSignal, delay);
    const overLimit = new AbortController();
    globalThis.setTimeout(() => overLimit.abort(new DOMException('The time is over.', 'TimeoutError')), ms);
    return overLimit.signal;
  };
  return {
    running: () => running.size,
    startedCount: () => startedLimits,
    async runOut() {
      await until(() => running.size > 0);
      for (const [timer, run] of running) {
        if (!running.delete(timer)) continue; // an earlier timer's callback has cleared this timer
        if (!(timer instanceof Socket)) clearTimeout(timer);
        run();
      }
    },
    release() {
      Socket.prototype.setTimeout = waitAtSocket;
      Object.assign(globalThis, { setTimeout, clearTimeout });
      AbortSignal.timeout = abortAfter;
    },
  };
}
