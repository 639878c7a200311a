// The form of an album: its values as text, and the changes to send. Pure.
import type { AlbumOut, AlbumPatch, TrackOut } from '../../../api/routes.ts';

export const ALBUM_TEXTS = ['title', 'artists', 'sort_title', 'edition', 'label', 'catalog_number', 'barcode'] as const;
export const ALBUM_YEARS = ['year', 'original_year'] as const;
export type AlbumField = (typeof ALBUM_TEXTS)[number] | (typeof ALBUM_YEARS)[number] | 'genres';
/** Types that a release has beside its primary type. */
export const SECONDARY_TYPES = ['live', 'soundtrack', 'remix', 'demo'] as const;
export const PRIMARY_TYPES = ['album', 'ep', 'single', 'broadcast', 'other'] as const;

/** Texts of fields; undefined if the tracks of the album have different values. */
export type AlbumTexts = Record<AlbumField, string | undefined>;

export interface TrackTexts {
  id: number;
  disc: string;
  number: string;
  title: string;
  artist: string;
}

export interface AlbumForm {
  texts: AlbumTexts;
  types: readonly string[];
  isCompilation: boolean;
  tracks: readonly TrackTexts[];
}

const SEPARATOR = '; ';
const listOf = (text: string): string[] =>
  text
    .split(';')
    .map((value) => value.trim())
    .filter(Boolean);

function commonText(tracks: readonly TrackOut[], valueOf: (track: TrackOut) => string | number | null) {
  const values = new Set(tracks.map((track) => String(valueOf(track) ?? '')));
  return values.size > 1 ? undefined : ([...values][0] ?? '');
}

/** Returns the form with the current values of an album and its tracks. */
export const formOf = (album: AlbumOut, tracks: readonly TrackOut[]): AlbumForm => ({
  texts: {
    title: album.title,
    artists: album.artists.map(({ name }) => name).join(SEPARATOR),
    sort_title: album.sort_title ?? '',
    edition: album.edition ?? '',
    year: commonText(tracks, ({ year }) => year),
    original_year: commonText(tracks, ({ original_year }) => original_year),
    genres: commonText(tracks, ({ genres }) => genres.join(SEPARATOR)),
    label: commonText(tracks, ({ label }) => label),
    catalog_number: commonText(tracks, ({ catalog_number }) => catalog_number),
    barcode: commonText(tracks, ({ barcode }) => barcode),
  },
  types: album.release_types,
  isCompilation: album.is_compilation,
  tracks: tracks.map((track) => ({
    id: track.id,
    disc: String(track.disc_number ?? ''),
    number: String(track.track_number ?? ''),
    title: track.title,
    artist: track.artist_name ?? '',
  })),
});

const textOrNull = (text: string): string | null => text.trim() || null;
const numberOrNull = (text: string): number | null => (text.trim() === '' ? null : Number(text));

function trackChanges(typed: TrackTexts, initial: TrackTexts): NonNullable<AlbumPatch['tracks']>[number] | undefined {
  const artists = listOf(typed.artist);
  const changes = {
    ...(typed.title !== initial.title && { title: typed.title }),
    ...(typed.artist !== initial.artist && {
      artist: artists.length > 1 ? artists.join(', ') : textOrNull(typed.artist),
      ...(artists.length > 1 && { artists }),
    }),
    ...(typed.number !== initial.number && { track_number: numberOrNull(typed.number) }),
    ...(typed.disc !== initial.disc && { disc_number: numberOrNull(typed.disc) }),
  };
  return Object.keys(changes).length === 0 ? undefined : { id: typed.id, ...changes };
}

const hasSameItems = (a: readonly string[], b: readonly string[]): boolean => a.join('\n') === b.join('\n');

/** Returns the request that turns the initial values into the typed ones; undefined if they are the same. */
export function patchOf(typed: AlbumForm, initial: AlbumForm): AlbumPatch | undefined {
  const changedText = (field: AlbumField): string | undefined => {
    const text = typed.texts[field];
    return text === initial.texts[field] ? undefined : text;
  };
  const patch: AlbumPatch = {};
  for (const field of ALBUM_YEARS) {
    const text = changedText(field);
    if (text !== undefined) patch[field] = numberOrNull(text);
  }
  for (const field of ['sort_title', 'edition', 'label', 'catalog_number', 'barcode'] as const) {
    const text = changedText(field);
    if (text !== undefined) patch[field] = textOrNull(text);
  }
  const [title, artists, genres] = [changedText('title'), changedText('artists'), changedText('genres')];
  if (title !== undefined) patch.title = title.trim();
  if (artists !== undefined) patch.artists = listOf(artists);
  if (genres !== undefined) patch.genres = listOf(genres);
  if (!hasSameItems(typed.types, initial.types)) patch.release_types = [...typed.types];
  if (typed.isCompilation !== initial.isCompilation) patch.is_compilation = typed.isCompilation;
  const tracks = typed.tracks.flatMap((track, n) => trackChanges(track, initial.tracks[n] as TrackTexts) ?? []);
  if (tracks.length > 0) patch.tracks = tracks;
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** A value that cannot be sent; the key of the text that says why. */
export type Fault = 'year' | 'number' | 'empty';

/** Returns the faults of the form by the names of its inputs, such as `year` or `number-7`. */
export function faultsOf({ texts, tracks }: AlbumForm): Map<string, Fault> {
  const faults = new Map<string, Fault>();
  for (const field of ALBUM_YEARS) if (!/^(\d{4})?$/.test((texts[field] ?? '').trim())) faults.set(field, 'year');
  if (texts.title?.trim() === '') faults.set('title', 'empty');
  for (const { id, disc, number, title } of tracks) {
    if (!/^\d{0,4}$/.test(disc.trim())) faults.set(`disc-${id}`, 'number');
    if (!/^\d{0,4}$/.test(number.trim())) faults.set(`number-${id}`, 'number');
    if (title.trim() === '') faults.set(`title-${id}`, 'empty');
  }
  return faults;
}

/** Numbers at the start of a line of a pasted list, such as `01.`, `1)` or `A2 -`. */
const LINE_NUMBER = /^[A-D]?\d{1,3}(?: ?[.):–-]|\t)/u;
/** A length at the end of a line of a pasted list, such as `3:45` or `(1:02:03)`. */
const LINE_LENGTH = /\s[([]?\d{1,2}(?::\d{2}){1,2}[)\]]?$/u;

/** Returns the titles in a pasted list, one a line, without their numbers and lengths. */
export const titlesIn = (list: string): string[] =>
  list
    .split(/\r?\n/)
    .map((line) => line.trim().replace(LINE_NUMBER, '').trim().replace(LINE_LENGTH, '').trim())
    .filter(Boolean);

/** Gives the titles to the tracks in their order. Further titles are left out. */
export const withTitles = (tracks: readonly TrackTexts[], titles: readonly string[]): TrackTexts[] =>
  tracks.map((track, n) => ({ ...track, title: titles[n] ?? track.title }));

/** Numbers the tracks of each disc from 1 in their order. */
export function renumbered(tracks: readonly TrackTexts[]): TrackTexts[] {
  const lastNumbers = new Map<string, number>();
  return tracks.map((track) => {
    const number = (lastNumbers.get(track.disc) ?? 0) + 1;
    lastNumbers.set(track.disc, number);
    return { ...track, number: String(number) };
  });
}

/** Returns the types with another primary type; null removes it. */
export const withPrimaryType = (types: readonly string[], primaryType: string | null): string[] => [
  ...(primaryType === null ? [] : [primaryType]),
  ...types.filter((type) => !(PRIMARY_TYPES as readonly string[]).includes(type)),
];
