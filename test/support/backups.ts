// Makes a library with user data and backups of it, and compares databases completely.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { BackupResult } from '../../server/backup/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import { allTracks } from './served-library.ts';
import { registerUser, startServer, type TestServer } from './server.ts';

export const LISTENER = { username: 'listener', password: 'long enough password' };

interface LivelyOptions {
  music: string;
  dir: string;
  env?: Record<string, string>;
}

/**
 * Starts a server and scans the music; two users like, rate, play and create playlists, with versions and a deleted
 * one.
 */
export async function livelyServer({ music, dir, env = {} }: LivelyOptions): Promise<TestServer> {
  const server = await startServer({ dir, env: { LOCAL_MEDIA_IMPORT_PATH: music, ...env } });
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  const listener = await registerUser(server, LISTENER.username);
  const tracks = await allTracks(server);
  const post = async (path: string, body: object, token?: string): Promise<{ body: Record<string, unknown> }> => {
    const response = await server.api<Record<string, unknown>>(path, {
      method: 'POST',
      body,
      ...(token !== undefined && { token }),
    });
    if (response.status >= 400) throw new Error(`${path}: ${response.text}`);
    return response;
  };
  for (const [n, track] of tracks.slice(0, 12).entries()) {
    await post(
      '/likes',
      { item_type: 'track', item_id: track.id, liked: n % 3 > 0, rating: n % 6 },
      n % 2 ? listener : undefined,
    );
    await post(
      '/history',
      { track_id: track.id, played_at: new Date(Date.UTC(2026, 0, 1, n)).toISOString(), played_ms: 200_000 },
      n % 2 ? undefined : listener,
    );
  }
  const ids = tracks.map(({ id }) => id);
  const { body: list } = await post('/playlists', { name: 'Road: "1/2"', track_ids: ids.slice(0, 5) });
  const { body: playlistWithTracks } = await post(`/playlists/${String(list['id'])}/tracks`, {
    track_ids: ids.slice(5, 9),
    position: 2,
  });
  const [firstEntry] = playlistWithTracks['entries'] as { entry_id: number }[];
  await server.api(`/playlists/${String(list['id'])}/entries/${firstEntry?.entry_id}`, { method: 'DELETE' });
  await post(
    '/playlists',
    { name: 'Loud', rules: { all: [{ field: 'year', op: 'greater_than', value: 1900 }] } },
    listener,
  );
  const { body: deletedPlaylist } = await post('/playlists', { name: 'Gone', track_ids: ids.slice(0, 2) }, listener);
  await server.api(`/playlists/${String(deletedPlaylist['id'])}`, { method: 'DELETE', token: listener });
  return server;
}

/** Makes a backup; returns its result, or the error of a job that failed. */
export async function makeBackup(
  server: TestServer,
  to?: string,
): Promise<BackupResult & { error: string | null; status: string }> {
  const { body } = await server.api<JobOut>('/backups', { method: 'POST', body: to === undefined ? {} : { to } });
  await server.app.drain();
  const { body: job } = await server.api<JobOut>(`/jobs/${body.id}`);
  if (job.status === 'waiting') await server.api(`/jobs/${body.id}`, { method: 'DELETE' });
  return { ...(job.result as BackupResult), error: job.error, status: job.status };
}

/** Tables that are not compared: jobs, which a restored server does not continue, and derived data. */
const UNCOMPARED_TABLES = [
  'jobs',
  'sessions', // sessions are restored only with the keys
  'sqlite_sequence',
  'sqlite_stat1',
  'sqlite_stat4',
  'verify_runs',
  'orphaned_covers',
  'change_counts',
  'search_rebuild',
  'search_words',
  'lyrics_pending',
];
const OF_THE_SEARCH = /^search_(?:grams|trigrams|lyrics)_/;

/** Returns every row of every table. */
export function rowsIn(dataDir: string): Record<string, unknown[]> {
  const db = new Database(join(dataDir, 'tonearm.db'), { readonly: true });
  try {
    const tables = db
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
      )
      .pluck()
      .all()
      .filter((name) => !UNCOMPARED_TABLES.includes(name) && !OF_THE_SEARCH.test(name));
    // excludes totals that have become zero
    const conditionFor = (name: string): string => (name === 'library_totals' ? ' WHERE tracks > 0' : '');
    return Object.fromEntries(
      tables.map((name) => [name, db.prepare(`SELECT * FROM "${name}"${conditionFor(name)}`).all()]),
    );
  } finally {
    db.close();
  }
}

/** Returns relative path and hash of every file below a folder. */
export function filesIn(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    // the next start of a library marks its storage
    .filter((entry) => entry.isFile() && entry.name !== 'library.json')
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return Object.fromEntries(
    files.map((path) => [
      path.slice(folder.length + 1).replaceAll('\\', '/'),
      createHash('sha256').update(readFileSync(path)).digest('hex'),
    ]),
  );
}
