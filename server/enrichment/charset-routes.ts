// REST API for the charset of an album's tags.
import { AlbumIdIn } from '../db/ids.ts';
import { idParam } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import type { Editing } from '../library/edits/edit-rights.ts';
import type { createCharsets } from './album-charset.ts';
import { AlbumCharsetOut, ChooseCharsetIn, ChosenCharsetOut } from './charset-wire.ts';

const AlbumParam = idParam(AlbumIdIn);

export const charsetRoutes = ({
  charsets,
  editing,
}: {
  charsets: ReturnType<typeof createCharsets>;
  editing: Pick<Editing, 'assertAlbum'>;
}): Route[] => [
  route(
    {
      method: 'get',
      path: '/albums/:id/charset',
      access: 'user',
      summary: 'In which charset those tags of an album are read that do not say theirs',
      params: AlbumParam,
      reply: AlbumCharsetOut,
    },
    ({ params }) => {
      const { charset, isChosen, trackCount, charsets: allCharsets } = charsets.ofAlbum(params.id);
      return { charset, is_chosen: isChosen, track_count: trackCount, charsets: allCharsets };
    },
  ),

  route(
    {
      method: 'put',
      path: '/albums/:id/charset',
      access: 'user',
      right: 'canEdit',
      orOwn: true,
      summary: 'Read those tags in another charset; it is kept, and holds for files that are added to the folder',
      params: AlbumParam,
      body: ChooseCharsetIn,
      reply: ChosenCharsetOut,
    },
    async ({ user, params, body, signal }) => {
      editing.assertAlbum(user, params.id);
      const { albumId, changed, failed } = await charsets.choose(params.id, body.charset, signal);
      return { album_id: albumId, changed, failed };
    },
  ),
];
