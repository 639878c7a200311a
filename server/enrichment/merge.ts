// Merges a track's tags, its match and its current metadata. Without I/O, so that tests can list the rules as a table.
import type { Origin } from '../db/schema.ts';
import { fieldsFrom, type FieldValue, type KnownFields, type TrackField } from '../db/track-fields.ts';
import { identityKey } from '../library/sort-and-identity-keys.ts';
import { TYPED_RELEASE, type TrackIdentity } from '../library/track-values.ts';
import type { Match } from './match.ts';

interface MergeInput {
  /** Undefined when the tags could not be read. */
  tags: TrackIdentity | undefined;
  match: Match | undefined;
  current: TrackIdentity;
  /** 0..1 */
  threshold: number;
}

interface Merged {
  /** `provenance` has the fields that are not from tags. */
  identity: TrackIdentity;
  /** It has a title and an artist, from tags, a match or a person. */
  isIdentified: boolean;
}

interface Sourced<T> {
  value: T;
  origin: Origin;
}
/** The candidates for a field. */
type Candidates<T> = {
  tag: T | undefined;
  fpid: T | undefined;
  kept: T | undefined;
  keptOrigin: Origin;
  /** `charset` if the tags do not say that of this field. */
  tagOrigin: 'tag' | 'charset';
  path?: T | undefined;
};
/** Of a candidate that `named` and `filled` complete. */
type Values<T> = Omit<Candidates<T>, 'keptOrigin' | 'tagOrigin'>;

/** In provenance: a person chose the charset. */
const CHARSET = 'charset';

/** Strictly above the threshold. */
export const isTrusted = (match: Match | undefined, threshold: number): boolean =>
  match?.score != null && match.score > threshold;

/**
 * Fills gaps and never erases. A trusted match wins over tags for title, artist, album and year; otherwise tags win and
 * the match fills gaps. Without a match, values of an earlier one stay. What a person edited always stays, and values
 * from the file name are used only where there is no other.
 */
export function mergeMetadata({ tags, match, current, threshold }: MergeInput): Merged {
  const trusted = isTrusted(match, threshold);
  const origin = (field: string): Origin => current.provenance?.[field] ?? 'tag';
  const tagged = <T>(field: string, value: T | undefined): T | undefined =>
    tags?.provenance?.[field] === 'path' ? undefined : value;

  const originsIn = (field: string): Pick<Candidates<unknown>, 'keptOrigin' | 'tagOrigin'> => ({
    keptOrigin: origin(field),
    tagOrigin: tags?.provenance?.[field] === 'charset' ? 'charset' : 'tag',
  });

  /** For fields in which a trusted match wins. */
  const named = <T>(field: string, values: Values<T>): Sourced<T> | undefined =>
    choose({ ...values, ...originsIn(field) }, trusted ? 'match' : match ? 'tags' : 'earlier match');
  /** For fields in which tags always win. */
  const filled = <T>(field: string, values: Values<T>): Sourced<T> | undefined =>
    choose({ ...values, ...originsIn(field) }, 'tags');

  const title = named('title', {
    tag: tagged('title', tags?.title),
    fpid: match?.title,
    kept: current.title,
    path: tags?.provenance?.['title'] === 'path' ? tags.title : undefined,
  });
  const artist = named('artist', { tag: artistOf(tags), fpid: artistOf(match), kept: artistOf(current) });
  const album = named('album', { tag: albumOf(tags), fpid: albumOf(match), kept: albumOf(current) });
  const year = named('year', { tag: tags?.year, fpid: match?.year, kept: current.year });
  const genres = filled('genre', { tag: some(tags?.genres), fpid: some(match?.genres), kept: some(current.genres) });

  // A track number belongs to its album, so it comes from the match if the album is not the one in the tags.
  const isOtherAlbum = album?.origin === 'fpid' && tags?.album !== undefined && !isSame(tags.album, album.value.album);
  const number = (field: 'trackNumber' | 'discNumber'): Sourced<number> | undefined => {
    const tag = tagged(field, tags?.[field]);
    const values = { tag, fpid: match?.[field], kept: current[field], path: tags?.[field] };
    const order = match ? 'match' : 'earlier match';
    return isOtherAlbum ? choose({ ...values, ...originsIn(field) }, order) : filled(field, values);
  };
  /** All other fields are filled from tags. */
  const fields: { [F in TrackField]: Sourced<FieldValue<F>> | undefined } = {
    ...(fieldsFrom((field) =>
      filled<unknown>(field, { tag: tags?.[field], fpid: undefined, kept: current[field] }),
    ) as {
      [F in TrackField]: Sourced<FieldValue<F>> | undefined;
    }),
    year,
    trackNumber: number('trackNumber'),
    discNumber: number('discNumber'),
  };

  // Ids are taken from a match only if the merged title and artist are those of the match.
  const isThisRecording = isSame(match?.title, title?.value) && isSame(match?.artists[0], artist?.value.artists[0]);
  const albumValue = album && withGapsFilled(album.value, [albumOf(tags), albumOf(match), albumOf(current)]);
  const thisMatch = isThisRecording ? match : undefined;

  const identity: TrackIdentity = {
    ...artist?.value,
    artists: artist?.value.artists ?? [],
    ...albumValue,
    title: title?.value ?? current.title,
    genres: genres?.value ?? [],
    ...(fieldsFrom((field) => fields[field]?.value) as KnownFields),
    recordingMbid:
      (trusted ? thisMatch?.recordingMbid : undefined) ??
      tags?.recordingMbid ??
      current.recordingMbid ??
      thisMatch?.recordingMbid,
    acoustidId:
      (trusted ? thisMatch?.acoustidId : undefined) ?? tags?.acoustidId ?? current.acoustidId ?? thisMatch?.acoustidId,
    charset: tags?.charset ?? current.charset,
    lyrics: tags?.lyrics ?? current.lyrics,
  };
  const origins = originsOf({ title, artist, album, genre: genres, ...fields });
  const isAlbumTyped = album?.origin === 'manual';
  const chosen = Object.entries(current.provenance ?? {}).filter(
    ([field]) => field === CHARSET || (field === TYPED_RELEASE && isAlbumTyped),
  );
  const provenance = chosen.length === 0 ? origins : { ...origins, ...Object.fromEntries(chosen) };
  return {
    identity: { ...identity, provenance },
    isIdentified: title !== undefined && title.origin !== 'path' && identity.artists.length > 0,
  };
}

/** What comes first. */
type Order = 'match' | 'tags' | 'earlier match';

function choose<T>(
  { tag, fpid, kept, keptOrigin, tagOrigin, path }: Candidates<T>,
  order: Order,
): Sourced<T> | undefined {
  const kinds = ['manual', 'fpid', 'tag', 'charset', 'path', 'measured'] as const;
  const [byPerson, byMatch, byTag, byCharset, byPath, measured] = kinds.map((origin) =>
    keptOrigin === origin ? kept : undefined,
  );
  const match = { value: fpid, origin: 'fpid' } as const;
  const tags = { value: tag, origin: tagOrigin } as const;
  const before = [
    { value: byMatch, origin: 'fpid' },
    { value: byTag ?? byCharset, origin: keptOrigin === 'charset' ? 'charset' : ('tag' as Origin) },
  ] as const;
  const values: readonly { value: T | undefined; origin: Origin }[] = [
    { value: byPerson, origin: 'manual' },
    ...(order === 'match'
      ? [match, tags, ...before]
      : order === 'tags'
        ? [tags, ...before, match]
        : [before[0], tags, before[1]]),
    { value: measured, origin: 'measured' },
    { value: byPath, origin: 'path' },
    { value: path, origin: 'path' }, // of an upload, the file name is known only the first time
  ];
  return values.find((one): one is Sourced<T> => one.value !== undefined);
}

type ArtistValue = Pick<TrackIdentity, 'artists' | 'artist' | 'artistSort' | 'artistMbids'>;
type AlbumValue = Pick<
  TrackIdentity,
  | 'album'
  | 'albumArtist'
  | 'albumArtists'
  | 'albumArtistSort'
  | 'albumArtistMbids'
  | 'compilation'
  | 'releaseGroupMbid'
  | 'releaseMbid'
>;
type Named = Partial<TrackIdentity> | Match | undefined;

/** Names, credit and ids of artists are taken together. */
function artistOf(from: Named): ArtistValue | undefined {
  if (!from?.artists || from.artists.length === 0) return undefined;
  return {
    artists: from.artists,
    artist: from.artist,
    artistSort: 'artistSort' in from ? from.artistSort : undefined,
    artistMbids: from.artistMbids,
  };
}

/** The album's title and artist are taken together. */
function albumOf(from: Named): AlbumValue | undefined {
  if (from?.album === undefined || identityKey(from.album) === '') return undefined;
  const { album, albumArtist, albumArtists, albumArtistMbids, compilation, releaseGroupMbid } = from;
  return {
    album,
    albumArtist,
    albumArtists,
    albumArtistMbids,
    compilation,
    releaseGroupMbid,
    albumArtistSort: 'albumArtistSort' in from ? from.albumArtistSort : undefined,
    releaseMbid: 'releaseMbid' in from ? from.releaseMbid : undefined,
  };
}

/** Adds what other sources say about the same album. */
function withGapsFilled(value: AlbumValue, others: readonly (AlbumValue | undefined)[]): AlbumValue {
  const same = others.filter((other) => other && isSame(other.album, value.album));
  const named = same.find((other) => other?.albumArtist !== undefined || (other?.albumArtists?.length ?? 0) > 0);
  const hasArtist = value.albumArtist !== undefined || (value.albumArtists?.length ?? 0) > 0;
  return {
    ...value,
    ...(!hasArtist &&
      named && {
        albumArtist: named.albumArtist,
        albumArtists: named.albumArtists,
        albumArtistSort: named.albumArtistSort,
        albumArtistMbids: named.albumArtistMbids,
      }),
    compilation: value.compilation ?? same.find((other) => other?.compilation !== undefined)?.compilation,
    releaseGroupMbid:
      value.releaseGroupMbid ?? same.find((other) => other?.releaseGroupMbid !== undefined)?.releaseGroupMbid,
    releaseMbid: value.releaseMbid ?? same.find((other) => other?.releaseMbid !== undefined)?.releaseMbid,
  };
}

const some = (values: readonly string[] | undefined): readonly string[] | undefined =>
  values && values.length > 0 ? values : undefined;

const isSame = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && identityKey(a) === identityKey(b);

/** Fields from tags are left out, which are most. */
function originsOf(
  fields: Record<string, { origin: Origin } | undefined>,
): Partial<Record<string, Origin>> | undefined {
  const origins = Object.entries(fields).flatMap(([field, value]) =>
    value && value.origin !== 'tag' ? [[field, value.origin] as const] : [],
  );
  return origins.length > 0 ? Object.fromEntries(origins) : undefined;
}
