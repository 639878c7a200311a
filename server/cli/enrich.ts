// `tonearm enrich [--all|--failed]`: identifies tracks without a running server.
import type { App } from '../app.ts';
import type { EnrichLibraryResult } from '../enrichment/wire.ts';
import { runJob } from './wait.ts';
import { ENRICH_LIBRARY } from '../enrichment/tasks.ts';

const MAX_SHOWN_FAILURES = 20;

export async function runEnrich(app: App, scope: 'pending' | 'failed' | 'all'): Promise<void> {
  const { id } = await app.jobs.enqueue(ENRICH_LIBRARY, { scope, askedAt: Date.now() });
  for (const line of describe(await runJob<EnrichLibraryResult>(app, id, 'Identifying'))) console.log(line);
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
    `${tracks} tracks: ${enriched} identified, ${failed + crashed} failed, ${skipped} skipped`,
    ...(unanswered > 0 ? [`${unanswered} lookups got no answer; the server retries them later`] : []),
    ...Object.entries(problems).map(([step, { count, example }]) => `  ${step}: ${count} times, e.g. ${example}`),
    ...failures.slice(0, MAX_SHOWN_FAILURES).map(({ track_id, reason }) => `  track ${track_id}: ${reason}`),
    ...(failures.length > MAX_SHOWN_FAILURES ? [`  … and ${failed + crashed - MAX_SHOWN_FAILURES} more`] : []),
  ];
}
