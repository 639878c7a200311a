// Finds tracks by words of their lyrics: first those where the words follow each other, then those that have all of
// them somewhere; most played tracks first.
import type { TrackId, UserId } from '../db/ids.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { ReadAside } from '../library/lists/list-pages.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import type { LibraryService } from '../library/service.ts';
import type { LyricsIndex } from './lyrics-index.ts';
import { findMatchingLine, matchesOf, parseWordQuery } from './lyrics-words.ts';

/** Maximum number of results that are ranked and counted: nobody pages further. */
const MAX_LYRICS_RESULTS = 1_000;

export interface LyricsHit {
  track: TrackSummary;
  text: string;
  startMs: number | null;
}

export type LyricsSearch = ReturnType<typeof createLyricsSearch>;

// The order is by plays and not by FTS5's rank, which would read all matches: ten times as long for common words.
const FIND_IDS = `SELECT t.id FROM (SELECT rowid AS id FROM search_lyrics WHERE search_lyrics MATCH @match LIMIT @limit)
    matches CROSS JOIN tracks t ON t.id = matches.id
    LEFT JOIN play_counts p ON p.user_id = @userId AND p.item_type = 'track' AND p.item_id = t.id
  ORDER BY coalesce(p.plays, 0) DESC, t.id`;

/** `readAside` runs in a thread: a phrase of the most common words takes 1.5 s in the lyrics of 100,000 tracks. */
export function createLyricsSearch({
  readAside,
  index,
  library,
}: {
  readAside: ReadAside;
  index: Pick<LyricsIndex, 'catchUp'>;
  library: Pick<LibraryService, 'tracksById' | 'lyrics'>;
}) {
  return async (userId: UserId, text: string, { limit, offset }: Page): Promise<Paged<LyricsHit>> => {
    const query = parseWordQuery(text);
    if (!query) return { items: [], total: 0 };
    index.catchUp();
    const { phrase, scattered } = matchesOf(query);
    const listIds = async (match: string, most: number): Promise<TrackId[]> =>
      (await readAside(FIND_IDS, { match, limit: most, userId })) as TrackId[];
    const phraseIds = await listIds(phrase, MAX_LYRICS_RESULTS);
    const otherCount = MAX_LYRICS_RESULTS - phraseIds.length;
    const otherIds = scattered === undefined || otherCount === 0 ? [] : await listIds(scattered, otherCount);
    const ids = [...phraseIds, ...otherIds];
    const hits = library.tracksById(userId, ids.slice(offset, offset + limit)).flatMap((track): LyricsHit[] => {
      const lines = library.lyrics.ofTrack(track.id)?.lines ?? [];
      const line = findMatchingLine(lines, query);
      return line ? [{ track, text: line.text, startMs: lines[line.index]?.startMs ?? null }] : [];
    });
    return { items: hits, total: ids.length };
  };
}
