// The shapes of the protocol: Child, AlbumID3, ArtistID3 and others. Fields of OpenSubsonic are separate, in `open…`:
// legacy clients do not get them, all others get them even if empty, which shows that they are supported.
import { RIGHT_LIST, RIGHTS, type AccountLimits, type Rights } from '../db/rights.ts';
import type { ArtistId } from '../db/ids.ts';
import type { CreditRole } from '../db/more-tags.ts';
import { UNKNOWN_ALBUM, UNKNOWN_ARTIST } from '../db/unknown-names.ts';
import { valuesOfList, type TrackField } from '../db/track-fields.ts';
import type { Person } from '../library/credits/people.ts';
import type { AlbumSummary } from '../library/lists/album-rows.ts';
import type { ArtistSummary } from '../library/lists/artist-rows.ts';
import type { FolderLike } from '../likes/folder-likes.ts';
import { gainOf, type TrackSummary } from '../library/lists/track-rows.ts';
import { PROFILES } from '../media/transcode.ts';
import { contentTypeOf } from '../media/audio-formats.ts';
import { chooseAudio } from '../streaming/direct-or-transcoded.ts';
import { displayPath } from './display-path.ts';
import { toCoverId, toId } from './ids.ts';
import { extraAlbumFields, extraSongFields, type ListCredits } from './more-tags.ts';
import type { Fields } from './xml.ts';

export type Shapes = ReturnType<typeof createShapes>;

/** The album or artist that a folder contains. */
export interface FolderMusic {
  album?: AlbumSummary | undefined;
  artist?: ArtistSummary | undefined;
  /** The star and rating of a folder that contains neither. */
  like?: Pick<FolderLike, 'likedAt' | 'rating'>;
}
interface ListedFolder extends FolderMusic {
  id: string;
  name: string;
  parent: string;
  coverArt: string;
}

interface ShapesOptions {
  legacy: boolean;
  listCredits: ListCredits;
  /** Returns the roles of an artist besides those of artists. */
  rolesOf: (id: ArtistId) => CreditRole[];
  /** Returns what tells artists of one name apart, as MusicBrainz says it. */
  disambiguationOf: (id: ArtistId) => string | null;
  /** Bit rate limit of the listener's account. */
  mostKbps: number | null;
}

export function createShapes({ legacy, listCredits, rolesOf, disambiguationOf, mostKbps }: ShapesOptions) {
  /** Describes what `stream` without parameters sends instead of the original. */
  function transcodedFields({ format, bitrateKbps }: TrackSummary): Fields {
    const audio = mostKbps !== null && chooseAudio({ format, bitrateKbps, codec: null }, {}, true, mostKbps);
    if (!audio || audio === 'original') return {};
    const { contentType, extension } = PROFILES[audio.profile];
    return { transcodedContentType: contentType, transcodedSuffix: extension };
  }
  const openFields = (fields: () => Fields): Fields => (legacy ? {} : fields());

  return {
    /** Converts a track. `parent` is the folder in which the song is listed; by default its album. */
    song: (t: TrackSummary, { parent }: { parent?: string } = {}): Fields => ({
      id: toId('track', t.id),
      parent: parent ?? (t.albumId === null ? undefined : toId('album', t.albumId)),
      isDir: false,
      title: t.title,
      album: t.albumTitle ?? UNKNOWN_ALBUM,
      artist: t.artistName ?? UNKNOWN_ARTIST,
      track: t.trackNumber ?? undefined,
      year: t.year ?? undefined,
      genre: t.genre ?? undefined,
      coverArt: songCover(t),
      size: t.sizeBytes ?? 0,
      contentType: contentTypeOf(t.format ?? 'mp3').replace(/;.*/, ''),
      suffix: t.format ?? 'mp3',
      ...transcodedFields(t),
      duration: inSeconds(t.durationMs),
      bitRate: t.bitrateKbps ?? undefined,
      path: displayPath(t),
      isVideo: false,
      ...ratingOf(t),
      ...averageOf(t),
      playCount: t.playCount,
      discNumber: t.discNumber ?? undefined,
      created: t.createdAt,
      albumId: t.albumId === null ? undefined : toId('album', t.albumId),
      artistId: artistIdOf(t),
      type: 'music',
      bookmarkPosition: t.bookmarkMs ?? undefined,
      ...openFields(() => ({
        ...openSong(t),
        ...extraSongFields(t, listCredits),
        // clients that read folders take each artist in them for a folder
        ...(parent !== undefined && { contributors: [] }),
      })),
    }),

    album: (a: AlbumSummary): Fields => ({
      id: toId('album', a.id),
      name: a.title,
      artist: a.artistName ?? UNKNOWN_ARTIST,
      artistId: a.artistId === null ? undefined : toId('artist', a.artistId),
      coverArt: albumCover(a),
      songCount: a.trackCount,
      duration: inSeconds(a.durationMs),
      playCount: a.playCount,
      created: a.createdAt,
      starred: a.likedAt ?? undefined,
      year: a.year ?? undefined,
      genre: a.genre ?? undefined,
      ...openFields(() => openAlbum(a)),
    }),

    /** Converts an album to a folder, for clients in folder mode. */
    albumFolder: (a: AlbumSummary, parent?: string): Fields => ({
      id: toId('album', a.id),
      parent: parent ?? (a.artistId === null ? undefined : toId('artist', a.artistId)),
      isDir: true,
      title: a.title,
      album: a.title,
      artist: a.artistName ?? UNKNOWN_ARTIST,
      year: a.year ?? undefined,
      genre: a.genre ?? undefined,
      coverArt: albumCover(a),
      duration: inSeconds(a.durationMs),
      ...ratingOf(a),
      playCount: a.playCount,
      created: a.createdAt,
      artistId: a.artistId === null ? undefined : toId('artist', a.artistId),
      ...openFields(() => ({
        name: a.title,
        songCount: a.trackCount,
        mediaType: 'album',
        played: a.lastPlayedAt ?? undefined,
      })),
    }),

    artist: (a: ArtistSummary): Fields => ({
      id: toId('artist', a.id),
      name: a.name,
      coverArt: toId('artist', a.id),
      albumCount: a.albumCount,
      starred: a.likedAt ?? undefined,
      ...openFields(() => ({
        ...starsOf(a),
        ...averageOf(a),
        musicBrainzId: a.artistMbid ?? '',
        sortName: a.sortName,
        disambiguation: disambiguationOf(a.id) ?? '',
        roles: [...(a.albumCount > 0 ? ['albumartist'] : []), 'artist', ...rolesOf(a.id)],
      })),
    }),

    /** Converts a person with credits who is no artist of the library. */
    person: (p: Person, albumCount: number): Fields => ({
      id: toId('person', p.id),
      name: p.name,
      albumCount,
      ...openFields(() => ({ musicBrainzId: '', sortName: p.name, roles: p.roles.map(({ role }) => role) })),
    }),

    /** Converts an artist to a folder, for clients in folder mode. */
    artistFolder: (a: ArtistSummary): Fields => ({
      id: toId('artist', a.id),
      name: a.name,
      starred: a.likedAt ?? undefined,
      ...starsOf(a),
      ...averageOf(a),
      ...openFields(() => ({ coverArt: toId('artist', a.id) })),
    }),

    /** Converts a real folder, which may contain an album or an artist. */
    folder({ id, name, parent, coverArt, album, artist, like }: ListedFolder): Fields {
      const item = album ?? artist;
      return {
        id,
        parent,
        isDir: true,
        title: name,
        ...(album && { album: album.title, artist: album.artistName ?? UNKNOWN_ARTIST }),
        ...(artist && { artist: artist.name }),
        year: album?.year ?? undefined,
        genre: album?.genre ?? undefined,
        coverArt: album ? albumCover(album) : artist ? toId('artist', artist.id) : coverArt,
        duration: album && inSeconds(album.durationMs),
        ...(item && { ...ratingOf(item), ...averageOf(item) }),
        ...(like && ratingOf(like)),
        playCount: album?.playCount,
        created: item?.createdAt,
        albumId: album && toId('album', album.id),
        artistId: artist ? toId('artist', artist.id) : album?.artistId ? toId('artist', album.artistId) : undefined,
        ...openFields(() => ({
          name,
          ...(album && { songCount: album.trackCount, mediaType: 'album', played: album.lastPlayedAt ?? undefined }),
          ...(artist && { mediaType: 'artist' }),
        })),
      };
    },

    open: openFields,
  };
}

/**
 * Returns the artist's id; the album artist for a track without an artist, which is in an album of `[Unknown Artist]`.
 */
function artistIdOf({ artistId, albumArtistId }: TrackSummary): string | undefined {
  const id = artistId ?? albumArtistId;
  return id === null ? undefined : toId('artist', id);
}

/** Returns the id of the album's image, so that clients load one image for all songs of the album. */
const songCover = (t: TrackSummary): string =>
  t.albumId === null || t.albumTitle === null
    ? toId('track', t.id)
    : toCoverId('album', t.albumId, t.hasCover ? t.coverEtag : null);
const albumCover = (a: AlbumSummary): string => toCoverId('album', a.id, a.hasCover ? a.coverEtag : null);

export const inSeconds = (ms: number | null): number => Math.round((ms ?? 0) / 1_000);

/** Returns rating and star. Leaves out a missing rating, because clients do not know 0. */
const ratingOf = ({ likedAt, rating }: { likedAt: Date | null; rating: number }): Fields => ({
  starred: likedAt ?? undefined,
  ...starsOf({ rating }),
});

/** Returns the rating as a whole number of stars, the only one that clients know; a half counts up. */
export const starsOf = ({ rating }: { rating: number }): Fields =>
  rating > 0 ? { userRating: Math.round(rating) } : {};

const averageOf = ({ averageRating }: { averageRating: number | null }): Fields =>
  averageRating === null ? {} : { averageRating: Math.max(1, averageRating) };

/** Fields of songs in the protocol that `song` does not set itself. */
const SONG_FIELDS: Partial<Record<TrackField, (t: TrackSummary) => Fields>> = {
  bpm: (t) => ({ bpm: Math.round(t.bpm ?? 0) }),
  comment: (t) => ({ comment: t.comment ?? '' }),
  composer: (t) => ({ displayComposer: t.composer ?? '' }),
  isrc: (t) => ({ isrc: valuesOfList(t.isrc) }),
};
const SONG_FIELD_BUILDERS = Object.values(SONG_FIELDS);
const songFieldsOf = (t: TrackSummary): Fields =>
  Object.assign({}, ...SONG_FIELD_BUILDERS.map((build) => build(t))) as Fields;

const openSong = (t: TrackSummary): Fields => ({
  bitDepth: t.bitDepth ?? 0,
  samplingRate: t.sampleRateHz ?? 0,
  channelCount: t.channels ?? 0,
  mediaType: 'song',
  played: t.lastPlayedAt ?? undefined,
  musicBrainzId: t.recordingMbid ?? '',
  displayArtist: t.artistName ?? '',
  displayAlbumArtist: t.albumArtistName ?? '',
  genres: t.genres.map((name) => ({ name })),
  artists: t.artists.map(({ id, name }) => ({ id: toId('artist', id), name })),
  albumArtists: albumArtistsOf(t).map(({ id, name }) => ({ id: toId('artist', id), name })),
  replayGain: replayGain(t),
  ...songFieldsOf(t),
});

/** Returns the album artists; a track without an album is in the album `[Unknown Album]` of its artist. */
const albumArtistsOf = (t: TrackSummary): TrackSummary['albumArtists'] =>
  t.albumArtists.length > 0 || t.albumArtistId === null
    ? t.albumArtists
    : [{ id: t.albumArtistId, name: t.artists[0]?.name ?? UNKNOWN_ARTIST }];

function replayGain(t: TrackSummary): Fields {
  const { trackGainDb = null, albumGainDb = null, trackPeak = null, albumPeak = null } = gainOf(t) ?? {};
  return {
    ...(trackGainDb !== null && { trackGain: trackGainDb }),
    ...(albumGainDb !== null && { albumGain: albumGainDb }),
    ...(trackPeak !== null && trackPeak > 0 && { trackPeak }),
    ...(albumPeak !== null && albumPeak > 0 && { albumPeak }),
  };
}

const openAlbum = (a: AlbumSummary): Fields => ({
  version: a.edition ?? '',
  played: a.lastPlayedAt ?? undefined,
  ...starsOf(a),
  ...averageOf(a),
  musicBrainzId: a.releaseMbid ?? '',
  displayArtist: a.artistName ?? '',
  isCompilation: a.isCompilation,
  recordLabels: a.labels.map((name) => ({ name })),
  genres: a.genre === null ? [] : [{ name: a.genre }],
  artists: a.artists.map(({ id, name }) => ({ id: toId('artist', id), name })),
  moods: a.moods,
  ...extraAlbumFields(a),
});

type User = Rights &
  Pick<AccountLimits, 'maxBitrateKbps'> & { username: string; isSuperuser: boolean; email: string | null };

/** Converts a user. Sends a limit of 0 for an account without a limit. */
export const toUser = ({ username, isSuperuser, maxBitrateKbps, email, ...rights }: User, folder: number[]): Fields => {
  const roles = Object.fromEntries(RIGHT_LIST.map((right) => [RIGHTS[right].role, isSuperuser || rights[right]]));
  return {
    username,
    email: email ?? undefined,
    scrobblingEnabled: true,
    maxBitRate: maxBitrateKbps ?? 0,
    adminRole: isSuperuser,
    settingsRole: true,
    playlistRole: true,
    commentRole: true,
    streamRole: true,
    ...roles,
    videoConversionRole: false,
    folder,
  };
};
