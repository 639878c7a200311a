// Endpoints that browse by folders: the real tree of each music folder, and uploads in the first one. Ids of artists
// and albums are accepted as folders too, because clients mix both views.
import { Pieces } from '../../http/streamed-lists.ts';
import type { AlbumSummary } from '../../library/lists/album-rows.ts';
import type { FolderRef } from '../../library/folders/folders.ts';
import type { FolderLikes } from '../../likes/folder-likes.ts';
import type { LibraryService } from '../../library/service.ts';
import { sortKey } from '../../library/tracks/sort-and-identity-keys.ts';
import { keyOfPath } from '../../storage/music-roots.ts';
import type { UserId } from '../../db/ids.ts';
import { toUnixMs } from '../../http/times.ts';
import { partsOf, waitForTurn } from '../../runtime/time-slices.ts';
import { notFound } from '../../errors.ts';
import { userEndpoint, type Call, type Endpoints } from '../endpoint.ts';
import { albumsOfArtist } from './browsing.ts';
import { idOf, parseId, toId } from '../ids.ts';
import { IGNORED_ARTICLES, groupByLetter } from '../indexes.ts';
import { ALL, concat, listOf, listOfIds, listOfRows, pagesOf, rowsOf } from '../list-slices.ts';
import { isRootId, ROOT_ID, UPLOADS_ID, UPLOADS_FOLDER, UPLOADS_NAME, uploadsFolderOf, type Items } from '../items.ts';
import { musicFolderOf, type FolderScopeDeps } from '../music-folders.ts';
import { starsOf, type FolderMusic, type Shapes } from '../wire.ts';
import type { Fields } from '../xml.ts';

export interface FolderDeps extends FolderScopeDeps {
  library: LibraryService;
  likes: { folders: Pick<FolderLikes, 'of'> };
  items: Pick<Items, 'findFolder'>;
  /** Returns when the library last changed, in Unix milliseconds. */
  changedAt: () => number;
}

export function folderEndpoints({ library, likes, items, changedAt, musicFolders }: FolderDeps): Endpoints {
  const { folders } = library;
  const byName = <T extends { name: string }>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, key: sortKey(item.name) }))
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
      .map(({ item }) => item);

  /** Lists the top folders of one music folder or of all, and one folder for music outside of all of them. */
  async function topFolders(key?: string): Promise<{ id: string; name: string }[]> {
    const children: FolderRef[] = [];
    for (const root of rootsOf(key)) for (const child of await folders.childrenOf(root)) children.push(child);
    const realFolders = byName(children).map(({ id, name }) => ({ id: toId('folder', id), name }));
    return (key ?? '') === '' && (await folders.hasElsewhere())
      ? [...realFolders, { id: UPLOADS_ID, name: UPLOADS_NAME }]
      : realFolders;
  }

  /**
   * Returns the keys of the music folders, which always include the first: its tracks exist even when the folder is not
   * configured any more.
   */
  const rootKeys = (): string[] => [...new Set(['', ...musicFolders.roots().map(({ key }) => key)])];
  const nameOf = (key: string): string => musicFolders.listAll().find((folder) => folder.key === key)?.name ?? 'Music';

  const rootsOf = (key?: string): FolderRef[] =>
    (key === undefined ? rootKeys() : [key]).flatMap((rootKey) => folders.root(rootKey) ?? []);

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

  /** Returns the album or artist that the folder holds, or else the folder's own star and rating, for the user. */
  function musicIn(userId: UserId, folder: FolderRef): FolderMusic {
    const music = folders.musicOf(folder);
    if (!music) return { like: likes.folders.of(userId, folder.id) };
    if ('albumId' in music) return { album: library.albumsById(userId, [music.albumId])[0] };
    return { artist: library.artistsById(userId, [music.artistId])[0] };
  }

  async function* foldersIn(
    userId: UserId,
    shapes: Shapes,
    parts: Iterable<readonly FolderRef[]>,
    parent: string,
  ): AsyncGenerator<Fields[]> {
    for (const musicPart of parts) {
      yield musicPart.map((child) => {
        const id = toId('folder', child.id);
        return shapes.folder({ id, name: child.name, parent, coverArt: id, ...musicIn(userId, child) });
      });
      await waitForTurn();
    }
  }

  const idOfFolder = (folder: FolderRef): string => (folder.path === '' ? ROOT_ID : toId('folder', folder.id));

  async function realFolder({ user: { id: userId }, shapes }: Call, folder: FolderRef): Promise<Fields> {
    const id = idOfFolder(folder);
    const parent = folders.parentOf(folder);
    const children = partsOf(byName(await folders.childrenOf(folder)), FOLDERS_PER_PIECE);
    const subfolders = foldersIn(userId, shapes, children, id);
    return {
      id,
      parent: parent && idOfFolder(parent),
      name: parent ? folder.name : nameOf(keyOfPath(rootKeys(), folder.path)),
      ...stateOf(musicIn(userId, folder)),
      child: new Pieces(concat(subfolders, songsIn(userId, shapes, folder, id))),
    };
  }

  async function rootFolder({ user: { id: userId }, shapes }: Call): Promise<Fields> {
    const root = folders.root();
    const children = root ? partsOf(byName(await folders.childrenOf(root)), FOLDERS_PER_PIECE) : [];
    const uploads = uploadsFolderOf(likes.folders.of(userId, UPLOADS_FOLDER));
    return {
      id: ROOT_ID,
      name: nameOf(''),
      ...(root && stateOf(musicIn(userId, root))),
      child: new Pieces(
        concat(
          foldersIn(userId, shapes, children, ROOT_ID),
          (await folders.hasElsewhere()) ? [[shapes.folder(uploads)]] : [],
          songsIn(userId, shapes, root, ROOT_ID),
        ),
      ),
    };
  }

  async function uploadsFolder({ user: { id: userId }, shapes }: Call): Promise<Fields> {
    const albums: AlbumSummary[] = [];
    for await (const part of rowsOf(await folders.albumsElsewhere(), (ids) => library.albumsById(userId, ids)))
      for (const album of part) albums.push(album);
    const sortedAlbums = listOfRows(byName(albums.map((album) => ({ name: album.title, album }))), ({ album }) =>
      shapes.albumFolder(album, UPLOADS_ID),
    );
    const songs = listOfIds(
      await folders.singlesElsewhere(),
      (ids) => library.tracksById(userId, ids),
      (track) => shapes.song(track, { parent: UPLOADS_ID }),
    );
    return {
      id: UPLOADS_ID,
      parent: ROOT_ID,
      name: UPLOADS_NAME,
      ...stateOf({ like: likes.folders.of(userId, UPLOADS_FOLDER) }),
      child: new Pieces(concat(sortedAlbums.parts, songs.parts)),
    };
  }

  async function artistFolder({ user: { id: userId }, shapes }: Call, text: string): Promise<Fields> {
    const artist = library.getArtist(userId, idOf('artist', text));
    const albums = await albumsOfArtist(library, userId, artist.id);
    return {
      id: toId('artist', artist.id),
      name: artist.name,
      starred: artist.likedAt ?? undefined,
      ...starsOf(artist),
      child: listOfRows(albums, (album) => shapes.albumFolder(album, toId('artist', artist.id))),
    };
  }

  function albumFolder({ user: { id: userId }, shapes }: Call, text: string): Fields {
    const album = library.getAlbum(userId, idOf('album', text));
    const tracks = pagesOf(
      ALL,
      async (page) =>
        (await library.listTracks(userId, { albumId: album.id, bestOnly: true }, { sort: 'album' }, page)).items,
    );
    return {
      id: toId('album', album.id),
      parent: album.artistId === null ? undefined : toId('artist', album.artistId),
      name: album.title,
      starred: album.likedAt ?? undefined,
      ...starsOf(album),
      playCount: album.playCount,
      child: listOf(tracks, (track) => shapes.song(track, { parent: toId('album', album.id) })),
    };
  }

  return {
    getIndexes: userEndpoint(async ({ params, user: { id: userId }, shapes }) => {
      const scope = musicFolderOf(params, { musicFolders });
      const lastModified = changedAt();
      const head = { lastModified, ignoredArticles: IGNORED_ARTICLES };
      if (isCurrent(params.number('ifModifiedSince') ?? 0, lastModified)) return { indexes: { ...head, index: [] } };
      const index = groupByLetter(await topFolders(scope?.key), ({ name }) => name).map(({ name, items }) => ({
        name,
        artist: listOfRows(items, (item) => ({ ...item })),
      }));
      const songs = rootsOf(scope?.key).map((root) => songsIn(userId, shapes, root, idOfFolder(root)));
      return { indexes: { ...head, index, child: new Pieces(concat(...songs)) } };
    }),

    getMusicDirectory: userEndpoint(async (call) => {
      const { params } = call;
      const text = params.has('id') ? (params.text('id') ?? ROOT_ID) : params.required('id');
      const item = parseId(text);
      if (item?.kind === 'uploads') return { directory: await uploadsFolder(call) };
      if (item?.kind === 'artist') return { directory: await artistFolder(call, text) };
      if (item?.kind === 'album') return { directory: albumFolder(call, text) };
      const folder = items.findFolder(text);
      if (!folder && !isRootId(text)) throw notFound('folder', text);
      return { directory: folder && folder.path !== '' ? await realFolder(call, folder) : await rootFolder(call) };
    }),
  };
}

/**
 * Returns whether the client has the library as of this time in milliseconds. The same time in seconds, which some
 * clients send, is up to a second earlier.
 */
function isCurrent(sentTime: number, lastModified: number): boolean {
  const sentMs = toUnixMs(sentTime);
  return sentMs >= (sentMs === sentTime ? lastModified : Math.floor(lastModified / 1_000) * 1_000);
}

/** Folders per piece of a response, because each folder takes a few queries. */
const FOLDERS_PER_PIECE = 50;

const stateOf = ({ album, artist, like }: FolderMusic): Fields => {
  const item = album ?? artist ?? like;
  return {
    starred: item?.likedAt ?? undefined,
    ...(item && starsOf(item)),
    playCount: album?.playCount,
  };
};
