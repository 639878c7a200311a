// Writes the credits of tracks and the people that they name. Runs inside the caller's write transaction. Statements
// are prepared, since a scan calls this code per file.
import type { Sqlite } from '../../db/client.ts';
import type { PersonId, TrackId } from '../../db/ids.ts';
import type { MoreTags } from '../../db/more-tags.ts';
import { sortKey } from '../tracks/sort-and-identity-keys.ts';
import { creditsOf, type TrackCredit } from './track-credits.ts';

export type CreditWriter = ReturnType<typeof createCreditWriter>;

export function createCreditWriter(client: Sqlite) {
  const insertCredit = client.prepare(
    'INSERT INTO track_credits (track_id, position, role, person_id, instrument) VALUES (?, ?, ?, ?, ?)',
  );
  const deleteCredits = client.prepare('DELETE FROM track_credits WHERE track_id = ?');
  const findCredit = client.prepare<[TrackId]>('SELECT 1 FROM track_credits WHERE track_id = ? LIMIT 1');
  const findPerson = client.prepare<[string], PersonId>('SELECT id FROM people WHERE name_key = ?').pluck();
  const insertPerson = client.prepare('INSERT INTO people (name, name_key, name_sort) VALUES (?, ?, ?)');
  const findTags = client.prepare<[TrackId], { composer: string | null; tags: string | null }>(
    'SELECT t.composer, m.tags FROM tracks t LEFT JOIN more_tags m ON m.track_id = t.id WHERE t.id = ?',
  );

  const idOf = ({ name, nameKey, sortName }: TrackCredit): PersonId =>
    findPerson.get(nameKey) ?? (Number(insertPerson.run(name, nameKey, sortKey(sortName)).lastInsertRowid) as PersonId);

  /** Inserts the credits of a track that has none yet. */
  function add(id: TrackId, composer: string | null | undefined, moreTags: MoreTags | null | undefined): void {
    creditsOf(composer, moreTags).forEach((credit, position) => {
      insertCredit.run(id, position, credit.role, idOf(credit), credit.instrument);
    });
  }

  function addStored(id: TrackId): void {
    const row = findTags.get(id);
    if (row) add(id, row.composer, row.tags === null ? null : (JSON.parse(row.tags) as MoreTags));
  }

  return {
    add,
    /** Replaces the credits of a track by those of its stored tags. */
    update(id: TrackId): void {
      deleteCredits.run(id);
      addStored(id);
    },
    /** Adds the credits of a track that came back from the trash of an earlier version, which stored none. */
    complete(id: TrackId): void {
      if (findCredit.get(id) === undefined) addStored(id);
    },
  };
}
