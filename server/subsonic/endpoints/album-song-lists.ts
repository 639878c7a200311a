// Endpoints that list: albums in every order, random and starred songs, songs of a genre.
import type { UserId } from '../../db/ids.ts';
import type { ItemType } from '../../db/schema.ts';
import type { Page, Paged } from '../../http/paging.ts';
import type { Pieces } from '../../http/pieces.ts';
import type { AlbumSummary } from '../../library/album-rows.ts';
import type { MusicFolderScope } from '../../library/music-folder-filters.ts';
import type { LibraryService } from '../../library/service.ts';
import type { LikeService } from '../../likes/service.ts';
import { user, type Call, type Endpoints } from '../endpoint.ts';
import { Fault } from '../errors.ts';
import { allIds, listOfIds, listOfRows } from '../list-slices.ts';
import { musicFolderOf, type FolderScopeDeps } from '../music-folders.ts';
import type { Params } from '../params.ts';
import type { Fields } from '../xml.ts';

export interface ListDeps extends FolderScopeDeps {
  library: LibraryService;
  likes: Pick<LikeService, 'listLikedIds' | 'listRatedIds'>;
}

const MOST = 500;

export function listEndpoints({ library, likes, musicFolders }: ListDeps): Endpoints {
  type AlbumList = (
    userId: UserId,
    page: Page,
    params: Params,
    musicFolder: MusicFolderScope | undefined,
  ) => AlbumSummary[] | Promise<AlbumSummary[] | Paged<AlbumSummary>>;

  const ALBUM_LISTS: Record<string, AlbumList> = {
    random: (userId, page, _, musicFolder) => library.listAlbums(userId, { musicFolder }, { sort: 'random' }, page),
    newest: (userId, page, _, musicFolder) =>
      library.listAlbums(userId, { musicFolder }, { sort: 'created_at', order: 'desc' }, page),
    highest: (userId, page, _, musicFolder) =>
      albumsIn(userId, musicFolder, page, (part) => likes.listRatedIds(userId, 'album', part)),
    frequent: (userId, page, _, musicFolder) =>
      albumsIn(userId, musicFolder, page, (part) => library.listPlayedIds(userId, 'plays', part)),
    recent: (userId, page, _, musicFolder) =>
      albumsIn(userId, musicFolder, page, (part) => library.listPlayedIds(userId, 'last_played_at', part)),
    alphabeticalByName: (userId, page, _, musicFolder) =>
      library.listAlbums(userId, { musicFolder }, { sort: 'title' }, page),
    alphabeticalByArtist: (userId, page, _, musicFolder) =>
      library.listAlbums(userId, { musicFolder }, { sort: 'artist' }, page),
    starred: (userId, page, _, musicFolder) =>
      albumsIn(userId, musicFolder, page, (part) => likes.listLikedIds(userId, 'album', part)),
    byYear(userId, page, params, musicFolder) {
      const [from, to] = [params.requiredInt('fromYear'), params.requiredInt('toYear')];
      return library.listAlbums(
        userId,
        { yearFrom: Math.min(from, to), yearTo: Math.max(from, to), musicFolder },
        { sort: 'year', order: from > to ? 'desc' : 'asc' },
        page,
      );
    },
    byGenre: (userId, page, params, musicFolder) =>
      library.listAlbums(userId, { genre: params.required('genre'), musicFolder }, { sort: 'title' }, page),
  };

  /** A page of a list of albums, of which some may be in other music folders. */
  async function albumsIn(
    userId: UserId,
    musicFolder: MusicFolderScope | undefined,
    { limit, offset }: Page,
    read: (page: Page) => number[],
  ): Promise<AlbumSummary[]> {
    const ids = musicFolder
      ? library.inMusicFolder('album', await allIds(read), musicFolder).slice(offset, offset + limit)
      : read({ limit, offset });
    return library.albumsById(userId, ids);
  }

  /** Sets X-Total-Count where the total is known, which Feishin reads. */
  async function albumsOf({ params, user: { id }, res }: Call): Promise<AlbumSummary[]> {
    const musicFolder = musicFolderOf(params, { musicFolders });
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
      musicFolder,
    );
    if (Array.isArray(found)) return found;
    res.setHeader('X-Total-Count', found.total);
    return found.items;
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
    getAlbumList2: user(async (call) => ({
      albumList2: { album: listOfRows(await albumsOf(call), call.shapes.album) },
    })),
    getAlbumList: user(async (call) => ({
      albumList: { album: listOfRows(await albumsOf(call), (album) => call.shapes.albumFolder(album)) },
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

    getSongsByGenre: user(async ({ params, user: { id }, shapes }) => {
      const musicFolder = musicFolderOf(params, { musicFolders });
      const page = {
        limit: params.count('count', { or: 10, max: MOST }),
        offset: params.count('offset', { or: 0, max: Number.MAX_SAFE_INTEGER }),
      };
      const genre = params.required('genre');
      const tracks =
        page.limit === 0 ? [] : (await library.listTracks(id, { genre, musicFolder }, { sort: 'artist' }, page)).items;
      return { songsByGenre: { song: listOfRows(tracks, (track) => shapes.song(track)) } };
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
