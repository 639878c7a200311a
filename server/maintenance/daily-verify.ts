// Starts the daily part of the verification. Checks every hour whether it is due, so that it also runs on machines that
// are not always on.
import type { LiveSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Storage } from '../storage/storage.ts';
import { isOnBattery } from '../runtime/battery.ts';
import { findRun } from './queries.ts';
import { VERIFY_STORAGE } from './tasks.ts';

const CHECK_INTERVAL_MS = 3_600_000;
/** The first check leaves time for other work at startup. */
const FIRST_CHECK_DELAY_MS = 600_000;
const DAY_MS = 86_400_000;

/** Returns the number of days in which the whole library is verified; 0 for never. */
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

  async function startIfDue(): Promise<void> {
    const lastStartMs = findRun(db, 'part')?.startedAt.getTime() ?? 0;
    const sinceMs = now().getTime() - lastStartMs; // negative if the clock was ahead at the last start
    const isDue = verifyDays(settings, storage) > 0 && (sinceMs >= DAY_MS || sinceMs < -CHECK_INTERVAL_MS);
    if (isDue && !(await isOnBattery())) await jobs.tryEnqueue(VERIFY_STORAGE, { scope: 'part' });
  }

  return {
    startIfDue,
    start(): void {
      timer = setTimeout(() => {
        void startIfDue();
        timer = setInterval(() => void startIfDue(), CHECK_INTERVAL_MS).unref();
      }, FIRST_CHECK_DELAY_MS).unref();
    },
    close: (): void => clearTimeout(timer), // clearTimeout also clears an interval
  };
}
