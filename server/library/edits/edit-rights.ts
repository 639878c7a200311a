// Decides who may edit, merge or delete tracks. Users with the right may change everything; others may change what they
// uploaded themselves, as long as nobody else has it in a playlist or liked it. Every route that writes tracks checks
// this.
import type { Database } from 'better-sqlite3';
import type { AlbumId, TrackId } from '../../db/ids.ts';
import { RIGHTS } from '../../db/rights.ts';
import { AppError } from '../../errors.ts';
import type { Principal } from '../../http/route.ts';

export type Editing = ReturnType<typeof createEditing>;
type Editor = Pick<Principal, 'id' | 'rights'>;

export function createEditing(client: Database) {
  const IS_FOREIGN = `(t.uploaded_by IS NOT @userId
      OR EXISTS (SELECT 1 FROM playlist_entries e JOIN playlists p ON p.id = e.playlist_id
        WHERE e.track_id = t.id AND p.owner_id <> @userId AND p.deleted_at IS NULL)
      OR EXISTS (SELECT 1 FROM like_states l WHERE l.user_id IN (SELECT id FROM users WHERE id <> @userId)
        AND l.item_type = 'track' AND l.item_id = t.id AND l.liked = 1))`;
  const findForeignTrack = client
    .prepare<[{ userId: number; ids: string }], number>(
      `SELECT 1 FROM json_each(@ids) i JOIN tracks t ON t.id = i.value WHERE ${IS_FOREIGN} LIMIT 1`,
    )
    .pluck();
  const findForeignAlbum = client
    .prepare<[{ userId: number; albumId: number }], number>(
      `SELECT 1 FROM tracks t WHERE t.album_id = @albumId AND ${IS_FOREIGN}
      UNION ALL SELECT 1 FROM like_states l WHERE l.user_id IN (SELECT id FROM users WHERE id <> @userId)
        AND l.item_type = 'album' AND l.item_id = @albumId AND l.liked = 1 LIMIT 1`,
    )
    .pluck();

  const mayEdit = (user: Editor, trackIds: readonly TrackId[]): boolean =>
    user.rights.canEdit || findForeignTrack.get({ userId: user.id, ids: JSON.stringify(trackIds) }) === undefined;

  return {
    /** Returns whether the user may edit these tracks. Unknown ids are ignored. */
    mayEdit,
    /** Throws `forbidden` if the user may not edit one of the tracks. */
    assertTracks(user: Editor, trackIds: readonly TrackId[]): void {
      if (!mayEdit(user, trackIds)) throw refusalToEdit('these tracks');
    },
    /** Throws `forbidden` if the user may not edit the album. An album without tracks has no owner. */
    assertAlbum(user: Editor, albumId: AlbumId): void {
      if (!user.rights.canEdit && findForeignAlbum.get({ userId: user.id, albumId }) !== undefined)
        throw refusalToEdit('this album');
    },
  };
}

const refusalToEdit = (itemName: string): AppError =>
  new AppError(
    'forbidden',
    `Your account may edit and delete only what it uploaded itself, while nobody else has it in a playlist or liked ` +
      `it; for ${itemName} it needs the right ${RIGHTS.canEdit.name}, which an administrator can give.`,
    { fields: [{ field: RIGHTS.canEdit.name, message: 'is needed' }] },
  );
