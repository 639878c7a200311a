// Endpoints that browse by folders: those of the music folder, and one for tracks from elsewhere. Artists and albums
// are folders too, because clients switch between the two views.
import type { FolderRef } from '../../library/folders.ts';
import type { LibraryService } from '../../library/service.ts';
import { sortKey } from '../../library/sort-and-identity-keys.ts';
import type { UserId } from '../../db/ids.ts';
import { notFound } from '../../errors.ts';
import { user, type Call, type Endpoints } from '../endpoint.ts';
import { idOf, parseId, toId } from '../ids.ts';
import { IGNORED_ARTICLES, underLetters } from '../indexes.ts';
import { ALL, checkMusicFolder, inPieces, rowsOf } from '../list-slices.ts';
import type { Shapes } from '../wire.ts';
import type { Fields } from '../xml.ts';

/** The music folder itself; clients also send `1`, its id in getMusicFolders. */
const ROOT_ID = 'dir-0';
const UPLOADS_ID = 'up-0';
const UPLOADS_NAME = 'Uploads';

export interface FolderDeps {
  library: LibraryService;
  /** Increases when the library changes; Unix milliseconds. */
  changedAt: () => number;
}

export function folderEndpoints({ library, changedAt }: FolderDeps): Endpoints {
  const { folders } = library;
  const byName = <T extends { name: string }>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, key: sortKey(item.name) }))
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
      .map(({ item }) => item);

  /** The real folders, and one for all tracks without a folder. */
  function topFolders(): { id: string; name: string }[] {
    const root = folders.root();
    const real = byName(root ? folders.childrenOf(root) : []).map(({ id, name }) => ({ id: toId('folder', id), name }));
    return folders.hasElsewhere() ? [...real, { id: UPLOADS_ID, name: UPLOADS_NAME }] : real;
  }

  const songsIn = async (
    userId: UserId,
    shapes: Shapes,
    folder: FolderRef | undefined,
    parent: string,
  ): Promise<Fields[]> =>
    folder === undefined
      ? []
      : (await rowsOf(folders.tracksIn(folder), (ids) => library.tracksById(userId, ids))).map((track) =>
          shapes.song(track, { parent }),
        );

  const idOfFolder = (folder: FolderRef): string => (folder.path === '' ? ROOT_ID : toId('folder', folder.id));

  async function realFolder({ user: { id: userId }, shapes }: Call, folder: FolderRef): Promise<Fields> {
    const id = idOfFolder(folder);
    const parent = folders.parentOf(folder);
    const below = byName(folders.childrenOf(folder)).map((child) =>
      shapes.folder({ id: toId('folder', child.id), name: child.name, parent: id }),
    );
    return {
      id,
      parent: parent && idOfFolder(parent),
      name: folder.name,
      child: [...below, ...(await songsIn(userId, shapes, folder, id))],
    };
  }

  async function rootFolder({ user: { id: userId }, shapes }: Call): Promise<Fields> {
    const below = topFolders().map((child) => shapes.folder({ ...child, parent: ROOT_ID }));
    return {
      id: ROOT_ID,
      name: 'Music',
      child: [...below, ...(await songsIn(userId, shapes, folders.root(), ROOT_ID))],
    };
  }

  async function uploadsFolder({ user: { id: userId }, shapes }: Call): Promise<Fields> {
    const albums = await rowsOf(folders.albumsElsewhere(), (ids) => library.albumsById(userId, ids));
    const songs = await rowsOf(folders.singlesElsewhere(), (ids) => library.tracksById(userId, ids));
    const sorted = byName(albums.map((album) => ({ name: album.title, album })));
    return {
      id: UPLOADS_ID,
      parent: ROOT_ID,
      name: UPLOADS_NAME,
      child: [
        ...sorted.map(({ album }) => shapes.albumFolder(album, UPLOADS_ID)),
        ...songs.map((track) => shapes.song(track, { parent: UPLOADS_ID })),
      ],
    };
  }

  async function artistFolder({ user: { id: userId }, shapes }: Call, text: string): Promise<Fields> {
    const artist = library.getArtist(userId, idOf('artist', text));
    const albums = await inPieces(
      ALL,
      async (page) =>
        (await library.listAlbums(userId, { artistId: artist.id }, { sort: 'year', order: 'asc' }, page)).items,
    );
    return {
      id: toId('artist', artist.id),
      name: artist.name,
      starred: artist.likedAt ?? undefined,
      ...(artist.rating > 0 && { userRating: artist.rating }),
      child: albums.map((album) => shapes.albumFolder(album, toId('artist', artist.id))),
    };
  }

  async function albumFolder({ user: { id: userId }, shapes }: Call, text: string): Promise<Fields> {
    const album = library.getAlbum(userId, idOf('album', text));
    const tracks = await inPieces(
      ALL,
      async (page) => (await library.listTracks(userId, { albumId: album.id }, { sort: 'album' }, page)).items,
    );
    return {
      id: toId('album', album.id),
      parent: album.artistId === null ? undefined : toId('artist', album.artistId),
      name: album.title,
      starred: album.likedAt ?? undefined,
      ...(album.rating > 0 && { userRating: album.rating }),
      playCount: album.playCount,
      child: tracks.map((track) => shapes.song(track)),
    };
  }

  return {
    getIndexes: user(async ({ params, user: { id: userId }, shapes }) => {
      checkMusicFolder(params);
      const lastModified = changedAt();
      const head = { lastModified, ignoredArticles: IGNORED_ARTICLES };
      if ((params.int('ifModifiedSince') ?? 0) >= lastModified) return { indexes: { ...head, index: [] } };
      const index = underLetters(topFolders(), ({ name }) => name).map(({ name, items }) => ({ name, artist: items }));
      return { indexes: { ...head, index, child: await songsIn(userId, shapes, folders.root(), ROOT_ID) } };
    }),

    getMusicDirectory: user(async (call) => {
      const text = call.params.required('id');
      const item = parseId(text);
      if (text === '1' || text === ROOT_ID) return { directory: await rootFolder(call) };
      if (item?.kind === 'uploads') return { directory: await uploadsFolder(call) };
      if (item?.kind === 'artist') return { directory: await artistFolder(call, text) };
      if (item?.kind === 'album') return { directory: await albumFolder(call, text) };
      const folder = folders.find(idOf('folder', text));
      if (!folder) throw notFound('folder', text);
      return { directory: folder.path === '' ? await rootFolder(call) : await realFolder(call, folder) };
    }),
  };
}
