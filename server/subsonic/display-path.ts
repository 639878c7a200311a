// A path made of a song's tags, after which clients name their offline files. The real path is not disclosed.
import type { TrackSummary } from '../library/track-rows.ts';
import { trimBoth } from '../runtime/trim-text.ts';

const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069/\\:*?"<>|]/g;
const MOST_CHARACTERS = 100;

type Named = Pick<
  TrackSummary,
  'title' | 'artistName' | 'albumArtistName' | 'albumTitle' | 'trackNumber' | 'discNumber' | 'format'
>;

/** `Artist/Album/01 - Title.flac`; `2-01 - Title.flac` from the second disc on. */
export function displayPath(t: Named): string {
  const number = t.trackNumber === null ? '' : `${String(t.trackNumber).padStart(2, '0')} - `;
  const disc = t.discNumber !== null && t.discNumber > 1 && number !== '' ? `${t.discNumber}-` : '';
  const artist = part(t.albumArtistName ?? t.artistName ?? 'Unknown Artist');
  const album = part(t.albumTitle ?? 'Unknown Album');
  return `${artist}/${album}/${disc}${number}${part(t.title)}.${t.format ?? 'mp3'}`;
}

function part(text: string): string {
  const safe = text.toWellFormed().replace(UNSAFE, '_').replace(/\s+/g, ' ');
  // not by `slice` alone, which cuts characters of two units
  const short = safe.length > MOST_CHARACTERS ? [...safe].slice(0, MOST_CHARACTERS).join('') : safe;
  return trimBoth(short, /[.\s]/) || '_';
}
