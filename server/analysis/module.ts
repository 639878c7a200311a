import type { Hearing } from '../enrichment/hearing.ts';
import { COMPARE_GONE } from '../library/tasks.ts';
import type { LibraryOffer } from '../library/module.ts';
import type { MediaOffer } from '../media/module.ts';
import type { Base, Module } from '../module.ts';
import { isOnBattery } from '../runtime/battery.ts';
import { createAnalysisPass } from './pass.ts';
import { analysisRoutes } from './routes.ts';

export interface AnalysisTuning {
  /** Delay of the first pass after the start; null for never. */
  analysisAfterMs?: number | null;
}

type AnalysisModuleDeps = Base &
  Pick<MediaOffer, 'findTool'> &
  Pick<LibraryOffer, 'measured' | 'changes'> & { hearing: Hearing; isInUse: () => boolean; tuning: AnalysisTuning };

const START_DELAY_MS = 30_000;

export function analysisModule(deps: AnalysisModuleDeps) {
  const { db, log, now, settings, jobs, findTool, hearing, measured, changes, isInUse, tuning } = deps;
  const { analysisAfterMs: afterMs = START_DELAY_MS } = tuning;
  const pass = createAnalysisPass({
    client: db.$client,
    log,
    hearing,
    measuredWriter: measured,
    now: () => now().getTime(),
    findDecoder: async () => {
      // an ffmpeg that cannot be run counts as missing
      const ffmpeg = await findTool('ffmpeg', settings.get('FFMPEG_PATH')).catch(() => undefined);
      return ffmpeg && `${ffmpeg.path} ${ffmpeg.version}`;
    },
    isEnabled: () => settings.get('ANALYSIS_ENABLED'),
    isOnBatteryAllowed: () => settings.get('ANALYSIS_ON_BATTERY'),
    isOnBattery,
    isBusy: () => isInUse() || jobs.list({ status: 'running' }, { limit: 1, offset: 0 }).total > 0,
    afterMs: afterMs ?? 0,
    onHeard(): void {
      changes.announceChange();
      void jobs.tryEnqueue(COMPARE_GONE, {});
    },
  });
  return {
    offers: { analysis: pass },
    routes: analysisRoutes({ pass }),
    start: () => {
      if (afterMs !== null) pass.start();
    },
    stop: pass.close,
  } satisfies Module;
}
