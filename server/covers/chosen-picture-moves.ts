// Moves chosen covers and pictures of artists when the tracks get another album or artist. A moved cover waits in
// former_covers until the cover task stores it under the key of its new album. Runs inside the caller's transaction.
import { z } from 'zod';
import type { Sqlite } from '../db/client.ts';
import type { RowAs } from '../db/rows.ts';
import type { albumCovers, artistPictures, artists } from '../db/schema.ts';
import type { AnnotationMove, AnnotationPart } from '../library/tracks/annotations.ts';

/** Hash of the picture that moved; null if a person wants no picture. Undefined if nothing was chosen. */
const Memory = z.object({ etag: z.string().nullable() }).optional().catch(undefined); // a backup may contain any value

export function createChosenPictureMoves({
  client,
  now,
  onCoverMoved,
}: {
  client: Sqlite;
  now: () => Date;
  onCoverMoved: () => void;
}): AnnotationPart {
  const findChosenCover = client.prepare<[number], RowAs<typeof albumCovers, 'etag'>>(
    "SELECT etag FROM album_covers WHERE album_id = ? AND origin = 'manual'",
  );
  const findFormer = client.prepare<[number], RowAs<typeof albumCovers, 'etag'>>(
    'SELECT etag FROM former_covers WHERE successor_id = ?',
  );
  const redirectFormer = client.prepare<[number, number], RowAs<typeof albumCovers, 'etag'>>(
    'UPDATE former_covers SET successor_id = ? WHERE album_id = ? AND found_in IS NULL RETURNING etag',
  );
  const insertFormer = client.prepare<{ from: number; to: number; holder: number; at: number }>(
    `INSERT INTO former_covers (album_id, title_sort, artist_key, year, key, etag, removed_at, successor_id)
    SELECT @from, a.title_sort, (SELECT name_key FROM artists WHERE id = a.artist_id), a.year, c.key, c.etag, @at, @to
    FROM album_covers c JOIN albums a ON a.id = c.album_id WHERE c.album_id = @holder`,
  );
  const deleteCover = client.prepare<[number]>('DELETE FROM album_covers WHERE album_id = ?');
  const findArtist = client.prepare<[number], RowAs<typeof artists, 'nameKey'>>(
    'SELECT name_key AS nameKey FROM artists WHERE id = ?',
  );
  const findChosenPicture = client.prepare<[string], RowAs<typeof artistPictures, 'etag'>>(
    "SELECT etag FROM artist_pictures WHERE artist_key = ? AND is_current = 1 AND origin = 'manual'",
  );
  const deletePictures = client.prepare<[string]>('DELETE FROM artist_pictures WHERE artist_key = ?');
  const copyPictures = client.prepare<[string, string]>(
    `INSERT INTO artist_pictures (artist_key, is_current, key, etag, origin, source, credit, set_at)
    SELECT ?, is_current, key, etag, origin, source, credit, set_at FROM artist_pictures WHERE artist_key = ?`,
  );
  const artistKeyOf = (artistId: number): string | undefined => findArtist.get(artistId)?.nameKey;

  /**
   * Returns whether the holder still shows the picture that was moved to it. For the original owner it is always true.
   */
  const isMovedPicture = ({ from, holder, memory }: AnnotationMove, etag: string | null): boolean =>
    holder === from || Memory.parse(memory)?.etag === etag;

  function moveCover(move: AnnotationMove): z.output<typeof Memory> {
    const { from, to, holder, memory } = move;
    const targetCover = findChosenCover.get(to) ?? findFormer.get(to);
    if (targetCover) {
      const { etag } = (holder === from ? findChosenCover.get(from) : Memory.parse(memory)) ?? {};
      if (etag !== targetCover.etag) return undefined;
      if (holder === from) deleteCover.run(from);
      return { etag };
    }
    let etag = redirectFormer.all(to, from)[0]?.etag;
    if (etag === undefined) {
      const chosenCover = findChosenCover.get(holder);
      if (!chosenCover || !isMovedPicture(move, chosenCover.etag)) return Memory.parse(memory);
      insertFormer.run({ from, to, holder, at: now().getTime() });
      if (holder === from) deleteCover.run(from);
      etag = chosenCover.etag;
    }
    deleteCover.run(to); // a found cover gives way to a chosen one
    onCoverMoved();
    return { etag };
  }

  function movePicture(move: AnnotationMove): z.output<typeof Memory> {
    const { to, holder, memory } = move;
    const [source, target] = [artistKeyOf(holder), artistKeyOf(to)];
    const chosenPicture = source === undefined ? undefined : findChosenPicture.get(source);
    if (source === undefined || target === undefined || !chosenPicture || !isMovedPicture(move, chosenPicture.etag))
      return Memory.parse(memory);
    if (findChosenPicture.get(target)) return undefined;
    deletePictures.run(target);
    copyPictures.run(target, source);
    return { etag: chosenPicture.etag };
  }

  return {
    name: 'pictures',
    move: (move) => (move.type === 'album' ? moveCover(move) : movePicture(move)),
    /** Deletes the picture that an artist received. Covers of albums stay, because the other album got a copy. */
    takeBack({ type, holder, memory }): void {
      const movedPicture = Memory.parse(memory);
      const key = type === 'artist' && movedPicture ? artistKeyOf(holder) : undefined;
      if (key !== undefined && findChosenPicture.get(key)?.etag === movedPicture?.etag) deletePictures.run(key);
    },
  };
}
