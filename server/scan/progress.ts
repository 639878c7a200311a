// What a scan tells of itself while it runs: a few times a second, with the speed and the time that is left.
import type { ScanProgress } from './wire.ts';

const REPORT_EVERY_MS = 250;

export function progressReporter(
  onProgress: (progress: Omit<ScanProgress, 'job_id'>) => void,
  counts: { seen: number; unchanged: number; read: number },
  tally: { added: number; updated: number; failedCount: number },
) {
  const started = performance.now();
  let last = 0;
  let walked = false;
  let isHashing = false;
  let current: string | null = null;
  const report = (folder?: string): void => {
    current = folder ?? current;
    if (performance.now() - last >= REPORT_EVERY_MS) send();
  };
  const send = (): void => {
    const now = performance.now();
    last = now;
    const done = counts.unchanged + counts.read;
    const perSecond = done / Math.max(0.001, (now - started) / 1000);
    const left = counts.seen - done;
    onProgress({
      phase: isHashing ? 'hashing' : walked ? 'reading' : 'walking',
      files_seen: counts.seen,
      files_done: done,
      files_total: walked ? counts.seen : null,
      added: tally.added,
      updated: tally.updated,
      failed: tally.failedCount,
      files_per_second: Math.round(perSecond),
      eta_ms: walked && perSecond > 0 ? Math.round((left / perSecond) * 1000) : null,
      current,
    });
  };
  report.walked = (): void => {
    walked = true;
  };
  report.hashing = (): void => {
    isHashing = true;
    send();
  };
  return report;
}
