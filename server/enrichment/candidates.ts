// Ranks the recordings that AcoustID returned for a track.
import { sortKey } from '../library/sort-and-identity-keys.ts';
import { isVariousArtists } from '../library/resolve.ts';
import type { AcoustIdArtist, AcoustIdRecording, AcoustIdResult } from './acoustid-wire.ts';
import type { Match } from './match.ts';
import { chooseRelease, type AlbumHint } from './releases.ts';

export interface FileHint extends AlbumHint {
  title: string | undefined;
  artists: readonly string[];
  /** Of the file. */
  durationMs: number;
}

/** The tolerance of the service. */
const LENGTH_WITHIN_S = 7;
/** Candidates stored with a track. */
const MAX_CANDIDATES = 5;

interface Candidate {
  result: AcoustIdResult;
  recording: AcoustIdRecording;
}

/**
 * By score, then number of submissions, then difference in length, then agreement with the tags. Of the recordings of
 * one result, those of another length count only if all are.
 */
export function rankCandidates(results: readonly AcoustIdResult[], hint: FileHint): Match[] {
  const far = ({ duration }: AcoustIdRecording): number =>
    duration === undefined ? LENGTH_WITHIN_S : Math.abs(duration - hint.durationMs / 1_000);
  const seen = new Set<string>();
  return results
    .flatMap((result) => {
      const near = result.recordings.filter((recording) => far(recording) <= LENGTH_WITHIN_S);
      return (near.length > 0 ? near : result.recordings).map((recording): Candidate => ({ result, recording }));
    })
    .toSorted(
      (a, b) =>
        b.result.score - a.result.score ||
        isNamed(b) - isNamed(a) ||
        (b.recording.sources ?? 0) - (a.recording.sources ?? 0) ||
        Math.round(far(a.recording)) - Math.round(far(b.recording)) ||
        agreement(b.recording, hint) - agreement(a.recording, hint),
    )
    .filter(({ recording }) => !seen.has(recording.id) && seen.add(recording.id))
    .slice(0, MAX_CANDIDATES)
    .map(({ result, recording }) => matchOf(recording, hint, { score: result.score, acoustidId: result.id }));
}

/** Recordings without a title come after those with one. */
const isNamed = ({ recording }: Candidate): number => Number(recording.title !== undefined);

function agreement({ title, artists, releasegroups }: AcoustIdRecording, hint: FileHint): number {
  const key = (text: string | undefined): string => (text === undefined ? '' : sortKey(text));
  const isTitle = hint.title !== undefined && key(title) === key(hint.title);
  const isArtist = hint.artists.some((name) => artists.some((artist) => key(artist.name) === key(name)));
  const isAlbum = hint.album !== undefined && releasegroups.some((group) => key(group.title) === key(hint.album));
  return Number(isTitle) * 4 + Number(isArtist) * 2 + Number(isAlbum);
}

/**
 * What a level of the answer leaves out is on the level above. The artist of the release comes late, because that of a
 * compilation is Various Artists.
 */
export function matchOf(
  recording: AcoustIdRecording,
  hint: AlbumHint,
  { score, acoustidId }: { score: number | null; acoustidId: string | undefined },
): Match {
  const chosen = chooseRelease(recording, hint);
  const artists = firstNamed(
    chosen?.track?.artists,
    recording.artists,
    chosen?.release?.artists,
    chosen?.group.artists,
  );
  const albumArtists = firstNamed(chosen?.release?.artists, chosen?.group.artists, recording.artists);
  const album = chosen?.group.title ?? chosen?.release?.title;
  return {
    score,
    acoustidId,
    recordingMbid: recording.id,
    title: chosen?.track?.title ?? recording.title,
    ...creditOf(artists),
    ...(album !== undefined &&
      chosen && {
        album,
        year: chosen.year,
        trackNumber: chosen.trackNumber,
        discNumber: chosen.discNumber,
        releaseGroupMbid: chosen.group.id,
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

/** All or none, because ids and names are matched by position. */
const idsOf = (artists: readonly AcoustIdArtist[]): string[] | undefined => {
  const ids = artists.flatMap(({ name, id }) => (name === undefined || id === undefined ? [] : [id]));
  return ids.length === namesOf(artists).length && ids.length > 0 ? ids : undefined;
};

/** The credit as written: `The Quays feat. Ida Lund`. */
function showName(artists: readonly AcoustIdArtist[]): string | undefined {
  const parts = artists.flatMap(({ name, joinphrase }, i) =>
    name === undefined ? [] : [name, joinphrase ?? (i < artists.length - 1 ? ', ' : '')],
  );
  return parts.length === 0 ? undefined : parts.join('').trim();
}
