// The handlers of the background tasks.
import { permanent, type Handler } from '../jobs/tasks.ts';
import type { EnrichTaskResult } from './wire.ts';
import { enrichLibrary, type LibraryRunDeps } from './library-run.ts';
import { ENRICH_LIBRARY, type ENRICH_TASK } from './tasks.ts';

export function enrichTask({ enricher, jobs, libraryChanged, now }: LibraryRunDeps): Handler<typeof ENRICH_TASK> {
  return async ({ trackId, isAsked = false }, { signal }): Promise<EnrichTaskResult> => {
    const result = await enricher.enrich(trackId, { signal, isAsked, withCover: true });
    if (result.outcome === 'skipped') return { outcome: 'skipped', error: result.reason, problems: {} };
    libraryChanged();
    if (result.outcome === 'crashed') throw permanent(new Error(result.error));
    if (result.awaits !== null)
      await jobs.tryEnqueue(ENRICH_LIBRARY, { scope: 'unanswered', askedAt: now().getTime() });
    return { outcome: result.outcome, error: result.error, problems: result.problems };
  };
}

export const enrichLibraryTask =
  (deps: LibraryRunDeps): Handler<typeof ENRICH_LIBRARY> =>
  async ({ scope, askedAt }, { signal, progress }) =>
    enrichLibrary(deps, { scope, askedAt: new Date(askedAt), signal, progress });
