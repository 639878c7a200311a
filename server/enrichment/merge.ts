// Merges a track's tags, its match and its current metadata. The code has no I/O, so that tests can list the rules as a
// table.
import type { Origin } from '../db/schema.ts';
import { fieldsFrom, type FieldValue, type KnownFields, type TrackField } from '../db/track-fields.ts';
import { identityKey } from '../library/tracks/sort-and-identity-keys.ts';
import { ALBUM_TAGS, TYPED_RELEASE, type TrackIdentity } from '../library/tracks/track-values.ts';
import type { Match } from './match.ts';

interface MergeInput {
  /** The tags of the file; undefined when they could not be read. */
  tags: TrackIdentity | undefined;
  match: Match | undefined;
  currentIdentity: TrackIdentity;
  /** The score above which a match is trusted, 0..1. */
  threshold: number;
}

interface Merged {
  /** The merged metadata. `provenance` has the origins of the fields that are not from tags. */
  identity: TrackIdentity;
  /** Whether the track has a title and an artist from tags, a match or a person. */
  isIdentified: boolean;
}

interface OriginatedValue<T> {
  value: T;
  origin: Origin;
}
/** The values that a field may get, by their origin. */
type Candidates<T> = {
  tag: T | undefined;
  fpid: T | undefined;
  current: T | undefined;
  currentOrigin: Origin;
  /** `charset` if the tags do not declare their charset. */
  tagOrigin: 'tag' | 'charset';
  path?: T | undefined;
};
/** The values that a field may get. Their origins are added by `mergeMetadata`. */
type FieldValues<T> = Omit<Candidates<T>, 'currentOrigin' | 'tagOrigin'>;

/** Key in provenance, which says that a person chose the charset. */
const CHARSET = 'charset';

/** Returns whether the score of the match is strictly above the threshold. */
export const isTrusted = (match: Match | undefined, threshold: number): boolean =>
  match?.score != null && match.score > threshold;

/**
 * Merges metadata: fills gaps and never deletes a value. A trusted match wins over tags for title, artist, album and
 * year; otherwise tags win and the match fills gaps. Without a match, the values of an earlier match stay. Values
 * edited by a person always stay, and values from the file name are used only if there is no other.
 */
export function mergeMetadata({ tags, match, currentIdentity, threshold }: MergeInput): Merged {
  const isMatchTrusted = isTrusted(match, threshold);
  const currentOriginOf = (field: string): Origin => currentIdentity.provenance?.[field] ?? 'tag';
  const unlessFromPath = <T>(field: string, value: T | undefined): T | undefined =>
    tags?.provenance?.[field] === 'path' ? undefined : value;

  const originsIn = (field: string): Pick<Candidates<unknown>, 'currentOrigin' | 'tagOrigin'> => ({
    currentOrigin: currentOriginOf(field),
    tagOrigin: tags?.provenance?.[field] === 'charset' ? 'charset' : 'tag',
  });

  /** Chooses the value of a field in which a trusted match wins. */
  const chooseMatchFirst = <T>(field: string, values: FieldValues<T>): OriginatedValue<T> | undefined =>
    choose({ ...values, ...originsIn(field) }, isMatchTrusted ? 'match' : match ? 'tags' : 'earlier match');
  /** Chooses the value of a field in which tags always win. */
  const chooseTagsFirst = <T>(field: string, values: FieldValues<T>): OriginatedValue<T> | undefined =>
    choose({ ...values, ...originsIn(field) }, 'tags');

  const title = chooseMatchFirst('title', {
    tag: unlessFromPath('title', tags?.title),
    fpid: match?.title,
    current: currentIdentity.title,
    path: tags?.provenance?.['title'] === 'path' ? tags.title : undefined,
  });
  const artist = chooseMatchFirst('artist', {
    tag: artistOf(tags),
    fpid: artistOf(match),
    current: artistOf(currentIdentity),
  });
  const album = chooseMatchFirst('album', {
    tag: albumOf(tags),
    fpid: albumOf(match),
    current: albumOf(currentIdentity),
  });
  const year = chooseMatchFirst('year', { tag: tags?.year, fpid: match?.year, current: currentIdentity.year });
  const genres = chooseTagsFirst('genre', {
    tag: unlessEmpty(tags?.genres),
    fpid: unlessEmpty(match?.genres),
    current: unlessEmpty(currentIdentity.genres),
  });

  // The track number belongs to the album, so it comes from the match if the merged album is not the one in the tags.
  const isOtherAlbum =
    album?.origin === 'fpid' && tags?.album !== undefined && !isSameText(tags.album, album.value.album);
  const chooseNumber = (field: 'trackNumber' | 'discNumber'): OriginatedValue<number> | undefined => {
    const tag = unlessFromPath(field, tags?.[field]);
    const candidates = { tag, fpid: match?.[field], current: currentIdentity[field], path: tags?.[field] };
    const order = match ? 'match' : 'earlier match';
    return isOtherAlbum ? choose({ ...candidates, ...originsIn(field) }, order) : chooseTagsFirst(field, candidates);
  };
  /** All other fields are filled from tags. */
  const fields: { [F in TrackField]: OriginatedValue<FieldValue<F>> | undefined } = {
    ...(fieldsFrom((field) =>
      chooseTagsFirst<unknown>(field, { tag: tags?.[field], fpid: undefined, current: currentIdentity[field] }),
    ) as {
      [F in TrackField]: OriginatedValue<FieldValue<F>> | undefined;
    }),
    year,
    trackNumber: chooseNumber('trackNumber'),
    discNumber: chooseNumber('discNumber'),
  };

  // Ids are taken from a match only if the merged title and artist are those of the match.
  const isMatchMerged =
    isSameText(match?.title, title?.value) && isSameText(match?.artists[0], artist?.value.artists[0]);
  const albumValue = album && withGapsFilled(album.value, [albumOf(tags), albumOf(match), albumOf(currentIdentity)]);
  const mergedMatch = isMatchMerged ? match : undefined;

  const identity: TrackIdentity = {
    ...artist?.value,
    artists: artist?.value.artists ?? [],
    ...albumValue,
    title: title?.value ?? currentIdentity.title,
    genres: genres?.value ?? [],
    ...(fieldsFrom((field) => fields[field]?.value) as KnownFields),
    recordingMbid:
      (isMatchTrusted ? mergedMatch?.recordingMbid : undefined) ??
      tags?.recordingMbid ??
      currentIdentity.recordingMbid ??
      mergedMatch?.recordingMbid,
    acoustidId:
      (isMatchTrusted ? mergedMatch?.acoustidId : undefined) ??
      tags?.acoustidId ??
      currentIdentity.acoustidId ??
      mergedMatch?.acoustidId,
    charset: tags?.charset ?? currentIdentity.charset,
    lyrics: tags?.lyrics ?? currentIdentity.lyrics,
  };
  const origins = originsOf({ title, artist, album, genre: genres, ...fields });
  const isAlbumTyped = album?.origin === 'manual';
  const lastingOrigins = Object.entries(currentIdentity.provenance ?? {}).filter(
    ([field]) =>
      field === CHARSET ||
      (field === TYPED_RELEASE && isAlbumTyped) ||
      (ALBUM_TAGS as readonly string[]).includes(field),
  );
  const provenance = lastingOrigins.length === 0 ? origins : { ...origins, ...Object.fromEntries(lastingOrigins) };
  return {
    identity: { ...identity, provenance },
    isIdentified: title !== undefined && title.origin !== 'path' && identity.artists.length > 0,
  };
}

/** The source that is preferred. */
type Order = 'match' | 'tags' | 'earlier match';

function choose<T>(
  { tag, fpid, current, currentOrigin, tagOrigin, path }: Candidates<T>,
  order: Order,
): OriginatedValue<T> | undefined {
  const kinds = ['manual', 'fpid', 'tag', 'charset', 'path', 'measured'] as const;
  const [byPerson, byMatch, byTag, byCharset, byPath, byMeasurement] = kinds.map((origin) =>
    currentOrigin === origin ? current : undefined,
  );
  const match = { value: fpid, origin: 'fpid' } as const;
  const tags = { value: tag, origin: tagOrigin } as const;
  const earlierValues = [
    { value: byMatch, origin: 'fpid' },
    { value: byTag ?? byCharset, origin: currentOrigin === 'charset' ? 'charset' : ('tag' as Origin) },
  ] as const;
  const values: readonly { value: T | undefined; origin: Origin }[] = [
    { value: byPerson, origin: 'manual' },
    ...(order === 'match'
      ? [match, tags, ...earlierValues]
      : order === 'tags'
        ? [tags, ...earlierValues, match]
        : [earlierValues[0], tags, earlierValues[1]]),
    { value: byMeasurement, origin: 'measured' },
    { value: byPath, origin: 'path' },
    // later enrichments of an upload do not know its file name, so the stored value stays
    { value: path, origin: 'path' },
  ];
  return values.find((candidate): candidate is OriginatedValue<T> => candidate.value !== undefined);
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
type MetadataSource = Partial<TrackIdentity> | Match | undefined;

/** Returns names, credit and ids of artists, which are always taken from one source together. */
function artistOf(source: MetadataSource): ArtistValue | undefined {
  if (!source?.artists || source.artists.length === 0) return undefined;
  return {
    artists: source.artists,
    artist: source.artist,
    artistSort: 'artistSort' in source ? source.artistSort : undefined,
    artistMbids: source.artistMbids,
  };
}

/** Returns the album's title and artist, which are always taken from one source together. */
function albumOf(source: MetadataSource): AlbumValue | undefined {
  if (source?.album === undefined || identityKey(source.album) === '') return undefined;
  const { album, albumArtist, albumArtists, albumArtistMbids, compilation, releaseGroupMbid } = source;
  return {
    album,
    albumArtist,
    albumArtists,
    albumArtistMbids,
    compilation,
    releaseGroupMbid,
    albumArtistSort: 'albumArtistSort' in source ? source.albumArtistSort : undefined,
    releaseMbid: 'releaseMbid' in source ? source.releaseMbid : undefined,
  };
}

/** Fills gaps with the values that other sources have for the same album. */
function withGapsFilled(value: AlbumValue, candidates: readonly (AlbumValue | undefined)[]): AlbumValue {
  const sameAlbum = candidates.filter((candidate) => candidate && isSameText(candidate.album, value.album));
  const withArtist = sameAlbum.find(
    (candidate) => candidate?.albumArtist !== undefined || (candidate?.albumArtists?.length ?? 0) > 0,
  );
  const hasArtist = value.albumArtist !== undefined || (value.albumArtists?.length ?? 0) > 0;
  return {
    ...value,
    ...(!hasArtist &&
      withArtist && {
        albumArtist: withArtist.albumArtist,
        albumArtists: withArtist.albumArtists,
        albumArtistSort: withArtist.albumArtistSort,
        albumArtistMbids: withArtist.albumArtistMbids,
      }),
    compilation: value.compilation ?? sameAlbum.find((candidate) => candidate?.compilation !== undefined)?.compilation,
    releaseGroupMbid:
      value.releaseGroupMbid ??
      sameAlbum.find((candidate) => candidate?.releaseGroupMbid !== undefined)?.releaseGroupMbid,
    releaseMbid: value.releaseMbid ?? sameAlbum.find((candidate) => candidate?.releaseMbid !== undefined)?.releaseMbid,
  };
}

const unlessEmpty = (values: readonly string[] | undefined): readonly string[] | undefined =>
  values && values.length > 0 ? values : undefined;

const isSameText = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && identityKey(a) === identityKey(b);

/** Returns the origins of the fields that are not from tags; most fields are from tags. */
function originsOf(
  fields: Record<string, { origin: Origin } | undefined>,
): Partial<Record<string, Origin>> | undefined {
  const origins = Object.entries(fields).flatMap(([field, value]) =>
    value && value.origin !== 'tag' ? [[field, value.origin] as const] : [],
  );
  return origins.length > 0 ? Object.fromEntries(origins) : undefined;
}
