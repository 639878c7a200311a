// Writes the tag values of tracks. Runs inside the caller's write transaction.
import type { Sqlite } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import type { MoreTags } from '../../db/more-tags.ts';
import { tagValuesOf } from './tag-values.ts';

export function createTagWriter(client: Sqlite) {
  const insertValue = client.prepare(
    'INSERT INTO track_tags (track_id, position, tag, value, value_key) VALUES (?, ?, ?, ?, ?)',
  );
  const deleteValues = client.prepare('DELETE FROM track_tags WHERE track_id = ?');
  const findValue = client.prepare<[TrackId]>('SELECT 1 FROM track_tags WHERE track_id = ? LIMIT 1');
  const findTags = client.prepare<[TrackId], string>('SELECT tags FROM more_tags WHERE track_id = ?').pluck();

  /** Adds the values of a new track. */
  const add = (id: TrackId, moreTags: MoreTags): void =>
    tagValuesOf(moreTags).forEach(({ tag, value, valueKey }, position) =>
      insertValue.run(id, position, tag, value, valueKey),
    );

  /** Replaces the values of a track. */
  function set(id: TrackId, moreTags: MoreTags | null): void {
    deleteValues.run(id);
    if (moreTags) add(id, moreTags);
  }

  /** Replaces the values of a track by those of its stored tags. */
  function update(id: TrackId): void {
    const tags = findTags.get(id);
    set(id, tags === undefined ? null : (JSON.parse(tags) as MoreTags));
  }

  return {
    add,
    set,
    update,
    /** Adds the values of a track that came back from the trash of an earlier version, which stored none. */
    complete(id: TrackId): void {
      if (findValue.get(id) === undefined) update(id);
    },
  };
}
