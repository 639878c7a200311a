// Requests the job that writes playlists after changes, when no more changes came for a while.
import type { EnqueuedJob } from '../jobs/service.ts';

const QUIET_MS = 5_000;
/** Smart playlists change with plays, ratings and time. */
const SMART_INTERVAL_MS = 3_600_000;

/** The time after which a job is requested again that was running already. */
const AGAIN_MS = 1_000;

/**
 * Returns a function that requests a job. A running job may have begun before the change that is the reason for the
 * request, and there is only one at a time: then another one is requested when it ends.
 */
export function createJobRequest(enqueue: () => Promise<EnqueuedJob | undefined>) {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function request(): Promise<void> {
    clearTimeout(timer);
    const job = await enqueue();
    clearTimeout(timer);
    if (job?.created === false && job.status === 'running' && !isStopped)
      timer = setTimeout(() => void request(), AGAIN_MS).unref();
  }

  return {
    request: (): void => void request(),
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

interface WriteRequestDeps {
  isEnabled: () => boolean;
  request: () => void;
  quietMs?: number | undefined;
}

export function createWriteRequests({ isEnabled, request, quietMs = QUIET_MS }: WriteRequestDeps) {
  let timer: NodeJS.Timeout | undefined;
  let interval: NodeJS.Timeout | undefined;

  function writeSoon(): void {
    clearTimeout(timer);
    if (isEnabled()) timer = setTimeout(request, quietMs).unref();
  }

  return {
    writeSoon,
    start(): void {
      interval = setInterval(writeSoon, SMART_INTERVAL_MS).unref();
      writeSoon();
    },
    stop(): void {
      clearTimeout(timer);
      clearInterval(interval);
    },
  };
}
