// Who may read and change a playlist. Another person's private list is not found, because its owner is part of the
// question.
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
 * Throws `forbidden` for a public playlist of somebody else, `conflict` when it is not at the version that the caller
 * saw.
 */
export function getOwn(db: Db, userId: UserId, id: PlaylistId, expectedVersion?: number): PlaylistSummary {
  const playlist = getReadable(db, userId, id);
  if (playlist.ownerId !== userId) throw forbidden('Only its owner may change this playlist.');
  if (expectedVersion !== undefined && expectedVersion !== playlist.version) {
    throw conflict(`The playlist was changed meanwhile: it has version ${playlist.version}, not ${expectedVersion}.`);
  }
  return playlist;
}

/** Its entries are its own, not computed. */
export function assertOrdinary(playlist: PlaylistSummary): void {
  if (playlist.rules !== null)
    throw conflict('This is a smart playlist: its tracks follow from its rules. Change the rules instead.');
}
