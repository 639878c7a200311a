// Time as a dependency, so that backoff and timeouts can be tested without waiting.

export interface Clock {
  now(): Date;
  /** Runs once after that time, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => new Date(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
