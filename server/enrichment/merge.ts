// What a track is called in the end, out of three voices: its tags, what was heard (the match), and what it has now.
// Pure, so that every sentence of the rules can stand as a row in a table.
import type { Origin } from '../db/schema.ts';
import { fieldsFrom, type FieldValue, type KnownFields, type TrackField } from '../db/track-fields.ts';
import { identityKey } from '../library/fold.ts';
import type { TrackIdentity } from '../library/track-writer.ts';
import type { Match } from './match.ts';

export interface MergeInput {
  /** Undefined when the tags could not be read. */
  tags: TrackIdentity | undefined;
  match: Match | undefined;
  current: TrackIdentity;
  /** 0..1 */
  threshold: number;
}

export interface Merged {
  /** With `provenance`: the fields that do not come from tags. */
  identity: TrackIdentity;
  /** Tags, a match or a person gave at least a title and an artist. */
  isIdentified: boolean;
}

/** A value with where it came from. */
interface Voice<T> {
  value: T;
  origin: Origin;
}
type Sayings<T> = {
  tag: T | undefined;
  fpid: T | undefined;
  kept: T | undefined;
  keptOrigin: Origin;
  path?: T | undefined;
};

/** Strictly above: a score equal to the threshold is tag-first. */
export const isTrusted = (match: Match | undefined, threshold: number): boolean =>
  match?.score != null && match.score > threshold;

/**
 * Fills gaps and never erases. With a trusted match what was heard wins for title, artist, album and year; else tags
 * win and what was heard fills gaps. Without any match what was heard another time stays. What a person typed stays
 * always; a name made from the file's name is only better than none.
 */
export function mergeMetadata({ tags, match, current, threshold }: MergeInput): Merged {
  const trusted = isTrusted(match, threshold);
  const origin = (field: string): Origin => current.provenance?.[field] ?? 'tag';
  const tagged = <T>(field: string, value: T | undefined): T | undefined =>
    tags?.provenance?.[field] === 'path' ? undefined : value;

  /** For fields in which a trusted match wins. */
  const named = <T>(field: string, said: Omit<Sayings<T>, 'keptOrigin'>): Voice<T> | undefined =>
    choose({ ...said, keptOrigin: origin(field) }, trusted ? 'match' : match ? 'tags' : 'heard before');
  /** For fields in which tags win whatever the score. */
  const filled = <T>(field: string, said: Omit<Sayings<T>, 'keptOrigin'>): Voice<T> | undefined =>
    choose({ ...said, keptOrigin: origin(field) }, 'tags');

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

  // A number belongs to its album: where the album is another one than the tags name, so is the number.
  const isOtherAlbum = album?.origin === 'fpid' && tags?.album !== undefined && !isSame(tags.album, album.value.album);
  const number = (field: 'trackNumber' | 'discNumber'): Voice<number> | undefined => {
    const said = { tag: tagged(field, tags?.[field]), fpid: match?.[field], kept: current[field], path: tags?.[field] };
    return isOtherAlbum ? choose({ ...said, keptOrigin: origin(field) }, 'match') : filled(field, said);
  };
  /** Whatever is not decided above is filled from tags. */
  const voices: { [F in TrackField]: Voice<FieldValue<F>> | undefined } = {
    ...(fieldsFrom((field) =>
      filled<unknown>(field, { tag: tags?.[field], fpid: undefined, kept: current[field] }),
    ) as {
      [F in TrackField]: Voice<FieldValue<F>> | undefined;
    }),
    year,
    trackNumber: number('trackNumber'),
    discNumber: number('discNumber'),
  };

  // An identifier is taken from a match only where the match is what the track is called in the end.
  const isThisRecording = isSame(match?.title, title?.value) && isSame(match?.artists[0], artist?.value.artists[0]);
  const albumValue = album && withGapsFilled(album.value, [albumOf(tags), albumOf(match), albumOf(current)]);
  const heard = isThisRecording ? match : undefined;

  const identity: TrackIdentity = {
    ...artist?.value,
    artists: artist?.value.artists ?? [],
    ...albumValue,
    title: title?.value ?? current.title,
    genres: genres?.value ?? [],
    ...(fieldsFrom((field) => voices[field]?.value) as KnownFields),
    recordingMbid:
      (trusted ? heard?.recordingMbid : undefined) ??
      tags?.recordingMbid ??
      current.recordingMbid ??
      heard?.recordingMbid,
    acoustidId:
      (trusted ? heard?.acoustidId : undefined) ?? tags?.acoustidId ?? current.acoustidId ?? heard?.acoustidId,
    lyrics: tags?.lyrics ?? current.lyrics,
  };
  const provenance = originsOf({ title, artist, album, genre: genres, ...voices });
  return {
    identity: { ...identity, provenance },
    isIdentified: title !== undefined && title.origin !== 'path' && identity.artists.length > 0,
  };
}

/** Who speaks first. */
type Order = 'match' | 'tags' | 'heard before';

function choose<T>({ tag, fpid, kept, keptOrigin, path }: Sayings<T>, order: Order): Voice<T> | undefined {
  const [byPerson, byEar, byTag, byPath] = (['manual', 'fpid', 'tag', 'path'] as const).map((origin) =>
    keptOrigin === origin ? kept : undefined,
  );
  const match = { value: fpid, origin: 'fpid' } as const;
  const tags = { value: tag, origin: 'tag' } as const;
  const before = [
    { value: byEar, origin: 'fpid' },
    { value: byTag, origin: 'tag' },
  ] as const;
  const voices: readonly { value: T | undefined; origin: Origin }[] = [
    { value: byPerson, origin: 'manual' },
    ...(order === 'match'
      ? [match, tags, ...before]
      : order === 'tags'
        ? [tags, ...before, match]
        : [before[0], tags, before[1]]),
    { value: byPath, origin: 'path' },
    { value: path, origin: 'path' }, // an uploaded file's own name is known only at the start
  ];
  return voices.find((voice): voice is Voice<T> => voice.value !== undefined);
}

type ArtistValue = Pick<TrackIdentity, 'artists' | 'artist' | 'artistSort' | 'artistMbids'>;
type AlbumValue = Pick<
  TrackIdentity,
  'album' | 'albumArtist' | 'albumArtists' | 'albumArtistSort' | 'albumArtistMbids' | 'compilation' | 'releaseGroupMbid'
>;
type Named = Partial<TrackIdentity> | Match | undefined;

/** Names, credit and identifiers of artists go together. */
function artistOf(from: Named): ArtistValue | undefined {
  if (!from?.artists || from.artists.length === 0) return undefined;
  return {
    artists: from.artists,
    artist: from.artist,
    artistSort: 'artistSort' in from ? from.artistSort : undefined,
    artistMbids: from.artistMbids,
  };
}

/** An album's title goes with its artist. */
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
  };
}

/** What another voice knows of the same album. */
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
  };
}

const some = (values: readonly string[] | undefined): readonly string[] | undefined =>
  values && values.length > 0 ? values : undefined;

const isSame = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && identityKey(a) === identityKey(b);

/** Tags are not told: most fields come from there. */
function originsOf(
  voices: Record<string, { origin: Origin } | undefined>,
): Partial<Record<string, Origin>> | undefined {
  const told = Object.entries(voices).flatMap(([field, voice]) =>
    voice && voice.origin !== 'tag' ? [[field, voice.origin] as const] : [],
  );
  return told.length > 0 ? Object.fromEntries(told) : undefined;
}
