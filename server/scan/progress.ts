// Reports the progress of a scan a few times a second, with its speed and the time left.
import type { ScanRecord } from './scan-record.ts';
import type { ScanProgress } from './wire.ts';

const REPORT_EVERY_MS = 250;

/** Of folders that the walk has met. With one only, the counts of all say it. */
const countsOf = (
  { inFolder }: Pick<ScanRecord, 'inFolder'>,
  musicFolders: readonly { key: string; name: string }[],
): ScanProgress['music_folders'] =>
  musicFolders.length < 2
    ? []
    : musicFolders.flatMap(({ key, name }) => {
        const count = inFolder.get(key);
        return count ? [{ name, files_seen: count.seen, files_done: count.done }] : [];
      });

export function createProgress(
  record: ScanRecord,
  musicFolders: readonly { key: string; name: string }[],
  onProgress: (progress: Omit<ScanProgress, 'job_id'>) => void,
) {
  const started = performance.now();
  let phase: ScanProgress['phase'] = 'walking';
  let last = 0;
  let current: string | null = null;

  function send(): void {
    const now = performance.now();
    last = now;
    const isWalked = phase !== 'walking';
    const done = record.unchanged + record.read;
    const perSecond = done / Math.max(0.001, (now - started) / 1000);
    onProgress({
      phase,
      files_seen: record.seen,
      files_done: done,
      files_total: isWalked ? record.seen : null,
      added: record.added,
      updated: record.updated,
      failed: record.failedCount,
      files_per_second: Math.round(perSecond),
      eta_ms: isWalked && perSecond > 0 ? Math.round(((record.seen - done) / perSecond) * 1000) : null,
      current,
      music_folders: countsOf(record, musicFolders),
    });
  }

  return {
    report(folder?: string): void {
      current = folder ?? current;
      if (performance.now() - last >= REPORT_EVERY_MS) send();
    },
    /** From the next report on. */
    walked(): void {
      phase = 'reading';
    },
    enter(next: 'hashing' | 'comparing'): void {
      phase = next;
      send();
    },
  };
}
