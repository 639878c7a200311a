// Endpoints of bookmarks.
import type { BookmarkService } from '../../playback/bookmarks.ts';
import { NOTHING, user, type Endpoints } from '../endpoint.ts';
import { idOf } from '../ids.ts';
import { ALL, listOf, pagesOf } from '../list-slices.ts';
import type { Params } from '../params.ts';

export interface BookmarkDeps {
  bookmarks: BookmarkService;
}

export const bookmarkEndpoints = ({ bookmarks }: BookmarkDeps): Endpoints => ({
  getBookmarks: user(({ user: { id, username }, shapes }) => ({
    bookmarks: {
      bookmark: listOf(
        pagesOf(ALL, (page) => bookmarks.list(id, page).items),
        ({ positionMs, comment, createdAt, updatedAt, track }) => ({
          position: positionMs,
          username,
          comment: comment ?? undefined,
          created: createdAt,
          changed: updatedAt,
          entry: shapes.song(track, { bookmarkMs: positionMs }),
        }),
      ),
    },
  })),
  createBookmark: user(({ params, user: { id } }) => {
    const trackId = idOf('track', params.required('id'));
    bookmarks.set(id, trackId, {
      positionMs: Math.max(0, params.requiredInt('position')),
      comment: commentOf(params),
    });
    return NOTHING;
  }),
  deleteBookmark: user(({ params, user: { id } }) => {
    bookmarks.remove(id, idOf('track', params.required('id')));
    return NOTHING;
  }),
});

const MOST_COMMENT = 1_000;
const commentOf = (params: Params): string | null => params.text('comment')?.slice(0, MOST_COMMENT) ?? null;
