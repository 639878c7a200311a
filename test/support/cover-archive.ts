// A cover archive for tests of single modules.
import { createCoverArchive, type ArchivePace, type CoverArchive } from '../../server/covers/cover-archive.ts';
import type { SettingName, Settings } from '../../server/config/settings.ts';
import { createLog, type Log } from '../../server/log/log.ts';

/** A pace without rate limit for a fake archive; its time limit can be controlled by holdLimit. */
export const HASTE: ArchivePace = { perSecond: 1_000, timeoutMs: 600_001, busyPauseMs: 1 };

export function openArchive(
  url: string | undefined,
  log: Log = createLog('silent'),
  now = (): Date => new Date(),
): CoverArchive {
  const values: Partial<Settings> = {
    COVERART_ENABLED: url !== undefined,
    COVERART_BASE_URL: url ?? 'http://127.0.0.1:9',
    CONTACT: 'someone@example.org',
  };
  return createCoverArchive({
    version: '0.0.0',
    log,
    now,
    pace: HASTE,
    settings: { get: <N extends SettingName>(name: N) => values[name] as Settings[N] },
  });
}
