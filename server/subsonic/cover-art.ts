// Finds the image for an id. A playlist's image is a mosaic of the covers of its first songs.
import type { Request, Response } from 'express';
import { mosaicOf, type ShownCover } from '../covers/mosaic.ts';
import type { SizedFormat } from '../covers/picture.ts';
import type { PlaceholderCovers } from '../covers/placeholder-covers.ts';
import { sendCover } from '../covers/send-cover.ts';
import type { CoverService } from '../covers/service.ts';
import type { PlaylistId, UserId } from '../db/ids.ts';
import { AppError } from '../errors.ts';
import type { LibraryService } from '../library/service.ts';
import type { PlaylistService } from '../playlists/service.ts';
import type { PodcastService } from '../podcasts/service.ts';
import type { ItemId } from './ids.ts';
import type { CoverSource } from './endpoints/media-retrieval.ts';

export interface CoverArtDeps {
  covers: CoverService;
  placeholders: Pick<PlaceholderCovers, 'sendOfTrack' | 'sendOfAlbum' | 'sendPicture'>;
  library: Pick<LibraryService, 'folders'>;
  playlists: Pick<PlaylistService, 'entries'>;
  podcasts: Pick<PodcastService, 'pictureOf' | 'podcastOf'>;
}

const MAX_MOSAIC_SONGS = 30;

export function createCoverArt({ covers, placeholders, library, playlists, podcasts }: CoverArtDeps): CoverSource {
  async function ofPlaylist(userId: UserId, id: PlaylistId): Promise<ShownCover | undefined> {
    const { items } = await playlists.entries(userId, id, { limit: MAX_MOSAIC_SONGS, offset: 0 });
    return mosaicOf(
      `playlist-${id}`,
      items.map(({ track }) => covers.find.ofTrack(track.id)).filter((cover) => cover !== undefined),
    );
  }

  async function findCover(item: ItemId, userId: UserId): Promise<ShownCover | undefined> {
    if (item.kind === 'album') return covers.find.ofAlbum(item.id);
    if (item.kind === 'track') return covers.find.ofTrack(item.id);
    if (item.kind === 'artist') return covers.find.ofArtist(item.id);
    if (item.kind === 'playlist') return ofPlaylist(userId, item.id).catch(undefinedIfHidden);
    const folder = item.kind === 'folder' ? library.folders.find(item.id) : undefined;
    const music = folder && library.folders.musicOf(folder);
    if (music) return 'albumId' in music ? covers.find.ofAlbum(music.albumId) : covers.find.ofArtist(music.artistId);
    const firstTrackId = folder && library.folders.firstTrackBelow(folder);
    return firstTrackId && covers.find.ofTrack(firstTrackId);
  }

  async function sendPlaceholder(req: Request, res: Response, item: ItemId, format: SizedFormat): Promise<boolean> {
    if (item.kind === 'track') return placeholders.sendOfTrack(req, res, item.id, format);
    if (item.kind === 'podcast' || item.kind === 'episode') {
      const podcast = item.kind === 'podcast' ? item.id : podcasts.podcastOf(item.id);
      const picture = podcast && podcasts.pictureOf(podcast);
      return picture !== undefined && placeholders.sendPicture(req, res, picture, format);
    }
    return item.kind === 'album' && placeholders.sendOfAlbum(req, res, item.id, format);
  }

  return {
    find: findCover,
    send: (req, res, cover, size, format) => sendCover(covers, req, res, cover, size, { format }),
    sendPlaceholder,
  };
}

/** Returns undefined for another user's private playlist, as if it did not exist. */
function undefinedIfHidden(error: unknown): undefined {
  if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  return undefined;
}
