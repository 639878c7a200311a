// `tonearm enrich [--all|--failed]`: identifies tracks without a server.
import type { App } from '../app.ts';
import { AppError } from '../errors.ts';
import type { EnrichLibraryResult } from '../enrichment/wire.ts';
import { showJobProgress } from './progress.ts';
import { cancelOnStop, untilEnded } from './wait.ts';
import { ENRICH_LIBRARY } from '../enrichment/tasks.ts';

const SHOWN_FAILURES = 20;

export async function runEnrich(app: App, scope: 'pending' | 'failed' | 'all'): Promise<void> {
  const { id } = await app.jobs.enqueue(ENRICH_LIBRARY, { scope, askedAt: Date.now() });
  showJobProgress(app.events, id, 'Identifying');
  cancelOnStop(app, id);
  const job = await untilEnded(app, id);
  if (job.status === 'cancelled') throw new AppError('conflict', 'It was cancelled; what it did stays.');
  if (job.status !== 'succeeded') throw new AppError('unavailable', job.error ?? 'It did not end well.');
  for (const line of describe(job.result as EnrichLibraryResult)) console.log(line);
}

function describe({
  tracks,
  enriched,
  failed,
  crashed,
  skipped,
  unanswered,
  problems,
  failures,
}: EnrichLibraryResult): string[] {
  return [
    `${tracks} tracks: ${enriched} identified, ${failed + crashed} not, ${skipped} left alone`,
    ...(unanswered > 0 ? [`${unanswered} could not be looked up now; the server asks again later`] : []),
    ...Object.entries(problems).map(([step, { count, example }]) => `  ${step}: ${count} times, such as: ${example}`),
    ...failures.slice(0, SHOWN_FAILURES).map(({ track_id, reason }) => `  track ${track_id}: ${reason}`),
    ...(failures.length > SHOWN_FAILURES ? [`  … and ${failed + crashed - SHOWN_FAILURES} more`] : []),
  ];
}
