// Progress of scans: a bar when a person watches, plain lines when nobody does.
import { SingleBar } from 'cli-progress';
import type { UserId } from '../db/ids.ts';
import type { EventHub, Listener } from '../events/hub.ts';
import type { ScanProgress } from '../ingest/wire.ts';

const LINE_EVERY_MS = 5_000;
/** Whoever sits at the terminal may see everything. */
const OPERATOR: Listener = { id: 0 as UserId, isSuperuser: true };

/** Follows scans for as long as the process runs. */
export function showProgress(events: Pick<EventHub, 'subscribe'>, out: NodeJS.WriteStream = process.stdout): void {
  const show = out.isTTY ? barFor(out) : linesFor(out);
  events.subscribe(OPERATOR, undefined, ({ name, data }) => {
    if (name === 'scan') show(JSON.parse(data) as ScanProgress);
  });
}

function barFor(out: NodeJS.WriteStream): (progress: ScanProgress) => void {
  let bar: SingleBar | undefined;
  return (progress) => {
    const total = progress.files_total ?? progress.files_seen;
    if (!bar) {
      bar = new SingleBar({ format: 'Scanning {bar} {value}/{total} files · {speed}/s · {failed} failed', stream: out, hideCursor: true, clearOnComplete: false });
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

function linesFor(out: NodeJS.WritableStream): (progress: ScanProgress) => void {
  let last = performance.now();
  return (progress) => {
    const now = performance.now();
    if (progress.phase === 'done') out.write(summary(progress));
    else if (now - last > LINE_EVERY_MS) {
      last = now;
      out.write(`Scanning: ${progress.files_done} of ${progress.files_total ?? 'at least ' + String(progress.files_seen)} files, ${progress.files_per_second}/s\n`);
    }
  };
}

const summary = ({ files_seen, added, updated, failed, files_per_second }: ScanProgress): string =>
  `Scan done: ${files_seen} files, ${added} added, ${updated} updated, ${failed} failed (${files_per_second}/s)\n`;
