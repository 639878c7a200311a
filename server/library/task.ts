import type { Handler } from '../jobs/tasks.ts';
import type { LibraryService } from './service.ts';

export interface CreditsTaskDeps {
  library: Pick<LibraryService, 'settleCredits'>;
  libraryChanged: () => void;
}

/** Handler of `settle_credits`. Whoever changes their mind meanwhile is followed: each step asks for the mark again. */
export const settleCreditsTask =
  ({ library, libraryChanged }: CreditsTaskDeps): Handler<'settle_credits'> =>
  async ({ artistId }, { signal, yieldToRequests }) => {
    while (library.settleCredits(artistId)) {
      signal.throwIfAborted();
      libraryChanged();
      await yieldToRequests();
    }
    return null;
  };
