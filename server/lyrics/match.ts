// Decides which of the lyrics that a service offers belong to a track. Pure functions. Wrong lyrics are worse than
// none: length, title and artist have to agree, and if different songs remain, the album too.
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';

export interface WantedSong {
  title: string;
  /** The artist credit; `artists` has each artist. */
  artistName: string;
  artists: readonly string[];
  album: string | null;
  durationMs: number;
}

export interface OfferedLyrics {
  id: number;
  title: string;
  artistName: string;
  album: string | null;
  /** Length of the song in seconds. */
  duration: number | null;
  isInstrumental: boolean;
  plain: string | null;
  synced: string | null;
}

const MAX_DURATION_DIFFERENCE_MS = 2_000;
/** Longer names are compared unchanged. */
const MAX_NAME_CHARACTERS = 300;
const GUESTS_IN_BRACKETS = /[([](?:feat\.?|ft\.?|featuring|with) [^()[\]]*(?:[([][^()[\]]*[)\]][^()[\]]*)?[)\]]/giu;
const GUESTS_AT_END = / (?:feat\.?|ft\.?|featuring) .*/isu;
/** Matches words for an edition with the same performance; live, acoustic, remix and so on are not among them. */
const REMASTER_SUFFIX =
  /(?:[([]| - ) ?(?:\d{4} )?(?:digital(?:ly)? )?remaster(?:ed)?(?: version)?(?: \d{4})? ?[)\]]?$/iu;
const VERSION_SUFFIX =
  /(?:[([]| - ) ?(?:\d{4} )?(?:album version|original version|explicit|clean|bonus track|mono|stereo) ?[)\]]?$/iu;
const EDITION_SUFFIXES = [REMASTER_SUFFIX, VERSION_SUFFIX];
const LAST_BRACKETS = /[([][^()[\]]*[)\]]?$/u;
const EDITION_OF_ALBUM = /\b(?:edition|remaster(?:ed)?|deluxe|anniversary|bonus|reissue|explicit)\b/iu;
/** Titles that are too common to identify a song: an artist may have several songs of that name. */
const COMMON_TITLES = new Set(
  [
    'intro,outro,interlude,prelude,skit,untitled,overture,introduction,finale,reprise,epilogue,prologue',
    'hidden track',
  ].flatMap((titles) => titles.split(',')),
);
const PERFORMANCE_WORD =
  /\b(?:live|unplugged|concert|acoustic|demos?|sessions?|instrumentals?|karaoke|remix(?:es|ed)?)\b/giu;
const ARTIST_SEPARATOR = /[,;/&+]|\b(?:and|x|vs)\b/iu;

const key = (text: string): string =>
  sortKey(text)
    .replaceAll('&', ' and ')
    .replace(/\bpt\b\.?/g, 'part')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim() || sortKey(text);

const inLine = (name: string): string => name.replace(/\s+/g, ' ').trim();
const removeMatches = (name: string, ...expressions: RegExp[]): string =>
  name.length > MAX_NAME_CHARACTERS
    ? name
    : expressions.reduce((text, expression) => inLine(text.replace(expression, '')), inLine(name));

const titleKeyOf = (title: string): string =>
  key(removeMatches(title, GUESTS_IN_BRACKETS, GUESTS_AT_END, ...EDITION_SUFFIXES, ...EDITION_SUFFIXES));
const artistKeyOf = (name: string): string =>
  key(removeMatches(name, GUESTS_IN_BRACKETS, GUESTS_AT_END)).replace(/^the /, '');

function withoutEditions(album: string): string {
  const brackets = album.search(LAST_BRACKETS);
  const editionStart = brackets < 0 ? album.lastIndexOf(' - ') : brackets;
  return editionStart > 0 && EDITION_OF_ALBUM.test(album.slice(editionStart))
    ? withoutEditions(album.slice(0, editionStart).trimEnd())
    : album;
}
const albumKeyOf = (album: string): string =>
  key(album.length > MAX_NAME_CHARACTERS ? album : removeMatches(withoutEditions(inLine(album)), ...EDITION_SUFFIXES));
const marksOf = (text: string): string => [...new Set(key(text).match(PERFORMANCE_WORD) ?? [])].sort().join();

/** Returns the title to search for, without guests and edition. */
export const askedTitle = (title: string): string =>
  removeMatches(title, GUESTS_IN_BRACKETS, GUESTS_AT_END, ...EDITION_SUFFIXES) || title;
export const askedArtist = ({ artists, artistName }: Pick<WantedSong, 'artists' | 'artistName'>): string =>
  artists[0] ?? artistName;

function isSameArtist({ artistName, artists }: WantedSong, offeredArtist: string): boolean {
  const offeredKey = artistKeyOf(offeredArtist);
  if (offeredKey === '') return false;
  if (offeredKey === artistKeyOf(artistName)) return true;
  const artistKeys = artists.map(artistKeyOf);
  // one of several artists: the others are guests, or the service names only the first
  if (artistKeys.length > 1 && offeredKey === artistKeys[0]) return true;
  const parts = removeMatches(offeredArtist, GUESTS_IN_BRACKETS, GUESTS_AT_END)
    .split(ARTIST_SEPARATOR)
    .map(artistKeyOf);
  const ownArtists = new Set(artistKeys.length > 0 ? artistKeys : [artistKeyOf(artistName)]);
  return parts.length === ownArtists.size && parts.every((part) => ownArtists.has(part));
}

const isSameAlbum = (album: string | null, offeredAlbum: string | null): boolean =>
  album !== null && offeredAlbum !== null && albumKeyOf(album) === albumKeyOf(offeredAlbum);

/** Returns whether lyrics of the offered song can belong to the wanted song. */
export function isLyricsOfSong(wantedSong: WantedSong, offeredLyrics: OfferedLyrics): boolean {
  if (offeredLyrics.duration === null) return false;
  if (Math.abs(offeredLyrics.duration * 1_000 - wantedSong.durationMs) > MAX_DURATION_DIFFERENCE_MS) return false;
  const title = titleKeyOf(wantedSong.title);
  if (title === '' || title !== titleKeyOf(offeredLyrics.title)) return false;
  if (!isSameArtist(wantedSong, offeredLyrics.artistName)) return false;
  if (isSameAlbum(wantedSong.album, offeredLyrics.album)) return true;
  if (COMMON_TITLES.has(title) || /^(?:track )?\d+$/.test(title)) return false;
  // a live album and a studio album have different performances
  return marksOf(wantedSong.album ?? '') === marksOf(offeredLyrics.album ?? '');
}

const wordsOf = ({ plain, synced }: OfferedLyrics): Set<string> =>
  new Set(key((plain ?? synced ?? '').replace(/\[[^\][]*\]|<[^<>]*>/g, ' ')).split(' '));

/** Returns whether two lyrics are transcriptions of the same song. */
function isSameText(a: OfferedLyrics, b: OfferedLyrics): boolean {
  if (a.isInstrumental || b.isInstrumental) return a.isInstrumental === b.isInstrumental;
  const [firstWords, secondWords] = [wordsOf(a), wordsOf(b)];
  const sharedCount = [...firstWords].filter((word) => secondWords.has(word)).length;
  return sharedCount >= Math.min(firstWords.size, secondWords.size) * 0.5;
}

/** Returns the best of the fitting lyrics; undefined if none fits, or if several fit equally well. */
export function pickLyrics(wantedSong: WantedSong, offeredLyrics: readonly OfferedLyrics[]): OfferedLyrics | undefined {
  const matchingLyrics = offeredLyrics.filter(
    (lyrics) => isLyricsOfSong(wantedSong, lyrics) && (lyrics.isInstrumental || (lyrics.plain ?? lyrics.synced)),
  );
  const ofAlbum = matchingLyrics.filter(({ album }) => isSameAlbum(wantedSong.album, album));
  const candidates = ofAlbum.length > 0 ? ofAlbum : matchingLyrics;
  const distance = ({ duration }: OfferedLyrics): number => Math.abs((duration ?? 0) * 1_000 - wantedSong.durationMs);
  const [bestCandidate, ...otherCandidates] = candidates.toSorted(
    (a, b) => Number(b.synced !== null) - Number(a.synced !== null) || distance(a) - distance(b) || a.id - b.id,
  );
  return bestCandidate && otherCandidates.every((otherCandidate) => isSameText(bestCandidate, otherCandidate))
    ? bestCandidate
    : undefined;
}
