// Progress of scans: a bar when a person watches, plain lines when nobody does.
import { SingleBar } from 'cli-progress';
import type { UserId } from '../db/ids.ts';
import type { EventHub, Listener } from '../events/hub.ts';
import type { JobId } from '../db/ids.ts';
import type { JobOut } from '../jobs/wire.ts';
import type { ScanProgress } from '../scan/wire.ts';

const LINE_EVERY_MS = 5_000;
/** Whoever sits at the terminal may see everything. */
export const OPERATOR: Listener = { id: 0 as UserId, isSuperuser: true };

/** Follows scans for as long as the process runs. */
export function showProgress(events: Pick<EventHub, 'subscribe'>, out: NodeJS.WriteStream = process.stdout): void {
  const show = out.isTTY ? barFor(out) : linesFor(out);
  events.subscribe(OPERATOR, undefined, ({ name, data }) => {
    if (name === 'scan') show(JSON.parse(data) as ScanProgress);
  });
}

type Progress = Omit<ScanProgress, 'job_id'>;

/** Follows one job that counts what it does. */
export function showJobProgress(
  events: Pick<EventHub, 'subscribe'>,
  id: JobId,
  label: string,
  out: NodeJS.WriteStream = process.stdout,
): void {
  const show = out.isTTY ? jobBarFor(out, label) : jobLinesFor(out, label);
  events.subscribe(OPERATOR, undefined, ({ name, data }) => {
    const job = name === 'job' ? (JSON.parse(data) as JobOut) : undefined;
    if (job?.id === id) show(job);
  });
}

function jobBarFor(out: NodeJS.WriteStream, label: string): (job: JobOut) => void {
  const bar = new SingleBar({
    format: `${label} {bar} {value}/{total} · {message}`,
    stream: out,
    hideCursor: true,
    clearOnComplete: false,
  });
  bar.start(0, 0, { message: '' });
  return ({ progress, finished_at }) => {
    if (progress?.total != null) bar.setTotal(progress.total);
    if (progress) bar.update(progress.done, { message: progress.message ?? '' });
    if (finished_at !== null) bar.stop();
  };
}

function jobLinesFor(out: NodeJS.WritableStream, label: string): (job: JobOut) => void {
  let last = performance.now();
  return ({ progress }) => {
    if (!progress || performance.now() - last < LINE_EVERY_MS) return;
    last = performance.now();
    out.write(`${label}: ${progress.done} of ${progress.total ?? '?'}, ${progress.message ?? ''}\n`);
  };
}

function barFor(out: NodeJS.WriteStream): (progress: Progress) => void {
  let bar: SingleBar | undefined;
  return (progress) => {
    const total = progress.files_total ?? progress.files_seen;
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
    if (progress.phase !== 'done') return;
    bar.stop();
    bar = undefined;
    out.write(summary(progress));
  };
}

/** A line every few seconds. */
export function linesFor(out: NodeJS.WritableStream): (progress: Progress) => void {
  let last = performance.now();
  return (progress) => {
    const now = performance.now();
    if (progress.phase === 'done') out.write(summary(progress));
    else if (now - last > LINE_EVERY_MS) {
      last = now;
      out.write(
        `Scanning: ${progress.files_done} of ` +
          `${progress.files_total ?? 'at least ' + String(progress.files_seen)} files, ` +
          `${progress.files_per_second}/s\n`,
      );
    }
  };
}

const summary = ({ files_seen, added, updated, failed, files_per_second }: Progress): string =>
  `Scan done: ${files_seen} files, ${added} added, ${updated} updated, ${failed} failed (${files_per_second}/s)\n`;
