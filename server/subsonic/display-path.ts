// A path made of a song's tags, by which clients name their offline files. The real path is not disclosed.
import type { TrackSummary } from '../library/lists/track-rows.ts';
import { trimBoth } from '../runtime/trim-text.ts';

const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069/\\:*?"<>|]/g;
const MAX_NAME_CHARACTERS = 100;

type NamedTrack = Pick<
  TrackSummary,
  'title' | 'artistName' | 'albumArtistName' | 'albumTitle' | 'trackNumber' | 'discNumber' | 'format'
>;

/** Returns the path: `Artist/Album/01 - Title.flac`; `2-01 - Title.flac` from the second disc on. */
export function displayPath(track: NamedTrack): string {
  const number = track.trackNumber === null ? '' : `${String(track.trackNumber).padStart(2, '0')} - `;
  const disc = track.discNumber !== null && track.discNumber > 1 && number !== '' ? `${track.discNumber}-` : '';
  const artist = toFileName(track.albumArtistName ?? track.artistName ?? 'Unknown Artist');
  const album = toFileName(track.albumTitle ?? 'Unknown Album');
  return `${artist}/${album}/${disc}${number}${toFileName(track.title)}.${track.format ?? 'mp3'}`;
}

function toFileName(text: string): string {
  const safeText = text.toWellFormed().replace(UNSAFE, '_').replace(/\s+/g, ' ');
  // a character of two units must not be cut, so `slice` alone is not enough
  const shortenedText =
    safeText.length > MAX_NAME_CHARACTERS ? [...safeText].slice(0, MAX_NAME_CHARACTERS).join('') : safeText;
  return trimBoth(shortenedText, /[.\s]/) || '_';
}
