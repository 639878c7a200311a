// The handlers of the background tasks.
import { permanent, type Handler } from '../jobs/tasks.ts';
import type { EnrichTaskResult } from './wire.ts';
import { enrichLibrary, type LibraryRunDeps } from './library-run.ts';
import { ENRICH_LIBRARY, type ENRICH_TASK } from './tasks.ts';

export function enrichTask({ enricher, jobs, libraryChanged, now }: LibraryRunDeps): Handler<typeof ENRICH_TASK> {
  return async ({ trackId, isAsked = false }, { signal }): Promise<EnrichTaskResult> => {
    const one = await enricher.enrich(trackId, { signal, isAsked, withCover: true });
    if (one.outcome === 'skipped') return { outcome: 'skipped', error: one.reason, problems: {} };
    libraryChanged();
    if (one.outcome === 'crashed') throw permanent(new Error(one.error));
    if (one.awaits !== null) await jobs.tryEnqueue(ENRICH_LIBRARY, { scope: 'unanswered', askedAt: now().getTime() });
    return { outcome: one.outcome, error: one.error, problems: one.problems };
  };
}

export const enrichLibraryTask =
  (deps: LibraryRunDeps): Handler<typeof ENRICH_LIBRARY> =>
  async ({ scope, askedAt }, { signal, progress }) =>
    enrichLibrary(deps, { scope, askedAt: new Date(askedAt), signal, progress });
