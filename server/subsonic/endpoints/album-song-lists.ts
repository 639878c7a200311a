// Endpoints that list: albums in every order, random and starred songs, songs of a genre.
import type { UserId } from '../../db/ids.ts';
import type { ItemType } from '../../db/schema.ts';
import type { Page } from '../../http/paging.ts';
import type { Pieces } from '../../http/streamed-lists.ts';
import type { AlbumSummary } from '../../library/album-rows.ts';
import type { MusicFolderScope } from '../../library/music-folder-filters.ts';
import type { LibraryService } from '../../library/service.ts';
import type { LikeService } from '../../likes/service.ts';
import { user, type Call, type Endpoints } from '../endpoint.ts';
import { Fault } from '../errors.ts';
import { allIds, listOfIds, listOfRows } from '../list-slices.ts';
import { musicFolderOf, type FolderScopeDeps } from '../music-folders.ts';
import type { Params } from '../params.ts';
import { keyOf, type Ids, type SteadyLists } from '../steady-lists.ts';
import type { Fields } from '../xml.ts';

export interface ListDeps extends FolderScopeDeps {
  library: LibraryService;
  likes: Pick<LikeService, 'listLikedIds' | 'listRatedIds'>;
  steady: SteadyLists;
}

const MOST = 500;

export function listEndpoints({ library, likes, musicFolders, steady }: ListDeps): Endpoints {
  type AlbumList = (
    userId: UserId,
    page: Page,
    params: Params,
    musicFolder: MusicFolderScope | undefined,
  ) => Promise<Ids>;
  const { listIds } = library;

  const ALBUM_LISTS: Record<string, AlbumList> = {
    random: (userId, page, _, musicFolder) => listIds.album(userId, { musicFolder }, { sort: 'random' }, page),
    newest: (userId, page, _, musicFolder) =>
      listIds.album(userId, { musicFolder }, { sort: 'created_at', order: 'desc' }, page),
    highest: (userId, page, _, musicFolder) =>
      albumsIn(musicFolder, page, (part) => likes.listRatedIds(userId, 'album', part)),
    frequent: (userId, page, _, musicFolder) =>
      albumsIn(musicFolder, page, (part) => library.listPlayedIds(userId, 'plays', part)),
    recent: (userId, page, _, musicFolder) =>
      albumsIn(musicFolder, page, (part) => library.listPlayedIds(userId, 'last_played_at', part)),
    alphabeticalByName: (userId, page, _, musicFolder) =>
      listIds.album(userId, { musicFolder }, { sort: 'title' }, page),
    alphabeticalByArtist: (userId, page, _, musicFolder) =>
      listIds.album(userId, { musicFolder }, { sort: 'artist' }, page),
    starred: (userId, page, _, musicFolder) =>
      albumsIn(musicFolder, page, (part) => likes.listLikedIds(userId, 'album', part)),
    byYear(userId, page, params, musicFolder) {
      const [from, to] = [params.requiredInt('fromYear'), params.requiredInt('toYear')];
      return listIds.album(
        userId,
        { yearFrom: Math.min(from, to), yearTo: Math.max(from, to), musicFolder },
        { sort: 'year', order: from > to ? 'desc' : 'asc' },
        page,
      );
    },
    byGenre: (userId, page, params, musicFolder) =>
      listIds.album(userId, { genre: params.required('genre'), musicFolder }, { sort: 'title' }, page),
  };

  /** A page of a list of albums, of which some may be in other music folders. */
  async function albumsIn(
    musicFolder: MusicFolderScope | undefined,
    { limit, offset }: Page,
    read: (page: Page) => number[],
  ): Promise<Ids> {
    if (!musicFolder) return { ids: limit > MOST ? await allIds(read) : read({ limit, offset }) };
    const ids = library.inMusicFolder('album', await allIds(read), musicFolder);
    return { ids: ids.slice(offset, offset + limit) };
  }

  /** Sets X-Total-Count where the total is known, which Feishin reads. */
  async function albumsOf(call: Call, toFields: (album: AlbumSummary) => Fields): Promise<Pieces<Fields>> {
    const {
      params,
      user: { id },
      res,
    } = call;
    const musicFolder = musicFolderOf(params, { musicFolders });
    const type = params.required('type');
    const list = Object.hasOwn(ALBUM_LISTS, type) ? ALBUM_LISTS[type] : undefined;
    if (!list) throw new Fault(0, `There is no album list of type ${type.replace(/[^\w-]/g, '?').slice(0, 40)}.`);
    const { ids, total } = await steady.page(
      {
        key: keyOf(call, type, ['genre', 'fromYear', 'toYear', 'musicFolderId']),
        read: (page) => list(id, page, params, musicFolder),
        there: (some) => library.idsThere('album', some),
      },
      pageIn(params, 'size'),
    );
    if (total !== undefined) res.setHeader('X-Total-Count', total);
    return listOfIds(ids, (part) => library.albumsById(id, part), toFields);
  }

  async function liked<T>(
    userId: UserId,
    itemType: ItemType,
    musicFolder: MusicFolderScope | undefined,
    read: (userId: UserId, ids: readonly number[]) => T[],
    toFields: (item: T) => Fields,
  ): Promise<Pieces<Fields>> {
    const ids = await allIds((page) => likes.listLikedIds(userId, itemType, page));
    const shown = musicFolder ? library.inMusicFolder(itemType, ids, musicFolder) : ids;
    return listOfIds(shown, (part) => read(userId, part), toFields);
  }

  return {
    getAlbumList2: user(async (call) => ({ albumList2: { album: await albumsOf(call, call.shapes.album) } })),
    getAlbumList: user(async (call) => ({
      albumList: { album: await albumsOf(call, (album) => call.shapes.albumFolder(album)) },
    })),

    getRandomSongs: user(async ({ params, user: { id }, shapes }) => {
      const musicFolder = musicFolderOf(params, { musicFolders });
      const limit = params.count('size', { or: 10, max: MOST });
      const filter = {
        genre: params.text('genre'),
        yearFrom: params.int('fromYear'),
        yearTo: params.int('toYear'),
        musicFolder,
      };
      const tracks =
        limit === 0 ? [] : (await library.listTracks(id, filter, { sort: 'random' }, { limit, offset: 0 })).items;
      return { randomSongs: { song: listOfRows(tracks, (track) => shapes.song(track)) } };
    }),

    getSongsByGenre: user(async (call) => {
      const {
        params,
        user: { id },
        shapes,
      } = call;
      const musicFolder = musicFolderOf(params, { musicFolders });
      const genre = params.required('genre');
      const { ids } = await steady.page(
        {
          key: keyOf(call, 'genre', ['genre', 'musicFolderId']),
          read: (page) => listIds.track(id, { genre, musicFolder }, { sort: 'artist' }, page),
          there: (some) => library.idsThere('track', some),
        },
        pageIn(params, 'count'),
      );
      return {
        songsByGenre: {
          song: listOfIds(
            ids,
            (part) => library.tracksById(id, part),
            (track) => shapes.song(track),
          ),
        },
      };
    }),

    getStarred2: user(async ({ params, user: { id }, shapes }) => {
      const musicFolder = musicFolderOf(params, { musicFolders });
      return {
        starred2: {
          artist: await liked(id, 'artist', musicFolder, library.artistsById, shapes.artist),
          album: await liked(id, 'album', musicFolder, library.albumsById, shapes.album),
          song: await liked(id, 'track', musicFolder, library.tracksById, (track) => shapes.song(track)),
        },
      };
    }),

    getStarred: user(async ({ params, user: { id }, shapes }) => {
      const musicFolder = musicFolderOf(params, { musicFolders });
      return {
        starred: {
          artist: await liked(id, 'artist', musicFolder, library.artistsById, shapes.artistFolder),
          album: await liked(id, 'album', musicFolder, library.albumsById, (album) => shapes.albumFolder(album)),
          song: await liked(id, 'track', musicFolder, library.tracksById, (track) => shapes.song(track)),
        },
      };
    }),
  };
}

const pageIn = (params: Params, limit: string): Page => ({
  limit: params.count(limit, { or: 10, max: MOST }),
  offset: params.count('offset', { or: 0, max: Number.MAX_SAFE_INTEGER }),
});
