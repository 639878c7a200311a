// Resolves ids to items. Clients in folder mode know an album or artist by its folder only, so a folder that contains
// one album, or the music of one artist, counts as that album or artist wherever an id is accepted.
import type { AlbumId, ArtistId, PlaylistId, TrackId, UserId } from '../db/ids.ts';
import type { ItemType } from '../db/schema.ts';
import { AppError, notFound } from '../errors.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { FolderRef } from '../library/folders/folders.ts';
import type { FolderLike } from '../likes/folder-likes.ts';
import type { LibraryService } from '../library/service.ts';
import type { PlaylistService } from '../playlists/service.ts';
import { mapInSlices } from '../runtime/time-slices.ts';
import { Fault, noneExists } from './errors.ts';
import { idOf, parseId, toId, toPrintable, type ItemId, type Kind } from './ids.ts';
import { ALL, pagesOf } from './list-slices.ts';
import { keyOfFolder, type FolderScopeDeps } from './music-folders.ts';

/** The id of the first music folder; clients also send the ids of getMusicFolders. */
export const ROOT_ID = 'dir-0';
/** Ids that clients take for the root, even before its first scan. */
const ROOT_IDS: ReadonlySet<string> = new Set([ROOT_ID, '1', '0', '-1']);
export const isRootId = (text: string): boolean => ROOT_IDS.has(text);

/** The folder of the music outside of all music folders. */
export const UPLOADS_ID = 'up-0';
export const UPLOADS_NAME = 'Uploads';
/** The id under which its star and rating are stored. */
export const UPLOADS_FOLDER = 0;
export const uploadsFolderOf = (like: Pick<FolderLike, 'likedAt' | 'rating'>) => ({
  id: UPLOADS_ID,
  name: UPLOADS_NAME,
  parent: ROOT_ID,
  coverArt: UPLOADS_ID,
  like,
});

/** An item with a star and a rating; `folder` is one with the music of several artists. */
export interface Likable {
  itemType: ItemType | 'folder';
  itemId: number;
}

export interface ItemDeps extends FolderScopeDeps {
  library: LibraryService;
  playlists: Pick<PlaylistService, 'get' | 'allEntries'>;
}

export type Items = ReturnType<typeof createItems>;

export function createItems({ library, playlists, musicFolders }: ItemDeps) {
  const { folders } = library;

  /** Looks a folder up by its id or by that of its music folder. */
  function lookUpFolder(text: string): FolderRef | undefined {
    const digits = isRootId(text) ? '1' : text;
    const key = /^\d{1,9}$/.test(digits) ? keyOfFolder({ musicFolders }, Number(digits)) : undefined;
    const root = key === undefined ? undefined : folders.root(key);
    return root || parseId(text)?.kind !== 'folder' ? root : folders.find(idOf('folder', text));
  }

  /**
   * Returns the folder with this id; undefined for the id of something else. Throws 70 for a folder that does not
   * exist.
   */
  function findFolder(text: string): FolderRef | undefined {
    const folder = lookUpFolder(text);
    if (!folder && parseId(text)?.kind === 'folder') throw notFound('folder', text);
    return folder;
  }

  /** Returns the item with this id; undefined for unknown folders and for texts that are not an id. */
  function findItem(text: string): ItemId | undefined {
    const folder = lookUpFolder(text);
    if (folder) return { kind: 'folder', id: folder.id };
    const item = parseId(text);
    return item?.kind === 'folder' ? undefined : item;
  }

  /**
   * Does the same as `findItem`, but returns the album or artist that a folder contains; a folder of several artists
   * stays a folder.
   */
  function findMusic(text: string): ItemId | undefined {
    const folder = lookUpFolder(text);
    const music = folder && folders.musicOf(folder);
    if (!music) return findItem(text);
    return 'albumId' in music ? { kind: 'album', id: music.albumId } : { kind: 'artist', id: music.artistId };
  }

  /** Does the same as `findMusic`, but throws 70 if there is no such item. */
  const resolve = (text: string): ItemId => findMusic(text) ?? failUnknown(text);

  function failUnknown(text: string): never {
    findFolder(text);
    throw notFound('item', toPrintable(text));
  }

  /** Returns the id of an album or artist, also for its folder. Throws 70 for another kind. */
  function idAs<K extends 'album' | 'artist'>(kind: K, text: string): ReturnType<typeof idOf<K>> {
    const item = resolve(text);
    return idOf(kind, item.kind === kind ? toId(item.kind, item.id as never) : text);
  }

  /** Returns the album of an album or song; undefined for a folder of several albums and a song without an album. */
  function albumOf(userId: UserId, text: string): AlbumId | undefined {
    const item = resolve(text);
    if (item.kind === 'track') return library.getTrack(userId, item.id).albumId ?? undefined;
    const isMixedFolder = isFolder(item) || (item.kind === 'artist' && findFolder(text) !== undefined);
    return isMixedFolder ? undefined : idAs('album', text);
  }

  /** Returns the artist of an artist, an album or a song. */
  function artistOf(userId: UserId, text: string): ArtistId {
    const item = resolve(text);
    const id =
      item.kind === 'track'
        ? library.getTrack(userId, item.id).artistId
        : item.kind === 'album'
          ? library.getAlbum(userId, item.id).artistId
          : item.kind === 'artist'
            ? item.id
            : undefined;
    if (id === undefined || id === null) throw isFolder(item) ? mixedFolderFault() : notFound('artist', text);
    return id;
  }

  const listInFolder = (userId: UserId, { path }: FolderRef, page: Page): Promise<Paged<{ id: TrackId }>> =>
    library.listTracks(userId, { folder: { path, isRecursive: true } }, { sort: 'path' }, page);
  const pagesOfAlbum = (userId: UserId, albumId: AlbumId) =>
    pagesOf(
      ALL,
      async (page) => (await library.listTracks(userId, { albumId, bestOnly: true }, { sort: 'album' }, page)).items,
    );
  const pagesOfArtist = (userId: UserId, artistId: ArtistId) =>
    pagesOf(ALL, async (page) => (await library.listTracks(userId, { artistId }, { sort: 'album' }, page)).items);

  /** Counts the tracks of a playlist; none for one that does not exist for the user. */
  async function countPlaylist(userId: UserId, id: PlaylistId): Promise<number> {
    try {
      return (await playlists.get(userId, id)).trackCount;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return 0;
      throw error;
    }
  }

  return {
    findFolder,
    findItem,
    resolve,
    idAs,
    albumOf,
    artistOf,

    /** Returns the item if it can be liked and rated; with `only`, if it also is of that kind. */
    findLikable(text: string, only?: Likable['itemType']): Likable | undefined {
      const item = findMusic(text);
      if (item === undefined) return undefined;
      const itemType = isFolder(item) ? 'folder' : item.kind;
      if (only !== undefined && itemType !== only) return undefined;
      return itemType === 'track' || itemType === 'album' || itemType === 'artist' || itemType === 'folder'
        ? { itemType, itemId: item.id }
        : undefined;
    },
    /** Returns whether the folder holds the music of several artists, so that it is neither an album nor an artist. */
    isMixedFolder(text: string): boolean {
      const item = findMusic(text);
      return item !== undefined && isFolder(item);
    },

    /** Counts the tracks of an item without reading them; none for an unknown item. */
    async countOf(userId: UserId, item: ItemId): Promise<number> {
      if (item.kind === 'track') return library.tracksById(userId, [item.id]).length;
      if (item.kind === 'album') return library.albumsById(userId, [item.id])[0]?.trackCount ?? 0;
      if (item.kind === 'artist') return library.artistsById(userId, [item.id])[0]?.trackCount ?? 0;
      if (item.kind === 'playlist') return await countPlaylist(userId, item.id);
      const folder = item.kind === 'folder' ? folders.find(item.id) : undefined;
      return folder ? (await listInFolder(userId, folder, { limit: 1, offset: 0 })).total : 0;
    },

    /** Yields the item's tracks that exist, in order. */
    async *tracksOf(userId: UserId, item: ItemId): AsyncGenerator<TrackId> {
      if (item.kind === 'track') yield* library.tracksById(userId, [item.id]).map(({ id }) => id);
      if (item.kind === 'album')
        for await (const page of pagesOfAlbum(userId, item.id)) yield* page.map(({ id }) => id);
      if (item.kind === 'artist')
        for await (const page of pagesOfArtist(userId, item.id)) yield* page.map(({ id }) => id);
      if (item.kind === 'playlist')
        for await (const part of playlists.allEntries(userId, await playlists.get(userId, item.id)))
          yield* part.map(({ track }) => track.id);
      const folder = item.kind === 'folder' ? folders.find(item.id) : undefined;
      if (!folder) return;
      for await (const part of pagesOf(ALL, async (page) => (await listInFolder(userId, folder, page)).items))
        yield* part.map(({ id }) => id);
    },

    /**
     * Returns the songs of a list, including those of its albums, artists and folders. Unknown ids are left out. Throws
     * 70 if no song is left of a list with ids.
     */
    async songsOf(userId: UserId, texts: readonly string[], max: number): Promise<TrackId[]> {
      const items = await mapInSlices(texts, parseId);
      const existingIds = await library.findExistingTracks(
        items.flatMap((item) => (item?.kind === 'track' ? [item.id] : [])),
      );
      const songs: TrackId[] = [];
      for (const item of items) {
        if (item?.kind === 'track') {
          if (existingIds.has(item.id)) songs.push(item.id);
        } else if (item && SONG_CONTAINERS.has(item.kind))
          for await (const id of this.tracksOf(userId, item)) songs.push(id);
        if (songs.length > max) throw new Fault(0, `These are more than ${max} songs.`);
      }
      if (texts.length > 0 && songs.length === 0) throw noneExists('song', texts);
      return songs;
    },
  };
}

const SONG_CONTAINERS: ReadonlySet<Kind> = new Set<Kind>(['album', 'artist', 'folder']);

const isFolder = ({ kind }: ItemId): boolean => kind === 'folder' || kind === 'uploads';

const mixedFolderFault = (): Fault =>
  new Fault(0, 'This folder holds the music of several artists, so it is neither an album nor an artist.');
