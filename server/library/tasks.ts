import { z } from 'zod';
import { AlbumIdIn, ArtistIdIn, UserIdIn } from '../db/ids.ts';
import { task, type Handler } from '../jobs/tasks.ts';
import type { AlbumRegroupings } from './albums/album-regroupings.ts';
import type { LibraryService } from './service.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

/**
 * Compares tracks whose files are gone with all others, after more tracks were analyzed or restored. See
 * scan/gone-tracks/gone-track-finder.ts.
 */
export const COMPARE_GONE = task('compare_gone', {
  payload: z.strictObject({}),
  attempts: 3,
  uniqueBy: () => '',
  concurrency: 1,
});

/** Joins or splits the credits of an artist's tracks after its never-split mark changed. */
export const SETTLE_CREDITS = task('settle_credits', {
  payload: z.strictObject({ artistId: ArtistIdIn }),
  attempts: 3,
  uniqueBy: ({ artistId }) => artistId,
  concurrency: 1,
});

/** Regroups albums of an earlier version, those of some names or all. Resumes after an interruption. */
export const REGROUP_ALBUMS = task('regroup_albums', {
  payload: z.strictObject({ by: UserIdIn.nullable(), albumIds: z.array(AlbumIdIn).optional() }),
  attempts: 3,
  concurrency: 1,
});

interface RegroupTaskDeps {
  regroupings: Pick<AlbumRegroupings, 'applyAll'>;
  libraryChanged: () => void;
}

export const regroupTask =
  ({ regroupings, libraryChanged }: RegroupTaskDeps): Handler<typeof REGROUP_ALBUMS> =>
  async ({ by, albumIds }, { signal }) => {
    try {
      await regroupings.applyAll(by, albumIds, () => signal.throwIfAborted());
    } finally {
      libraryChanged(); // runs also after a job that was stopped half-way
    }
    return null;
  };

interface CreditsTaskDeps {
  library: Pick<LibraryService, 'settleCredits'>;
  libraryChanged: () => void;
}

/** Creates the handler of `settle_credits`. Each step reads the mark again, since it may change meanwhile. */
export const settleCreditsTask =
  ({ library, libraryChanged }: CreditsTaskDeps): Handler<typeof SETTLE_CREDITS> =>
  async ({ artistId }, { signal }) => {
    while (library.settleCredits(artistId)) {
      signal.throwIfAborted();
      libraryChanged();
      await yieldIfDue();
    }
    return null;
  };
