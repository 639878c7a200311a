// Moves the MusicBrainz artist that a person chose when the tracks get another artist. Runs inside the caller's
// transaction.
import { z } from 'zod';
import type { Sqlite } from '../db/client.ts';
import type { RowAs } from '../db/rows.ts';
import type { artistIdentities } from '../db/schema.ts';
import type { AnnotationPart } from '../library/tracks/annotations.ts';

/** Undefined when nobody has chosen a MusicBrainz artist. */
const Memory = z.object({ mbid: z.string().nullable() }).optional().catch(undefined); // a backup may contain any value

export function createChosenIdentityMoves(client: Sqlite): AnnotationPart {
  const findChosen = client.prepare<[number], RowAs<typeof artistIdentities, 'mbid'>>(
    `SELECT i.mbid FROM artists x JOIN artist_identities i ON i.artist_key = x.name_key
      WHERE x.id = ? AND i.is_manual = 1`,
  );
  const copy = client.prepare<{ from: number; to: number }>(
    `INSERT OR REPLACE INTO artist_identities (artist_key, mbid, is_manual, failures, due_at, asked_album_id)
    SELECT target.name_key, i.mbid, i.is_manual, i.failures, i.due_at, i.asked_album_id FROM artists x
      JOIN artist_identities i ON i.artist_key = x.name_key JOIN artists target ON target.id = @to
    WHERE x.id = @from`,
  );
  const remove = client.prepare<[number]>(
    'DELETE FROM artist_identities WHERE artist_key = (SELECT name_key FROM artists WHERE id = ?)',
  );

  return {
    name: 'identity',
    move({ type, from, to, holder, memory }): z.output<typeof Memory> {
      const chosenIdentity = type === 'artist' ? findChosen.get(holder) : undefined;
      const movedIdentity = Memory.parse(memory);
      if (!chosenIdentity || (holder !== from && movedIdentity?.mbid !== chosenIdentity.mbid)) return movedIdentity;
      if (findChosen.get(to)) return undefined;
      copy.run({ from: holder, to });
      return chosenIdentity;
    },
    takeBack({ type, holder, memory }): void {
      const movedIdentity = Memory.parse(memory);
      if (type === 'artist' && movedIdentity && findChosen.get(holder)?.mbid === movedIdentity.mbid) remove.run(holder);
    },
  };
}
