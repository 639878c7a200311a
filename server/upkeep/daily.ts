// Starts the day's part of the comparison with the checksums, where a setting asks for it. Looked at every hour, so that a machine that
// is on for a while now and then gets round to it too.
import type { LiveSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import type { Jobs } from '../jobs/service.ts';
import { findRun } from './queries.ts';

const LOOK_EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;

export interface DailyDeps { db: MainDb; now: () => Date; settings: LiveSettings; jobs: Pick<Jobs, 'tryEnqueue'> }

export function createDailyVerify({ db, now, settings, jobs }: DailyDeps) {
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const last = findRun(db, 'part')?.startedAt.getTime() ?? 0;
    if (settings.get('VERIFY_DAYS') > 0 && now().getTime() - last >= DAY_MS) await jobs.tryEnqueue('verify_storage', { scope: 'part' });
  }

  return {
    look,
    start(): void {
      void look();
      timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
    },
    close: (): void => clearInterval(timer),
  };
}
