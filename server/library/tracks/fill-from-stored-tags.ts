// Fills the credits and the tag values of tracks that an earlier version stored, from their stored tags: in small
// steps in the background, and across restarts. Until all are filled, pages of people and filters by tags show a part
// of their music.
import type { MainDb } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import type { creditsFill } from '../../db/schema.ts';
import { whenUnlocked } from '../../db/wait-for-unlock.ts';
import type { Log } from '../../log/log.ts';
import { yieldIfDue } from '../../runtime/time-slices.ts';
import type { TrackWriter } from './track-writer.ts';

/** The number of ids per transaction, which takes a few ms. */
const IDS_PER_TRANSACTION = 200;

interface FillDeps {
  db: MainDb;
  tracks: Pick<TrackWriter, 'updateFromStoredTags'>;
  log: Log;
}

/** Resolves when all tracks are done or the database was closed. */
export async function fillFromStoredTags({ db, tracks, log }: FillDeps): Promise<void> {
  const client = db.$client;
  const progress = client
    .prepare<[], RowAs<typeof creditsFill, 'lastId' | 'upToId'>>(
      'SELECT last_id AS lastId, up_to_id AS upToId FROM credits_fill',
    )
    .get();
  if (!progress) return;
  log.info({ up_to: progress.upToId }, 'reading the credits and tags of tracks that an earlier version stored');
  const listIds = client
    .prepare<[number, number], TrackId>(
      `SELECT t.id FROM tracks t LEFT JOIN more_tags m ON m.track_id = t.id
        WHERE t.id > ? AND t.id <= ? AND (t.composer IS NOT NULL OR m.track_id IS NOT NULL)`,
    )
    .pluck();
  const saveProgress = client.prepare('UPDATE credits_fill SET last_id = ?');
  const fillNext = client.transaction((afterId: number): void => {
    for (const id of listIds.all(afterId, afterId + IDS_PER_TRANSACTION)) tracks.updateFromStoredTags(id);
    saveProgress.run(afterId + IDS_PER_TRANSACTION);
  }).immediate;
  const finish = client.transaction((): void => {
    client.exec('DELETE FROM credits_fill');
    // cached lists are incomplete
    client.exec("UPDATE change_counts SET changes = changes + 1 WHERE topic = 'library'");
  }).immediate;

  for (let lastId = progress.lastId; lastId < progress.upToId; lastId += IDS_PER_TRANSACTION) {
    await yieldIfDue();
    if (!client.open) return;
    await whenUnlocked(
      () => fillNext(lastId),
      () => client.open,
    );
  }
  if (!client.open) return;
  await whenUnlocked(finish, () => client.open);
  log.info({}, 'the credits and tags of all tracks have been read');
}
