// Runs a step of an enrichment with a time limit. Expected errors are returned as an outcome, and the next step
// continues without the result; unexpected errors are thrown.
import { AppError, messageOf } from '../errors.ts';
import { NoFingerprint } from '../media/fingerprint.ts';
import { UnreadableAudio } from '../media/types.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import { isPassing, ServiceError } from '../outbound/service-client.ts';

export type StepName = 'tags' | 'fingerprint' | 'lookup' | 'details' | 'cover';

export type StepOutcome<T> =
  | { outcome: 'done'; value: T }
  | { outcome: 'skipped'; reason: string }
  /** `isPassing` says that a retry may succeed. */
  | { outcome: 'failed'; reason: string; isPassing: boolean };

/** Time limits of the steps, which include the time that a request waits for the rate limit. */
const STEP_TIMEOUTS_MS: Record<StepName, number> = {
  tags: 30_000,
  fingerprint: 180_000,
  lookup: 300_000,
  details: 300_000,
  cover: 120_000,
};

export const skipped = (reason: string): { outcome: 'skipped'; reason: string } => ({ outcome: 'skipped', reason });

/** Runs a step. Throws the reason of `signal`, and unexpected errors. */
export async function runStep<T>(
  name: StepName,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<StepOutcome<T>> {
  signal.throwIfAborted();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), STEP_TIMEOUTS_MS[name]).unref();
  const stepSignal = AbortSignal.any([signal, limit.signal]);
  try {
    return { outcome: 'done', value: await untilAborted(work(stepSignal), stepSignal) };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.signal.aborted)
      return { outcome: 'failed', reason: `it took longer than ${STEP_TIMEOUTS_MS[name] / 1_000} s`, isPassing: true };
    if (!isExpected(error)) throw error;
    return { outcome: 'failed', reason: messageOf(error), isPassing: isPassing(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves like `work`, but rejects as soon as the signal is aborted, even if the work ignores the signal. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

const isExpected = (error: unknown): boolean =>
  error instanceof AppError ||
  error instanceof ServiceError ||
  error instanceof OutboundError ||
  error instanceof NoFingerprint ||
  error instanceof UnreadableAudio ||
  (error instanceof Error && 'syscall' in error);
