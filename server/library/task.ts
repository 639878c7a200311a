import { z } from 'zod';
import { ArtistIdIn } from '../db/ids.ts';
import { task, type Handler } from '../jobs/tasks.ts';
import type { LibraryService } from './service.ts';

/** Puts the credits of many tracks together, or apart, after somebody said whether a name is one artist. */
export const SETTLE_CREDITS = task('settle_credits', {
  payload: z.strictObject({ artistId: ArtistIdIn }),
  attempts: 3,
  uniqueBy: ({ artistId }) => artistId,
  concurrency: 1,
});

export interface CreditsTaskDeps {
  library: Pick<LibraryService, 'settleCredits'>;
  libraryChanged: () => void;
}

/** Handler of `settle_credits`. Whoever changes their mind meanwhile is followed: each step asks for the mark again. */
export const settleCreditsTask =
  ({ library, libraryChanged }: CreditsTaskDeps): Handler<typeof SETTLE_CREDITS> =>
  async ({ artistId }, { signal, yieldToRequests }) => {
    while (library.settleCredits(artistId)) {
      signal.throwIfAborted();
      libraryChanged();
      await yieldToRequests();
    }
    return null;
  };
