import type { Hearing } from '../enrichment/hearing.ts';
import { route } from '../http/route.ts';
import type { Base, Module } from '../module.ts';
import { isOnBattery } from './battery.ts';
import { createAnalysisPass } from './pass.ts';
import { fingerprintStep } from './steps.ts';
import { AnalysisOut } from './wire.ts';

export interface AnalysisTuning {
  /** How long after the start the audio is gone over; null for never. */
  analysisAfterMs?: number | null;
}

type AnalysisModuleDeps = Base & { hearing: Hearing; isServing: () => boolean; tuning: AnalysisTuning };

const AFTER_MS = 30_000;

export function analysisModule({ db, log, settings, jobs, hearing, isServing, tuning }: AnalysisModuleDeps) {
  const { analysisAfterMs: afterMs = AFTER_MS } = tuning;
  const pass = createAnalysisPass({
    client: db.$client,
    log,
    steps: [fingerprintStep(hearing)],
    isEnabled: () => settings.get('ANALYSIS_ENABLED'),
    isOnBatteryAllowed: () => settings.get('ANALYSIS_ON_BATTERY'),
    isOnBattery,
    isBusy: () => isServing() || jobs.list({ status: 'running' }, { limit: 1, offset: 0 }).total > 0,
    afterMs: afterMs ?? 0,
  });
  return {
    offers: { analysis: pass },
    routes: [
      route(
        {
          method: 'get',
          path: '/analysis',
          access: 'superuser',
          summary: 'How far the analysis of the audio is',
          reply: AnalysisOut,
        },
        () => pass.status(),
      ),
    ],
    start: () => {
      if (afterMs !== null) pass.start();
    },
    stop: pass.close,
  } satisfies Module;
}
