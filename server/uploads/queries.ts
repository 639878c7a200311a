// Finds tracks by the content of their file, and by their source.
import type { Sqlite } from '../db/client.ts';
import type { RowOf } from '../db/rows.ts';
import type { tracks } from '../db/schema.ts';

export function prepareFindUploaded(client: Sqlite) {
  const findByContent = client.prepare<[string], RowOf<typeof tracks, 'id'>>(
    "SELECT id FROM tracks WHERE content_hash = ? AND availability = 'available' ORDER BY id LIMIT 1",
  );
  const findBySource = client.prepare<[string, string], RowOf<typeof tracks, 'id'>>(
    'SELECT id FROM tracks WHERE source = ? AND source_id = ?',
  );
  return { findByContent, findBySource };
}
