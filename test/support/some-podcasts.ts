// Podcasts with episodes, inserted as if their feeds had been read, because servers in tests read no feeds.
import { join } from 'node:path';
import Database from 'better-sqlite3';

const PODCASTS = [
  [
    'Harbour Talk',
    'People who live by the water, and the music they listen to while the boats come in.',
    ['The last ferry', 'Salt in the strings', 'A piano on the pier', 'Fog signals'],
  ],
  [
    'Second Pressing',
    'Two collectors take one record from the shelf and hear it from the first groove to the last.',
    ['Side A: what the sleeve does not say', 'The mastering of a quiet album', 'Live, and nearly lost'],
  ],
] as const;
const ABOUT = 'In this episode we follow a song from the first demo to the record, with those who were in the studio.';
const DAY_MS = 86_400_000;

/** Adds podcasts to the database of a server that may be running. */
export function addPodcasts(dataDir: string, now = Date.now()): void {
  const db = new Database(join(dataDir, 'tonearm.db'));
  const podcast = db.prepare(
    `INSERT INTO podcasts (url, title, description, status, checked_at, created_at)
     VALUES (?, ?, ?, 'completed', ?, ?)`,
  );
  const episode = db.prepare(
    `INSERT INTO podcast_episodes
       (podcast_id, guid, title, description, published_at, audio_url, duration_ms, size_bytes, status, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const [p, [title, about, episodes]] of PODCASTS.entries()) {
    const { lastInsertRowid } = podcast.run(`https://podcasts.example/${p}`, title, about, now, now);
    for (const [n, name] of episodes.entries())
      episode.run(
        lastInsertRowid,
        `${p}-${n}`,
        name,
        n % 2 === 0 ? ABOUT : null,
        now - (7 * n + p) * DAY_MS,
        `https://podcasts.example/${p}/${n}.mp3`,
        (31 + 7 * n) * 60_000,
        (29 + 6 * n) * 1_000_000,
        n === 1 ? 'completed' : 'new',
        now,
      );
  }
  db.close();
}
