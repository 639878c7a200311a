// Endpoints that list albums in every order, random and starred songs, and songs of a genre.
import type { UserId } from '../../db/ids.ts';
import type { ItemType } from '../../db/schema.ts';
import type { Page } from '../../http/paging.ts';
import { Pieces } from '../../http/streamed-lists.ts';
import type { AlbumSummary } from '../../library/lists/album-rows.ts';
import type { MusicFolderScope } from '../../library/lists/music-folder-filters.ts';
import type { LibraryService } from '../../library/service.ts';
import type { FolderLikes } from '../../likes/folder-likes.ts';
import type { LikeService } from '../../likes/service.ts';
import { userEndpoint, type Call, type Endpoints } from '../endpoint.ts';
import { Fault } from '../errors.ts';
import { toId } from '../ids.ts';
import { ROOT_ID, UPLOADS_FOLDER, uploadsFolderOf } from '../items.ts';
import { collectIds, concat, listOfIds, listOfRows } from '../list-slices.ts';
import { musicFolderOf, type FolderScopeDeps } from '../music-folders.ts';
import type { Params } from '../params.ts';
import type { Shapes } from '../wire.ts';
import { keyOf, type IdPage, type SteadyLists } from '../steady-lists.ts';
import type { Fields } from '../xml.ts';

export interface ListDeps extends FolderScopeDeps {
  library: LibraryService;
  likes: Pick<LikeService, 'listLikedIds' | 'listRatedIds'> & { folders: Pick<FolderLikes, 'listLiked'> };
  steady: SteadyLists;
}

const MAX_ITEMS = 500;

export function listEndpoints({ library, likes, musicFolders, steady }: ListDeps): Endpoints {
  type AlbumList = (
    userId: UserId,
    page: Page,
    params: Params,
    musicFolder: MusicFolderScope | undefined,
  ) => Promise<IdPage>;
  const { listIds } = library;

  const ALBUM_LISTS: Record<string, AlbumList> = {
    random: (userId, page, _, musicFolder) => listIds.album(userId, { musicFolder }, { sort: 'random' }, page),
    newest: (userId, page, _, musicFolder) =>
      listIds.album(userId, { musicFolder }, { sort: 'created_at', order: 'desc' }, page),
    highest: (userId, page, _, musicFolder) =>
      filterByMusicFolder(musicFolder, page, (part) => likes.listRatedIds(userId, 'album', part)),
    frequent: (userId, page, _, musicFolder) =>
      filterByMusicFolder(musicFolder, page, (part) => library.listPlayedIds(userId, 'plays', part)),
    recent: (userId, page, _, musicFolder) =>
      filterByMusicFolder(musicFolder, page, (part) => library.listPlayedIds(userId, 'last_played_at', part)),
    alphabeticalByName: (userId, page, _, musicFolder) =>
      listIds.album(userId, { musicFolder }, { sort: 'title' }, page),
    alphabeticalByArtist: (userId, page, _, musicFolder) =>
      listIds.album(userId, { musicFolder }, { sort: 'artist' }, page),
    starred: (userId, page, _, musicFolder) =>
      filterByMusicFolder(musicFolder, page, (part) => likes.listLikedIds(userId, 'album', part)),
    byYear(userId, page, params, musicFolder) {
      const [firstYear, lastYear] = [params.requiredInt('fromYear'), params.requiredInt('toYear')];
      return listIds.album(
        userId,
        { releasedFrom: Math.min(firstYear, lastYear), releasedTo: Math.max(firstYear, lastYear), musicFolder },
        { sort: 'year', order: firstYear > lastYear ? 'desc' : 'asc' },
        page,
      );
    },
    byGenre: (userId, page, params, musicFolder) =>
      listIds.album(userId, { genre: params.required('genre'), musicFolder }, { sort: 'title' }, page),
  };

  /** Returns a page of a list of albums, without albums of other music folders. */
  async function filterByMusicFolder(
    musicFolder: MusicFolderScope | undefined,
    { limit, offset }: Page,
    read: (page: Page) => number[],
  ): Promise<IdPage> {
    if (!musicFolder) return { ids: limit > MAX_ITEMS ? await collectIds(read) : read({ limit, offset }) };
    const ids = library.inMusicFolder('album', await collectIds(read), musicFolder);
    return { ids: ids.slice(offset, offset + limit) };
  }

  /** Returns a list of albums. Sets X-Total-Count if the total is known, which Feishin reads. */
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
        filterExisting: (pageIds) => library.filterExistingIds('album', pageIds),
      },
      readPage(params, 'size'),
    );
    if (total !== undefined) res.setHeader('X-Total-Count', total);
    return listOfIds(ids, (part) => library.albumsById(id, part), toFields);
  }

  async function listLiked<T>(
    userId: UserId,
    itemType: ItemType,
    musicFolder: MusicFolderScope | undefined,
    read: (userId: UserId, ids: readonly number[]) => T[],
    toFields: (item: T) => Fields,
  ): Promise<Pieces<Fields>> {
    const ids = await collectIds((page) => likes.listLikedIds(userId, itemType, page));
    const visibleIds = musicFolder ? library.inMusicFolder(itemType, ids, musicFolder) : ids;
    return listOfIds(visibleIds, (part) => read(userId, part), toFields);
  }

  /** Lists the liked folders with the music of several artists. */
  const likedFolders = (userId: UserId, shapes: Shapes): Fields[] =>
    likes.folders.listLiked(userId).flatMap((like) => {
      if (like.folderId === UPLOADS_FOLDER) return [shapes.folder(uploadsFolderOf(like))];
      const folder = library.folders.find(like.folderId);
      if (!folder || library.folders.musicOf(folder)) return [];
      const id = toId('folder', folder.id);
      return [shapes.folder({ id, name: folder.name, parent: ROOT_ID, coverArt: id, like })];
    });

  return {
    getAlbumList2: userEndpoint(async (call) => ({ albumList2: { album: await albumsOf(call, call.shapes.album) } })),
    getAlbumList: userEndpoint(async (call) => ({
      albumList: { album: await albumsOf(call, (album) => call.shapes.albumFolder(album)) },
    })),

    getRandomSongs: userEndpoint(async ({ params, user: { id }, shapes }) => {
      const musicFolder = musicFolderOf(params, { musicFolders });
      const limit = params.count('size', { or: 10, max: MAX_ITEMS });
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

    getSongsByGenre: userEndpoint(async (call) => {
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
          filterExisting: (pageIds) => library.filterExistingIds('track', pageIds),
        },
        readPage(params, 'count'),
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

    getStarred2: userEndpoint(async ({ params, user: { id }, shapes }) => {
      const musicFolder = musicFolderOf(params, { musicFolders });
      return {
        starred2: {
          artist: await listLiked(id, 'artist', musicFolder, library.artistsById, shapes.artist),
          album: await listLiked(id, 'album', musicFolder, library.albumsById, shapes.album),
          song: await listLiked(id, 'track', musicFolder, library.tracksById, (track) => shapes.song(track)),
        },
      };
    }),

    getStarred: userEndpoint(async ({ params, user: { id }, shapes }) => {
      const musicFolder = musicFolderOf(params, { musicFolders });
      return {
        starred: {
          artist: await listLiked(id, 'artist', musicFolder, library.artistsById, shapes.artistFolder),
          album: new Pieces(
            concat(
              (await listLiked(id, 'album', musicFolder, library.albumsById, (album) => shapes.albumFolder(album)))
                .parts,
              [likedFolders(id, shapes)],
            ),
          ),
          song: await listLiked(id, 'track', musicFolder, library.tracksById, (track) => shapes.song(track)),
        },
      };
    }),
  };
}

const readPage = (params: Params, limit: string): Page => ({
  limit: params.count(limit, { or: 10, max: MAX_ITEMS }),
  offset: params.count('offset', { or: 0, max: Number.MAX_SAFE_INTEGER }),
});
