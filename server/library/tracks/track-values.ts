// Computes the values of a track's columns from its metadata: looks up, or creates, the artists and the album that the
// metadata name.
import type { MoreTags } from '../../db/more-tags.ts';
import { fieldsFrom, foldedFrom, type KnownFields } from '../../db/track-fields.ts';
import type { TrackId } from '../../db/ids.ts';
import type { Origin, TrackRow } from '../../db/schema.ts';
import type { Listening, Lyrics } from '../../media/types.ts';
import { splitArtists, type ArtistSplitting } from '../albums/artist-split.ts';
import { visibleName, type AlbumName, type AlbumRef, type ArtistRef, type Resolver } from './resolve.ts';
import { isCompilation, isVariousArtists, VARIOUS_ARTISTS } from '../albums/compilations.ts';
import { foldedText, sortKey } from './sort-and-identity-keys.ts';

/**
 * Key in `provenance` which says that a person gave the track another album, so that its album is found by that name
 * alone, and neither by its folder nor by the release that its file names.
 */
export const TYPED_RELEASE = 'release';

/**
 * Values of an album that are stored among the other tags of its tracks (db/more-tags.ts), and that a person can
 * correct. The key in `provenance` says so; scans then keep the value.
 */
export const ALBUM_TAGS = ['edition', 'releaseType', 'albumSort'] as const satisfies readonly (keyof MoreTags)[];
export type AlbumTag = (typeof ALBUM_TAGS)[number];
/** In identities that are read from the database, `null` stands for a tag without a value. */
export type AlbumTags = { [T in AlbumTag]?: MoreTags[T] | null | undefined };

/** Returns the album's values among the other tags of a file. */
export const albumTagsOf = (moreTags: MoreTags | null | undefined): AlbumTags => ({
  edition: moreTags?.edition ?? null,
  releaseType: moreTags?.releaseType ?? null,
  albumSort: moreTags?.albumSort ?? null,
});

export interface Chapter {
  startMs: number;
  title: string;
}

/** A track's metadata, from whatever source. Absent means unknown. */
export interface TrackIdentity extends KnownFields, AlbumTags {
  title: string;
  artists: readonly string[];
  /** The credit as written, if it has more than the names. */
  artist?: string | undefined;
  albumArtists?: readonly string[] | undefined;
  albumArtist?: string | undefined;
  album?: string | undefined;
  genres: readonly string[];
  compilation?: boolean | undefined;
  recordingMbid?: string | undefined;
  releaseGroupMbid?: string | undefined;
  /** The release of the album. Stored among the other tags, see db/more-tags.ts. */
  releaseMbid?: string | undefined;
  acoustidId?: string | undefined;
  artistSort?: string | undefined;
  albumArtistSort?: string | undefined;
  artistMbids?: readonly string[] | undefined;
  albumArtistMbids?: readonly string[] | undefined;
  /** Null if there are no lyrics; if absent, the track keeps its lyrics. */
  lyrics?: Lyrics | null | undefined;
  /** Charset in which text tags without a declared charset were decoded. */
  charset?: string | undefined;
  /** Null if there are no chapters; if absent, the track keeps its chapters. */
  chapters?: readonly Chapter[] | null | undefined;
  /** Null if there are no other tags; if absent, the track keeps its other tags. */
  more?: MoreTags | null | undefined;
  /** Null if the tags say nothing about listening; if absent, what the track's tags said stays. */
  listening?: Listening | null | undefined;
  /** Origins of fields that do not come from tags. */
  provenance?: Partial<Record<string, Origin>> | undefined;
}

/** Columns that describe the audio. */
export const AUDIO_COLUMNS = [
  'durationMs',
  'sizeBytes',
  'format',
  'codec',
  'bitrateKbps',
  'sampleRateHz',
  'bitDepth',
  'channels',
  'encoderDelay',
  'encoderPadding',
  'trackGainDb',
  'trackPeak',
  'albumGainDb',
  'albumPeak',
  'hasPicture',
  'storageUri',
  'contentHash',
  'audioHash',
  'availability',
  'sectionStart',
  'sectionEnd',
] as const satisfies readonly (keyof TrackRow)[];
export type TrackAudio = Pick<TrackRow, (typeof AUDIO_COLUMNS)[number]>;
export const audioValues = (audio: TrackAudio): (string | number | null)[] =>
  AUDIO_COLUMNS.map((column) => (column === 'hasPicture' ? Number(audio.hasPicture) : audio[column]));

/** Columns that come neither from the audio nor from the metadata. */
type OtherColumn =
  | 'id'
  | 'source'
  | 'sourceId'
  | 'uploadedBy'
  | 'metadataStatus'
  | 'metadataError'
  | 'enrichedAt'
  | 'fpidScore'
  | 'hasLyrics'
  | 'coverUrl'
  | 'createdAt'
  | 'updatedAt'
  | 'measuredGainDb'
  | 'measuredPeak'
  | 'measuredAlbumGainDb'
  | 'measuredAlbumPeak';
type IdentityColumn = Exclude<keyof TrackRow, OtherColumn | keyof TrackAudio>;

interface Credit {
  name: string;
  ref: ArtistRef;
}
interface ResolvedNames {
  credits: Credit[];
  credit: string | null;
  album: AlbumRef;
  /** The album artists, if the tags name several. */
  albumArtists: ArtistRef[];
}
/** The values that tell tracks of one name apart. */
interface TrackToResolve {
  /** Absent for a new track. */
  id?: TrackId | undefined;
  durationMs: number | null;
}
/** A track's artists, album and column values. */
export interface Resolved extends ResolvedNames {
  /** Values of IDENTITY_COLUMNS. */
  values: (string | number | null)[];
}

/** The value of each column. A missing column is a compile error. */
const IDENTITY_VALUE_OF: Record<
  IdentityColumn,
  (identity: TrackIdentity, names: ResolvedNames) => string | number | null
> = {
  title: ({ title }) => title,
  titleSort: ({ title }) => sortKey(title),
  artistId: (_, { credits }) => credits[0]?.ref.id ?? null,
  artistName: (_, { credit }) => credit,
  artistSort: (_, { credits }) => credits[0]?.ref.sortKey ?? '',
  albumId: (_, { album }) => album.id,
  albumSort: (_, { album }) => album.titleSort,
  genre: ({ genres }) => genres[0] ?? null,
  recordingMbid: ({ recordingMbid }) => recordingMbid ?? null,
  acoustidId: ({ acoustidId }) => acoustidId ?? null,
  charset: ({ charset }) => charset ?? null,
  provenance: ({ provenance }) => (provenance ? JSON.stringify(provenance) : null),
  ...fieldsFrom((field) => (identity: TrackIdentity) => identity[field] ?? null),
  ...foldedFrom((field) => (identity) => foldedText(identity[field])),
};
export const IDENTITY_COLUMNS = Object.keys(IDENTITY_VALUE_OF) as IdentityColumn[];
const IDENTITY_VALUES = Object.values(IDENTITY_VALUE_OF);

/** Creates the resolution, which runs inside the caller's write transaction. */
export function createIdentityResolution(
  resolver: Pick<Resolver, 'album' | 'artist' | 'artistSplitting' | 'hasArtist' | 'unnamedAlbum'>,
) {
  function resolve(identity: TrackIdentity, folder: number | undefined, track: TrackToResolve): Resolved {
    const { names, credits } = creditsOf(identity);
    const credit = visibleName(identity.artist) ?? (names.join(', ') || null);
    const albumName = albumNameOf(identity, names, credits, folder);
    const album = albumName
      ? resolver.album({ ...albumName, track: track.id, place: placeOf(identity, track) })
      : resolver.unnamedAlbum(credits[0]?.ref);
    const resolvedNames = { credits, credit, album, albumArtists: albumName?.artists ?? [] };
    return { ...resolvedNames, values: IDENTITY_VALUES.map((valueOf) => valueOf(identity, resolvedNames)) };
  }

  function creditsOf(identity: TrackIdentity): { names: string[]; credits: Credit[] } {
    const isOneMbid = identity.artistMbids?.length === 1 && identity.artists.length === 1;
    const splitNames = isOneMbid ? [...identity.artists] : splitArtists(identity.artists, resolver.artistSplitting());
    const slashedArtist = identity.more?.slashedArtist;
    // some names contain a slash, such as `AC/DC`
    const wholeName =
      splitNames.length > 1 && slashedArtist !== undefined && resolver.hasArtist(slashedArtist)
        ? slashedArtist
        : undefined;
    const names = (wholeName === undefined ? splitNames : [wholeName]).filter(
      (name) => visibleName(name) !== undefined,
    );
    const mbids = identity.artistMbids?.length === names.length ? identity.artistMbids : [];
    const credits = names.map((name, i) => ({
      name,
      ref: resolver.artist(name, { sortName: names.length === 1 ? identity.artistSort : undefined, mbid: mbids[i] }),
    }));
    return { names, credits };
  }

  function albumNameOf(
    identity: TrackIdentity,
    creditedNames: string[],
    credits: Credit[],
    folder: number | undefined,
  ): AlbumName | undefined {
    const title = visibleName(identity.album);
    if (title === undefined) return undefined;
    const taggedNames = taggedAlbumArtists(identity, resolver.artistSplitting());
    const taggedArtist = taggedNames[0] ?? (identity.compilation ? VARIOUS_ARTISTS : undefined);
    const isVarious = isVariousArtists(taggedArtist ?? creditedNames[0] ?? '');
    const artistName = isVarious ? VARIOUS_ARTISTS : (taggedArtist ?? creditedNames[0]);
    const names = isVarious ? [VARIOUS_ARTISTS] : taggedNames;
    const mbids = identity.albumArtistMbids?.length === names.length ? identity.albumArtistMbids : [];
    const albumArtists = names.map((name, i) =>
      resolver.artist(name, { sortName: names.length === 1 ? identity.albumArtistSort : undefined, mbid: mbids[i] }),
    );
    return {
      title,
      artist: albumArtists[0] ?? credits[0]?.ref,
      artists: albumArtists.length > 1 ? albumArtists : [],
      artistName,
      isGuessed: taggedArtist === undefined && !isVarious,
      year: identity.year,
      genre: identity.genres[0],
      folder,
      isCompilation: isCompilation(identity.compilation, artistName ?? ''),
      releaseGroupMbid: identity.releaseGroupMbid,
    };
  }

  return {
    resolve,
    /** Returns the name of the track's album; undefined for a track without an album. */
    albumOf(identity: TrackIdentity, folder: number | undefined): AlbumName | undefined {
      const { names, credits } = creditsOf(identity);
      return albumNameOf(identity, names, credits, folder);
    },
  };
}

/**
 * Returns the album artists that the tags name; none for tags without an album artist. The list counts if it has
 * several names; otherwise the name that is shown may contain several.
 */
export function taggedAlbumArtists(
  { albumArtist, albumArtists = [] }: Pick<TrackIdentity, 'albumArtist' | 'albumArtists'>,
  splitting?: ArtistSplitting,
): string[] {
  const shownName = visibleName(albumArtist) ?? visibleName(albumArtists[0]);
  const names = albumArtists.length > 1 ? albumArtists : shownName === undefined ? [] : [shownName];
  return splitArtists(names, splitting).filter((name) => visibleName(name) !== undefined);
}

const placeOf = ({ title, discNumber, trackNumber }: TrackIdentity, { durationMs }: TrackToResolve) =>
  trackNumber == null ? undefined : { disc: discNumber ?? 1, number: trackNumber, title, durationMs };
