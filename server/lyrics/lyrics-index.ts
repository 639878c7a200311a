// The search index of lyrics. Triggers note tracks whose lyrics changed in `lyrics_pending`; their words are written in
// the background, and those of a few tracks by the next search. The text itself is not stored again.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { whenUnlocked } from '../db/wait-for-unlock.ts';
import { isDatabaseLocked } from '../errors.ts';
import type { TrackLyrics } from '../library/tracks/lyrics.ts';
import type { Log } from '../log/log.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';
import { wordsOfText } from './lyrics-words.ts';

/** The number of tracks per transaction, which takes a few milliseconds. */
const TRACKS_PER_TRANSACTION = 25;
/** A search waits for as many tracks as this, such as for lyrics that were written just now. */
const MAX_TRACKS_PER_SEARCH = 25;

interface LyricsIndexDeps {
  db: MainDb;
  log: Log;
  ofTrack: (id: TrackId) => Pick<TrackLyrics, 'lines'> | undefined;
}

export type LyricsIndex = ReturnType<typeof createLyricsIndex>;

export function createLyricsIndex({ db, log, ofTrack }: LyricsIndexDeps) {
  const client = db.$client;
  const listPending = client
    .prepare<[number], TrackId>('SELECT track_id FROM lyrics_pending ORDER BY track_id LIMIT ?')
    .pluck();
  const deletePending = client.prepare<[TrackId]>('DELETE FROM lyrics_pending WHERE track_id = ?');
  const deleteWords = client.prepare<[TrackId]>('DELETE FROM search_lyrics WHERE rowid = CAST(? AS INTEGER)');
  const insertWords = client.prepare<[TrackId, string]>(
    'INSERT INTO search_lyrics (rowid, text) VALUES (CAST(? AS INTEGER), ?)',
  );
  /** Indexes the next tracks; returns their number. */
  const indexNext = client.transaction((limit: number): number => {
    const ids = listPending.all(limit);
    for (const id of ids) {
      deleteWords.run(id);
      const words = ofTrack(id)?.lines.flatMap(({ text }) => wordsOfText(text)) ?? [];
      if (words.length > 0) insertWords.run(id, words.join(' '));
      deletePending.run(id);
    }
    return ids.length;
  }).immediate;
  let isRunning = false;

  async function indexAll(): Promise<void> {
    for (let count = 1; count > 0;) {
      await yieldIfDue();
      if (!client.open) return;
      count = await whenUnlocked(
        () => indexNext(TRACKS_PER_TRANSACTION),
        () => client.open,
      );
    }
  }

  /** Indexes all tracks whose lyrics changed, in the background. */
  function update(): void {
    if (isRunning) return;
    isRunning = true;
    indexAll()
      .catch((err: unknown) => {
        if (client.open) log.error({ err }, 'lyrics could not be indexed');
      })
      .finally(() => {
        isRunning = false;
      });
  }

  return {
    update,
    /** Indexes a few tracks at once; the others follow in the background. */
    catchUp(): void {
      if (isRunning || listPending.get(1) === undefined) return;
      try {
        if (indexNext(MAX_TRACKS_PER_SEARCH) === MAX_TRACKS_PER_SEARCH) update();
      } catch (error) {
        if (!isDatabaseLocked(error)) throw error;
        update(); // another program holds the database; the search goes without the newest lyrics
      }
    },
  };
}
