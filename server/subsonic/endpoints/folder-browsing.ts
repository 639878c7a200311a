// Endpoints that browse by folders: the real tree of each music folder, and in the first what came another way. Ids of
// artists and albums are folders too, because clients walk from one view into the other.
import { Pieces } from '../../http/pieces.ts';
import type { AlbumSummary } from '../../library/album-rows.ts';
import type { FolderRef } from '../../library/folders.ts';
import type { LibraryService } from '../../library/service.ts';
import { sortKey } from '../../library/sort-and-identity-keys.ts';
import { keyOfPath } from '../../storage/music-roots.ts';
import type { UserId } from '../../db/ids.ts';
import { notFound } from '../../errors.ts';
import { user, type Call, type Endpoints } from '../endpoint.ts';
import { idOf, parseId, toId } from '../ids.ts';
import { IGNORED_ARTICLES, underLetters } from '../indexes.ts';
import { ALL, chained, listOf, listOfIds, listOfRows, pagesOf, rowsOf } from '../list-slices.ts';
import { keyOfFolder, musicFolderOf, type FolderScopeDeps } from '../music-folders.ts';
import type { Shapes } from '../wire.ts';
import type { Fields } from '../xml.ts';

/** The first music folder; clients also send the ids of getMusicFolders. */
const ROOT_ID = 'dir-0';
const UPLOADS_ID = 'up-0';
const UPLOADS_NAME = 'Uploads';

export interface FolderDeps extends FolderScopeDeps {
  library: LibraryService;
  /** Increases when the library changes; Unix milliseconds. */
  changedAt: () => number;
}

export function folderEndpoints({ library, changedAt, musicFolders }: FolderDeps): Endpoints {
  const { folders } = library;
  const byName = <T extends { name: string }>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, key: sortKey(item.name) }))
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
      .map(({ item }) => item);

  /** What is at the top of the music folder, or of all: real folders, and one for everything that has none. */
  async function topFolders(key?: string): Promise<{ id: string; name: string }[]> {
    const found: FolderRef[] = [];
    for (const root of rootsOf(key)) for (const child of await folders.childrenOf(root)) found.push(child);
    const real = byName(found).map(({ id, name }) => ({ id: toId('folder', id), name }));
    return (key ?? '') === '' && folders.hasElsewhere() ? [...real, { id: UPLOADS_ID, name: UPLOADS_NAME }] : real;
  }

  const keys = (): string[] => musicFolders.roots().map(({ key }) => key);
  const nameOf = (key: string): string => musicFolders.all().find((one) => one.key === key)?.name ?? 'Music';

  const rootsOf = (key?: string): FolderRef[] =>
    (key === undefined ? musicFolders.all().flatMap((one) => (one.isSet ? one.key : [])) : [key]).flatMap(
      (one) => folders.root(one) ?? [],
    );

  async function* songsIn(
    userId: UserId,
    shapes: Shapes,
    folder: FolderRef | undefined,
    parent: string,
  ): AsyncGenerator<Fields[]> {
    if (folder === undefined) return;
    for await (const tracks of rowsOf(folders.tracksIn(folder), (ids) => library.tracksById(userId, ids)))
      yield tracks.map((track) => shapes.song(track, { parent }));
  }

  const idOfFolder = (folder: FolderRef): string => (folder.path === '' ? ROOT_ID : toId('folder', folder.id));

  async function realFolder({ user: { id: userId }, shapes }: Call, folder: FolderRef): Promise<Fields> {
    const id = idOfFolder(folder);
    const parent = folders.parentOf(folder);
    const below = listOfRows(byName(await folders.childrenOf(folder)), (child) =>
      shapes.folder({ id: toId('folder', child.id), name: child.name, parent: id }),
    );
    return {
      id,
      parent: parent && idOfFolder(parent),
      name: parent ? folder.name : nameOf(keyOfPath(keys(), folder.path)),
      child: new Pieces(chained(below.parts, songsIn(userId, shapes, folder, id))),
    };
  }

  async function rootFolder({ user: { id: userId }, shapes }: Call): Promise<Fields> {
    const below = listOfRows(await topFolders(''), (child) => shapes.folder({ ...child, parent: ROOT_ID }));
    return {
      id: ROOT_ID,
      name: nameOf(''),
      child: new Pieces(chained(below.parts, songsIn(userId, shapes, folders.root(), ROOT_ID))),
    };
  }

  async function uploadsFolder({ user: { id: userId }, shapes }: Call): Promise<Fields> {
    const albums: AlbumSummary[] = [];
    for await (const part of rowsOf(folders.albumsElsewhere(), (ids) => library.albumsById(userId, ids)))
      for (const album of part) albums.push(album);
    const sorted = listOfRows(byName(albums.map((album) => ({ name: album.title, album }))), ({ album }) =>
      shapes.albumFolder(album, UPLOADS_ID),
    );
    const songs = listOfIds(
      folders.singlesElsewhere(),
      (ids) => library.tracksById(userId, ids),
      (track) => shapes.song(track, { parent: UPLOADS_ID }),
    );
    return {
      id: UPLOADS_ID,
      parent: ROOT_ID,
      name: UPLOADS_NAME,
      child: new Pieces(chained(sorted.parts, songs.parts)),
    };
  }

  function artistFolder({ user: { id: userId }, shapes }: Call, text: string): Fields {
    const artist = library.getArtist(userId, idOf('artist', text));
    const albums = pagesOf(
      ALL,
      async (page) =>
        (await library.listAlbums(userId, { artistId: artist.id }, { sort: 'year', order: 'asc' }, page)).items,
    );
    return {
      id: toId('artist', artist.id),
      name: artist.name,
      starred: artist.likedAt ?? undefined,
      ...(artist.rating > 0 && { userRating: artist.rating }),
      child: listOf(albums, (album) => shapes.albumFolder(album, toId('artist', artist.id))),
    };
  }

  function albumFolder({ user: { id: userId }, shapes }: Call, text: string): Fields {
    const album = library.getAlbum(userId, idOf('album', text));
    const tracks = pagesOf(
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
      child: listOf(tracks, (track) => shapes.song(track)),
    };
  }

  return {
    getIndexes: user(async ({ params, user: { id: userId }, shapes }) => {
      const scope = musicFolderOf(params, { musicFolders });
      const lastModified = changedAt();
      const head = { lastModified, ignoredArticles: IGNORED_ARTICLES };
      if ((params.int('ifModifiedSince') ?? 0) >= lastModified) return { indexes: { ...head, index: [] } };
      const index = underLetters(await topFolders(scope?.key), ({ name }) => name).map(({ name, items }) => ({
        name,
        artist: listOfRows(items, (item) => ({ ...item })),
      }));
      const songs = rootsOf(scope?.key).map((root) => songsIn(userId, shapes, root, idOfFolder(root)));
      return { indexes: { ...head, index, child: new Pieces(chained(...songs)) } };
    }),

    getMusicDirectory: user(async (call) => {
      const text = call.params.required('id');
      const item = parseId(text);
      if (text === ROOT_ID) return { directory: await rootFolder(call) };
      const key = /^\d{1,9}$/.test(text) ? keyOfFolder({ musicFolders }, Number(text)) : undefined;
      const root = key === undefined ? undefined : folders.root(key);
      if (key === '') return { directory: await rootFolder(call) };
      if (root) return { directory: await realFolder(call, root) };
      if (item?.kind === 'uploads') return { directory: await uploadsFolder(call) };
      if (item?.kind === 'artist') return { directory: artistFolder(call, text) };
      if (item?.kind === 'album') return { directory: albumFolder(call, text) };
      const folder = folders.find(idOf('folder', text));
      if (!folder) throw notFound('folder', text);
      return { directory: folder.path === '' ? await rootFolder(call) : await realFolder(call, folder) };
    }),
  };
}
