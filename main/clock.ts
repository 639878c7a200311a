// Time as a value, so that backoff and grace can be tested without waiting.

export interface Clock {
  now(): Date;
  /** Runs once after that time, unless the function it gives back is called before. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => new Date(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
