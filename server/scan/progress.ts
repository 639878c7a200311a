// Reports the progress of a scan a few times a second, with its speed and the remaining time.
import type { ScanRecord } from './scan-record.ts';
import type { ScanProgress } from './wire.ts';

const REPORT_INTERVAL_MS = 250;

/**
 * Returns the counts per music folder that the walk has reached; empty for a single folder, whose counts are the
 * totals.
 */
const folderCounts = (
  { countsByFolder }: Pick<ScanRecord, 'countsByFolder'>,
  musicFolders: readonly { key: string; name: string }[],
): ScanProgress['music_folders'] =>
  musicFolders.length < 2
    ? []
    : musicFolders.flatMap(({ key, name }) => {
        const count = countsByFolder.get(key);
        return count ? [{ name, files_seen: count.seenCount, files_done: count.doneCount }] : [];
      });

export function createProgress(
  record: ScanRecord,
  musicFolders: readonly { key: string; name: string }[],
  onProgress: (progress: Omit<ScanProgress, 'job_id'>) => void,
) {
  const startTime = performance.now();
  let phase: ScanProgress['phase'] = 'walking';
  let lastReportTime = 0;
  let currentFolder: string | null = null;

  function send(): void {
    const now = performance.now();
    lastReportTime = now;
    const isWalkDone = phase !== 'walking';
    const doneCount = record.unchangedCount + record.readCount;
    const perSecond = doneCount / Math.max(0.001, (now - startTime) / 1000);
    onProgress({
      phase,
      files_seen: record.seenCount,
      files_done: doneCount,
      files_total: isWalkDone ? record.seenCount : null,
      added: record.addedCount,
      updated: record.updatedCount,
      failed: record.failureCount,
      files_per_second: Math.round(perSecond),
      eta_ms: isWalkDone && perSecond > 0 ? Math.round(((record.seenCount - doneCount) / perSecond) * 1000) : null,
      current: currentFolder,
      music_folders: folderCounts(record, musicFolders),
    });
  }

  return {
    report(folder?: string): void {
      currentFolder = folder ?? currentFolder;
      if (performance.now() - lastReportTime >= REPORT_INTERVAL_MS) send();
    },
    /** Notes the end of the walk, after which the number of files is known. */
    finishWalk(): void {
      phase = 'reading';
    },
    enterPhase(nextPhase: 'hashing' | 'comparing'): void {
      phase = nextPhase;
      send();
    },
  };
}
