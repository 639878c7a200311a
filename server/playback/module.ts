import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import { createBookmarkService } from './bookmarks.ts';
import { createQueueService } from './queue.ts';
import { playbackRoutes } from './routes.ts';
import { createPlaybackMerge } from './track-merge.ts';

export function playbackModule({
  db,
  now,
  events,
  library,
  onMerge,
}: Base & Pick<LibraryOffer, 'library' | 'onMerge'>) {
  const queue = createQueueService({ db, now, events, library });
  const bookmarks = createBookmarkService({ db, now, library });
  onMerge(createPlaybackMerge({ db }));
  return { offers: { queue, bookmarks }, routes: playbackRoutes({ queue, bookmarks }) } satisfies Module;
}
