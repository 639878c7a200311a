// Where a song would lie in a well-kept folder. Clients name their offline files by it; the real path is nobody's
// business.
import type { TrackSummary } from '../library/track-rows.ts';

const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069/\\:*?"<>|]/g;
const MOST_CHARACTERS = 100;

type Named = Pick<
  TrackSummary,
  'title' | 'artistName' | 'albumArtistName' | 'albumTitle' | 'trackNumber' | 'discNumber' | 'format'
>;

/** `Artist/Album/01 - Title.flac`; with the disc in front when there are several. */
export function displayPath(t: Named): string {
  const number = t.trackNumber === null ? '' : `${String(t.trackNumber).padStart(2, '0')} - `;
  const disc = t.discNumber !== null && t.discNumber > 1 && number !== '' ? `${t.discNumber}-` : '';
  const artist = part(t.albumArtistName ?? t.artistName ?? 'Unknown Artist');
  const album = part(t.albumTitle ?? 'Unknown Album');
  return `${artist}/${album}/${disc}${number}${part(t.title)}.${t.format ?? 'mp3'}`;
}

const part = (text: string): string =>
  [...text.toWellFormed().replace(UNSAFE, '_').replace(/\s+/g, ' ')]
    .slice(0, MOST_CHARACTERS)
    .join('')
    .replace(/^[.\s]+|[.\s]+$/g, '') || '_';
