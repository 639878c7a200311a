// Endpoints of bookmarks, of songs and podcast episodes.
import type { BookmarkService } from '../../playback/bookmarks.ts';
import type { PodcastService } from '../../podcasts/service.ts';
import { EMPTY_PAYLOAD, userEndpoint, type Call, type Endpoints } from '../endpoint.ts';
import { idOf, parseId } from '../ids.ts';
import { ALL, concat, listOf, pagesOf } from '../list-slices.ts';
import { Pieces } from '../../http/streamed-lists.ts';
import type { Params } from '../params.ts';
import type { Fields } from '../xml.ts';
import { toEpisode } from './podcasts.ts';

export interface BookmarkDeps {
  bookmarks: BookmarkService;
  podcasts: Pick<PodcastService, 'positions' | 'setPosition' | 'removePosition'>;
}

export function bookmarkEndpoints({ bookmarks, podcasts }: BookmarkDeps): Endpoints {
  const songBookmarks = ({ user: { id, username }, shapes }: Call): Pieces<Fields> =>
    listOf(
      pagesOf(ALL, (page) => bookmarks.list(id, page).items),
      ({ positionMs, comment, createdAt, updatedAt, track }) => ({
        position: positionMs,
        username,
        comment: comment ?? undefined,
        created: createdAt,
        changed: updatedAt,
        entry: shapes.song(track),
      }),
    );

  const episodeBookmarks = ({ user: { id, username } }: Call): Fields[] =>
    podcasts.positions(id).map(({ episode, positionMs, comment, createdAt, updatedAt }) => ({
      position: positionMs,
      username,
      comment: comment ?? undefined,
      created: createdAt,
      changed: updatedAt,
      entry: toEntry(toEpisode(episode)),
    }));

  return {
    getBookmarks: userEndpoint((call) => ({
      bookmarks: { bookmark: new Pieces(concat(songBookmarks(call).parts, [episodeBookmarks(call)])) },
    })),
    createBookmark: userEndpoint(({ params, user: { id } }) => {
      const text = params.required('id');
      const bookmark = { positionMs: Math.max(0, params.requiredInt('position')), comment: commentOf(params) };
      if (isEpisode(text)) podcasts.setPosition(id, idOf('episode', text), bookmark);
      else bookmarks.set(id, idOf('track', text), bookmark);
      return EMPTY_PAYLOAD;
    }),
    deleteBookmark: userEndpoint(({ params, user: { id } }) => {
      const text = params.required('id');
      if (isEpisode(text)) podcasts.removePosition(id, idOf('episode', text));
      else bookmarks.remove(id, idOf('track', text));
      return EMPTY_PAYLOAD;
    }),
  };
}

const isEpisode = (text: string): boolean => parseId(text)?.kind === 'episode';

/** Converts an episode to a child, without the fields that only episodes have. */
const toEntry = ({
  streamId: _s,
  channelId: _c,
  description: _d,
  status: _t,
  publishDate: _p,
  ...child
}: Fields): Fields => child;

const MAX_COMMENT_CHARACTERS = 1_000;
const commentOf = (params: Params): string | null => params.text('comment')?.slice(0, MAX_COMMENT_CHARACTERS) ?? null;
