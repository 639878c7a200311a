// Shows the progress of commands as a bar on a terminal, otherwise as a line every few seconds.
import { SingleBar } from 'cli-progress';
import type { UserId } from '../db/ids.ts';
import type { EventHub, Listener } from '../events/hub.ts';
import type { JobId } from '../db/ids.ts';
import type { JobOut } from '../jobs/wire.ts';
import type { ScanProgress } from '../scan/wire.ts';

const LINE_INTERVAL_MS = 5_000;
const BAR_DELAY_MS = 500;
/** The listener for the command line, which receives the events of all users. */
export const OPERATOR: Listener = { id: 0 as UserId, isSuperuser: true };

/** Shows the progress of all scans as long as the process runs. Their results are shown by scan-report.ts. */
export function showProgress(events: Pick<EventHub, 'subscribe'>, out: NodeJS.WriteStream = process.stdout): void {
  const show = out.isTTY ? createScanBar(out) : createScanLines(out);
  events.subscribe(OPERATOR, undefined, ({ name, data }) => {
    if (name === 'scan') show(JSON.parse(data) as ScanProgress);
  });
}

type Progress = Omit<ScanProgress, 'job_id'>;

/** Shows the progress of one job. */
export function showJobProgress(
  events: Pick<EventHub, 'subscribe'>,
  id: JobId,
  label: string,
  out: NodeJS.WriteStream = process.stdout,
): void {
  const show = createProgressDisplay(out, label);
  events.subscribe(OPERATOR, undefined, ({ name, data }) => {
    const job = name === 'job' ? (JSON.parse(data) as JobOut) : undefined;
    if (job?.id !== id) return;
    if (job.progress) show.progress(job.progress.done, job.progress.total, job.progress.message ?? '');
    if (job.finished_at !== null) show.end();
  });
}

interface ProgressDisplay {
  progress: (done: number, total: number | null, message: string) => void;
  end: () => void;
}

export function createProgressDisplay(out: NodeJS.WriteStream, label: string): ProgressDisplay {
  let lastLineAt = performance.now();
  if (!out.isTTY)
    return {
      progress(done, total, message) {
        if (performance.now() - lastLineAt < LINE_INTERVAL_MS) return;
        lastLineAt = performance.now();
        out.write(`${label}: ${done} of ${total ?? '?'}, ${message}\n`);
      },
      end: () => undefined,
    };
  const bar = new SingleBar({
    format: `${label} {bar} {value}/{total} · {message}`,
    stream: out,
    hideCursor: true,
    clearOnComplete: false,
  });
  let isOpen = false;
  return {
    progress(done, total, message) {
      if (!isOpen) bar.start(total ?? 0, done, { message });
      isOpen = true;
      if (total !== null) bar.setTotal(total);
      bar.update(done, { message });
    },
    end() {
      if (isOpen) bar.stop();
      isOpen = false;
    },
  };
}

/** Shows a bar for each scan that takes longer than BAR_DELAY_MS. */
function createScanBar(out: NodeJS.WriteStream): (progress: Progress) => void {
  let bar: SingleBar | undefined;
  let startedAt: number | undefined;
  return (progress) => {
    const total = progress.files_total ?? progress.files_seen;
    const isDone = progress.phase === 'done';
    startedAt ??= performance.now();
    const isShort = !bar && (isDone || performance.now() - startedAt < BAR_DELAY_MS);
    if (isDone) startedAt = undefined;
    if (isShort) return;
    if (!bar) {
      bar = new SingleBar({
        format: 'Scanning {bar} {value}/{total} files · {speed}/s · {failed} failed',
        stream: out,
        hideCursor: true,
        clearOnComplete: false,
      });
      bar.start(total, 0, { speed: 0, failed: 0 });
    }
    bar.setTotal(total);
    bar.update(progress.files_done, { speed: progress.files_per_second, failed: progress.failed });
    if (!isDone) return;
    bar.stop();
    bar = undefined;
  };
}

export function createScanLines(out: NodeJS.WritableStream): (progress: Progress) => void {
  let lastLineAt = performance.now();
  return (progress) => {
    const now = performance.now();
    if (progress.phase === 'done' || now - lastLineAt < LINE_INTERVAL_MS) return;
    lastLineAt = now;
    out.write(
      `Scanning: ${progress.files_done} of ` +
        `${progress.files_total ?? 'at least ' + String(progress.files_seen)} files, ` +
        `${progress.files_per_second}/s\n`,
    );
  };
}
