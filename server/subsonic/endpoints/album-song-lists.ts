// Endpoints that list: albums in every order, random and starred songs, songs of a genre.
import type { UserId } from '../../db/ids.ts';
import type { ItemType } from '../../db/schema.ts';
import type { Page, Paged } from '../../http/paging.ts';
import type { Pieces } from '../../http/pieces.ts';
import type { AlbumSummary } from '../../library/album-rows.ts';
import type { LibraryService } from '../../library/service.ts';
import type { LikeService } from '../../likes/service.ts';
import { user, type Call, type Endpoints } from '../endpoint.ts';
import { Fault } from '../errors.ts';
import { allIds, checkMusicFolder, listOfIds, listOfRows } from '../list-slices.ts';
import type { Params } from '../params.ts';
import type { Fields } from '../xml.ts';

export interface ListDeps {
  library: LibraryService;
  likes: Pick<LikeService, 'listLikedIds' | 'listRatedIds'>;
}

const MOST = 500;

export function listEndpoints({ library, likes }: ListDeps): Endpoints {
  type AlbumList = (userId: UserId, page: Page, params: Params) => AlbumSummary[] | Promise<Paged<AlbumSummary>>;

  const ALBUM_LISTS: Record<string, AlbumList> = {
    random: (userId, page) => library.listAlbums(userId, {}, { sort: 'random' }, page),
    newest: (userId, page) => library.listAlbums(userId, {}, { sort: 'created_at', order: 'desc' }, page),
    highest: (userId, page) => library.albumsById(userId, likes.listRatedIds(userId, 'album', page)),
    frequent: (userId, page) => library.listPlayedAlbums(userId, 'plays', page),
    recent: (userId, page) => library.listPlayedAlbums(userId, 'last_played_at', page),
    alphabeticalByName: (userId, page) => library.listAlbums(userId, {}, { sort: 'title' }, page),
    alphabeticalByArtist: (userId, page) => library.listAlbums(userId, {}, { sort: 'artist' }, page),
    starred: (userId, page) => library.albumsById(userId, likes.listLikedIds(userId, 'album', page)),
    byYear(userId, page, params) {
      const [from, to] = [params.requiredInt('fromYear'), params.requiredInt('toYear')];
      return library.listAlbums(
        userId,
        { yearFrom: Math.min(from, to), yearTo: Math.max(from, to) },
        { sort: 'year', order: from > to ? 'desc' : 'asc' },
        page,
      );
    },
    byGenre: (userId, page, params) =>
      library.listAlbums(userId, { genre: params.required('genre') }, { sort: 'title' }, page),
  };

  /** Sets X-Total-Count where the total is known, which Feishin reads. */
  async function albumsOf({ params, user: { id }, res }: Call): Promise<AlbumSummary[]> {
    checkMusicFolder(params);
    const type = params.required('type');
    const list = Object.hasOwn(ALBUM_LISTS, type) ? ALBUM_LISTS[type] : undefined;
    if (!list) throw new Fault(0, `There is no album list of type ${type.replace(/[^\w-]/g, '?').slice(0, 40)}.`);
    const found = await list(
      id,
      {
        limit: params.count('size', { or: 10, max: MOST }),
        offset: params.count('offset', { or: 0, max: Number.MAX_SAFE_INTEGER }),
      },
      params,
    );
    if (Array.isArray(found)) return found;
    res.setHeader('X-Total-Count', found.total);
    return found.items;
  }

  async function liked<T>(
    userId: UserId,
    itemType: ItemType,
    read: (userId: UserId, ids: readonly number[]) => T[],
    toFields: (item: T) => Fields,
  ): Promise<Pieces<Fields>> {
    const ids = await allIds((page) => likes.listLikedIds(userId, itemType, page));
    return listOfIds(ids, (part) => read(userId, part), toFields);
  }

  return {
    getAlbumList2: user(async (call) => ({
      albumList2: { album: listOfRows(await albumsOf(call), call.shapes.album) },
    })),
    getAlbumList: user(async (call) => ({
      albumList: { album: listOfRows(await albumsOf(call), (album) => call.shapes.albumFolder(album)) },
    })),

    getRandomSongs: user(async ({ params, user: { id }, shapes }) => {
      checkMusicFolder(params);
      const limit = params.count('size', { or: 10, max: MOST });
      const filter = { genre: params.text('genre'), yearFrom: params.int('fromYear'), yearTo: params.int('toYear') };
      const tracks =
        limit === 0 ? [] : (await library.listTracks(id, filter, { sort: 'random' }, { limit, offset: 0 })).items;
      return { randomSongs: { song: listOfRows(tracks, (track) => shapes.song(track)) } };
    }),

    getSongsByGenre: user(async ({ params, user: { id }, shapes }) => {
      checkMusicFolder(params);
      const page = {
        limit: params.count('count', { or: 10, max: MOST }),
        offset: params.count('offset', { or: 0, max: Number.MAX_SAFE_INTEGER }),
      };
      const genre = params.required('genre');
      const tracks = page.limit === 0 ? [] : (await library.listTracks(id, { genre }, { sort: 'artist' }, page)).items;
      return { songsByGenre: { song: listOfRows(tracks, (track) => shapes.song(track)) } };
    }),

    getStarred2: user(async ({ params, user: { id }, shapes }) => {
      checkMusicFolder(params);
      return {
        starred2: {
          artist: await liked(id, 'artist', library.artistsById, shapes.artist),
          album: await liked(id, 'album', library.albumsById, shapes.album),
          song: await liked(id, 'track', library.tracksById, (track) => shapes.song(track)),
        },
      };
    }),

    getStarred: user(async ({ params, user: { id }, shapes }) => {
      checkMusicFolder(params);
      return {
        starred: {
          artist: await liked(id, 'artist', library.artistsById, shapes.artistFolder),
          album: await liked(id, 'album', library.albumsById, (album) => shapes.albumFolder(album)),
          song: await liked(id, 'track', library.tracksById, (track) => shapes.song(track)),
        },
      };
    }),
  };
}
