// A file that was not there when somebody wanted to hear it: its track is missing from now on. The scan is told,
// because it would otherwise find an unchanged folder when the file is back, pass it over, and leave the track missing.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';

export function createLostFiles({ db }: { db: MainDb }) {
  const mark = db.$client.prepare<[TrackId], { folder_id: number }>(`UPDATE source_files SET state = 'gone'
    WHERE state = 'track' AND track_id = (SELECT id FROM tracks WHERE id = ? AND storage_uri LIKE 'file:%') RETURNING folder_id`);
  const unsettle = db.$client.prepare<[number]>('UPDATE source_folders SET signature = NULL WHERE id = ?');
  return {
    note: db.$client.transaction((id: TrackId): void => {
      for (const { folder_id } of mark.all(id)) unsettle.run(folder_id);
    }).immediate,
  };
}
