// Decides who may read and change a playlist. Other users' private playlists are reported as not found.
import type { Db } from '../db/client.ts';
import type { PlaylistId, UserId } from '../db/ids.ts';
import { conflict, forbidden, notFound } from '../errors.ts';
import { findReadable, type PlaylistSummary } from './queries.ts';

export function getReadable(db: Db, userId: UserId, id: PlaylistId): PlaylistSummary {
  const playlist = findReadable(db, userId, id);
  if (!playlist) throw notFound('playlist', id);
  return playlist;
}

/**
 * Returns a playlist that the user owns. Throws `forbidden` for another user's public playlist, `conflict` if it is not
 * at the expected version.
 */
export function getOwn(db: Db, userId: UserId, id: PlaylistId, expectedVersion?: number): PlaylistSummary {
  const playlist = getReadable(db, userId, id);
  if (playlist.ownerId !== userId) throw forbidden('Only its owner may change this playlist.');
  if (expectedVersion !== undefined && expectedVersion !== playlist.version) {
    throw conflict(`The playlist has changed: it is at version ${playlist.version}, not ${expectedVersion}.`);
  }
  return playlist;
}

/** Throws `conflict` for a smart playlist. */
export function assertOrdinary(playlist: PlaylistSummary): void {
  if (playlist.rules !== null)
    throw conflict('The tracks of a smart playlist come from its rules. Change the rules instead.');
}
