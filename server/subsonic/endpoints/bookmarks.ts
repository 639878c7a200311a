// Endpoints of bookmarks, of songs and podcast episodes.
import type { BookmarkService } from '../../playback/bookmarks.ts';
import type { PodcastService } from '../../podcasts/service.ts';
import { NOTHING, user, type Call, type Endpoints } from '../endpoint.ts';
import { idOf, parseId } from '../ids.ts';
import { ALL, chained, listOf, pagesOf } from '../list-slices.ts';
import { Pieces } from '../../http/streamed-lists.ts';
import type { Params } from '../params.ts';
import type { Fields } from '../xml.ts';
import { toEpisode } from './podcasts.ts';

export interface BookmarkDeps {
  bookmarks: BookmarkService;
  podcasts: Pick<PodcastService, 'positions' | 'setPosition' | 'removePosition'>;
}

export function bookmarkEndpoints({ bookmarks, podcasts }: BookmarkDeps): Endpoints {
  const ofSongs = ({ user: { id, username }, shapes }: Call): Pieces<Fields> =>
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

  const ofEpisodes = ({ user: { id, username } }: Call): Fields[] =>
    podcasts.positions(id).map(({ episode, positionMs, comment, createdAt, updatedAt }) => ({
      position: positionMs,
      username,
      comment: comment ?? undefined,
      created: createdAt,
      changed: updatedAt,
      entry: toEntry(toEpisode(episode)),
    }));

  return {
    getBookmarks: user((call) => ({
      bookmarks: { bookmark: new Pieces(chained(ofSongs(call).parts, [ofEpisodes(call)])) },
    })),
    createBookmark: user(({ params, user: { id } }) => {
      const text = params.required('id');
      const at = { positionMs: Math.max(0, params.requiredInt('position')), comment: commentOf(params) };
      if (isEpisode(text)) podcasts.setPosition(id, idOf('episode', text), at);
      else bookmarks.set(id, idOf('track', text), at);
      return NOTHING;
    }),
    deleteBookmark: user(({ params, user: { id } }) => {
      const text = params.required('id');
      if (isEpisode(text)) podcasts.removePosition(id, idOf('episode', text));
      else bookmarks.remove(id, idOf('track', text));
      return NOTHING;
    }),
  };
}

const isEpisode = (text: string): boolean => parseId(text)?.kind === 'episode';

/** As a child, which has nothing of an episode's own. */
const toEntry = ({
  streamId: _s,
  channelId: _c,
  description: _d,
  status: _t,
  publishDate: _p,
  ...child
}: Fields): Fields => child;

const MOST_COMMENT = 1_000;
const commentOf = (params: Params): string | null => params.text('comment')?.slice(0, MOST_COMMENT) ?? null;
