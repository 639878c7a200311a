import { usernameKey } from '../auth/username.ts';
import type { FilesOffer } from '../files/module.ts';
import type { HistoryOffer } from '../history/module.ts';
import { handledBy } from '../jobs/tasks.ts';
import type { LibraryOffer } from '../library/module.ts';
import type { LikesOffer } from '../likes/module.ts';
import type { Base, Module } from '../module.ts';
import type { SettingsService } from '../settings/service.ts';
import type { StorageOffer } from '../storage/module.ts';
import { createTagRatingQueries } from './queries.ts';
import { createTagRatings } from './service.ts';
import { READ_TAG_RATINGS } from './tasks.ts';

type TagRatingsModuleDeps = Base &
  Pick<StorageOffer, 'audioStore'> &
  Pick<LibraryOffer, 'tracks' | 'changes' | 'onTagRating'> &
  Pick<FilesOffer, 'readTags'> &
  Pick<HistoryOffer, 'tagPlays'> & { likes: LikesOffer; settings: SettingsService };

export function tagRatingsModule({ db, settings, jobs, changes, onTagRating, ...deps }: TagRatingsModuleDeps) {
  const { tracks, audioStore, readTags, likes, tagPlays } = deps;
  const tagRatings = createTagRatings({
    db,
    settings,
    likes,
    tagPlays,
    tracks,
    audioStore,
    readTags,
    libraryChanged: changes.announceChange,
  });
  onTagRating(tagRatings.onTagRating);
  const queries = createTagRatingQueries({ db });
  settings.checkAlso('TAG_RATINGS_ACCOUNT', (name) =>
    Promise.resolve(queries.findAccount(usernameKey(name)) === undefined ? 'is not the name of an account' : undefined),
  );
  const requestReading = (): void => void jobs.tryEnqueue(READ_TAG_RATINGS, {});
  settings.onChange(['TAG_RATINGS_ACCOUNT'], requestReading);

  return {
    offers: {},
    tasks: [handledBy(READ_TAG_RATINGS, tagRatings.task)],
    resume(): void {
      if (tagRatings.hasWork()) requestReading();
    },
  } satisfies Module;
}
