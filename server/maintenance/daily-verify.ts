// Starts the daily part of the verification. Checked every hour, so that it also happens on machines that are not
// always on.
import type { LiveSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Storage } from '../storage/storage.ts';
import { isOnBattery } from '../runtime/battery.ts';
import { findRun } from './queries.ts';
import { VERIFY_STORAGE } from './tasks.ts';

const LOOK_EVERY_MS = 3_600_000;
/** Leaves time for other work at startup. */
const FIRST_LOOK_MS = 600_000;
const DAY_MS = 86_400_000;

/** The number of days in which the whole library is verified; 0 for never. */
export const verifyDays = (settings: LiveSettings, { backend }: Pick<Storage, 'backend'>): number =>
  settings.get('VERIFY_DAYS') ?? backend.verifyDays;

interface DailyDeps {
  db: MainDb;
  now: () => Date;
  settings: LiveSettings;
  storage: Pick<Storage, 'backend'>;
  jobs: Pick<Jobs, 'tryEnqueue'>;
}

export function createDailyVerify({ db, now, settings, storage, jobs }: DailyDeps) {
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const last = findRun(db, 'part')?.startedAt.getTime() ?? 0;
    const sinceMs = now().getTime() - last; // below 0 after a clock that was ahead
    const isDue = verifyDays(settings, storage) > 0 && (sinceMs >= DAY_MS || sinceMs < -LOOK_EVERY_MS);
    if (isDue && !(await isOnBattery())) await jobs.tryEnqueue(VERIFY_STORAGE, { scope: 'part' });
  }

  return {
    look,
    start(): void {
      timer = setTimeout(() => {
        void look();
        timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
      }, FIRST_LOOK_MS).unref();
    },
    close: (): void => clearTimeout(timer), // also clears an interval
  };
}
