// Lyrics of a track, in this order: written or picked by a person; from its tags or a file next to it; from a look-up.
import type { TrackId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import type { foundLyrics, lyrics, tracks } from '../../db/schema.ts';
import type { LyricsLine } from '../../media/types.ts';
import { identityKey, sortKey } from './sort-and-identity-keys.ts';
import type { Statements } from '../lists/statement-cache.ts';

type Names = RowAs<typeof tracks, 'title' | 'artistName'> & { trackId: TrackId };

export interface TrackLyrics extends Names {
  synced: boolean;
  lines: LyricsLine[];
  source: 'file' | 'lrclib' | 'manual';
  /** The language, if the file says which. */
  language: string | null;
  /** Id at LRCLIB, also of lyrics that a person picked there. */
  lrclibId: number | null;
  isInstrumental: boolean;
}

type LyricsRow = Names &
  RowAs<typeof lyrics, 'synced' | 'lines' | 'language'> &
  RowAs<typeof foundLyrics, 'lrclibId' | 'isInstrumental'> &
  Pick<TrackLyrics, 'source'>;

const IS_LOOKED_UP = '(f.track_id IS NOT NULL AND (f.is_manual = 1 OR l.track_id IS NULL))';
const SELECT = `SELECT t.id AS trackId, t.title, t.artist_name AS artistName,
    iif(${IS_LOOKED_UP}, f.synced, l.synced) AS synced, iif(${IS_LOOKED_UP}, f.lines, l.lines) AS lines,
    iif(${IS_LOOKED_UP}, iif(f.is_manual, 'manual', 'lrclib'), 'file') AS source,
    iif(${IS_LOOKED_UP}, NULL, l.language) AS language,
    iif(${IS_LOOKED_UP}, f.lrclib_id, NULL) AS lrclibId, iif(${IS_LOOKED_UP}, f.is_instrumental, 0) AS isInstrumental
  FROM tracks t LEFT JOIN lyrics l ON l.track_id = t.id LEFT JOIN found_lyrics f ON f.track_id = t.id`;
const HAS_ANY = '(l.track_id IS NOT NULL OR f.track_id IS NOT NULL)';
const MAX_NAMESAKES = 50;

export function createLyricsReader(statements: Statements) {
  const parse = (row: LyricsRow | undefined): TrackLyrics | undefined =>
    row && {
      ...row,
      synced: row.synced === 1,
      isInstrumental: row.isInstrumental === 1,
      lines: JSON.parse(row.lines) as TrackLyrics['lines'],
    };

  return {
    ofTrack: (id: TrackId): TrackLyrics | undefined =>
      parse(statements.row<LyricsRow>(`${SELECT} WHERE t.id = @id AND ${HAS_ANY}`, { id })),

    /** Returns the lyrics of the first track with that title and, if given, that artist. */
    byName(title: string, artist: string | undefined): TrackLyrics | undefined {
      const rows = statements.rows<LyricsRow>(
        `${SELECT} WHERE t.title_sort = @title AND t.has_lyrics = 1 ORDER BY t.id LIMIT @most`,
        {
          title: sortKey(title),
          most: MAX_NAMESAKES,
        },
      );
      const key = artist === undefined ? undefined : identityKey(artist);
      return parse(
        rows.find((row) => key === undefined || (row.artistName !== null && identityKey(row.artistName).includes(key))),
      );
    },
  };
}
