// Ranks the recordings that AcoustID returned for a track.
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';
import { isVariousArtists } from '../library/albums/compilations.ts';
import type { AcoustIdArtist, AcoustIdRecording, AcoustIdResult } from './acoustid-wire.ts';
import type { Match } from './match.ts';
import { chooseRelease, type AlbumHint } from './releases.ts';

export interface FileHint extends AlbumHint {
  title: string | undefined;
  artists: readonly string[];
  /** Length of the file. */
  durationMs: number;
}

/** The tolerance in length that AcoustID itself uses. */
const LENGTH_TOLERANCE_S = 7;
/** Maximum number of candidates that are stored with a track. */
const MAX_CANDIDATES = 5;

interface Candidate {
  result: AcoustIdResult;
  recording: AcoustIdRecording;
}

/**
 * Ranks recordings by score, number of submissions, difference in length, and agreement with the tags. Recordings of
 * another length are used only if the result has no recording of the file's length.
 */
export function rankCandidates(results: readonly AcoustIdResult[], hint: FileHint): Match[] {
  const lengthDifference = ({ duration }: AcoustIdRecording): number =>
    duration === undefined ? LENGTH_TOLERANCE_S : Math.abs(duration - hint.durationMs / 1_000);
  const recordingIds = new Set<string>();
  return results
    .flatMap((result) => {
      const matchingLength = result.recordings.filter((recording) => lengthDifference(recording) <= LENGTH_TOLERANCE_S);
      return (matchingLength.length > 0 ? matchingLength : result.recordings).map((recording): Candidate => ({
        result,
        recording,
      }));
    })
    .toSorted(
      (a, b) =>
        b.result.score - a.result.score ||
        hasTitle(b) - hasTitle(a) ||
        (b.recording.sources ?? 0) - (a.recording.sources ?? 0) ||
        Math.round(lengthDifference(a.recording)) - Math.round(lengthDifference(b.recording)) ||
        agreement(b.recording, hint) - agreement(a.recording, hint),
    )
    .filter(({ recording }) => !recordingIds.has(recording.id) && recordingIds.add(recording.id))
    .slice(0, MAX_CANDIDATES)
    .map(({ result, recording }) => matchOf(recording, hint, { score: result.score, acoustidId: result.id }));
}

/** Returns 1 for a recording with a title, 0 without one, so that recordings without a title come last. */
const hasTitle = ({ recording }: Candidate): number => Number(recording.title !== undefined);

function agreement({ title, artists, releasegroups }: AcoustIdRecording, hint: FileHint): number {
  const key = (text: string | undefined): string => (text === undefined ? '' : sortKey(text));
  const isSameTitle = hint.title !== undefined && key(title) === key(hint.title);
  const isSameArtist = hint.artists.some((name) => artists.some((artist) => key(artist.name) === key(name)));
  const isSameAlbum = hint.album !== undefined && releasegroups.some((group) => key(group.title) === key(hint.album));
  return Number(isSameTitle) * 4 + Number(isSameArtist) * 2 + Number(isSameAlbum);
}

/**
 * Returns the match for a recording. Values that a level of the response lacks are taken from the level above. The
 * artist of the release is used late, because on a compilation it is Various Artists.
 */
export function matchOf(
  recording: AcoustIdRecording,
  hint: AlbumHint,
  { score, acoustidId }: { score: number | null; acoustidId: string | undefined },
): Match {
  const release = chooseRelease(recording, hint);
  const artists = firstNamed(
    release?.track?.artists,
    recording.artists,
    release?.release?.artists,
    release?.group.artists,
  );
  const albumArtists = firstNamed(release?.release?.artists, release?.group.artists, recording.artists);
  const album = release?.group.title ?? release?.release?.title;
  return {
    score,
    acoustidId,
    recordingMbid: recording.id,
    title: release?.track?.title ?? recording.title,
    ...creditOf(artists),
    ...(album !== undefined &&
      release && {
        album,
        year: release.year,
        trackNumber: release.trackNumber,
        discNumber: release.discNumber,
        releaseGroupMbid: release.group.id,
        albumArtist: showName(albumArtists),
        albumArtists: namesOf(albumArtists),
        albumArtistMbids: idsOf(albumArtists),
        ...(isVariousArtists(showName(albumArtists) ?? '') && { compilation: true }),
      }),
    genres: [],
  };
}

const firstNamed = (...lists: (readonly AcoustIdArtist[] | undefined)[]): readonly AcoustIdArtist[] =>
  lists.find((artists) => artists?.some((artist) => artist.name !== undefined)) ?? [];

function creditOf(artists: readonly AcoustIdArtist[]): Pick<Match, 'artists' | 'artist' | 'artistMbids'> {
  const names = namesOf(artists);
  return { artists: names, ...(names.length > 1 && { artist: showName(artists) }), artistMbids: idsOf(artists) };
}

const namesOf = (artists: readonly AcoustIdArtist[]): string[] => artists.flatMap(({ name }) => name ?? []);

/** Returns all ids or none, because ids and names are matched by position. */
const idsOf = (artists: readonly AcoustIdArtist[]): string[] | undefined => {
  const ids = artists.flatMap(({ name, id }) => (name === undefined || id === undefined ? [] : [id]));
  return ids.length === namesOf(artists).length && ids.length > 0 ? ids : undefined;
};

/** Returns the credit as written, such as `The Quays feat. Ida Lund`. */
function showName(artists: readonly AcoustIdArtist[]): string | undefined {
  const parts = artists.flatMap(({ name, joinphrase }, i) =>
    name === undefined ? [] : [name, joinphrase ?? (i < artists.length - 1 ? ', ' : '')],
  );
  return parts.length === 0 ? undefined : parts.join('').trim();
}
