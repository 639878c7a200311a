// Completes a match from MusicBrainz, with what neither AcoustID nor the tags have: genres, the year of the first
// release, the track number, and titles of recordings that AcoustID returns without one.
import type { TrackIdentity } from '../library/tracks/track-values.ts';
import type { AcoustIdRecording, AcoustIdReleaseGroup } from './acoustid-wire.ts';
import { matchOf } from './candidates.ts';
import type { Match } from './match.ts';
import { genreNames, yearOf, type KnownRecording, type MusicBrainz } from './musicbrainz.ts';
import type { AlbumHint } from './releases.ts';

/** Returns whether the recording or the genre of a match has to be looked up. */
function gapsOf(match: Match, tags: TrackIdentity | undefined): { recording: boolean; genre: boolean } {
  const isMissing = (field: 'year' | 'trackNumber'): boolean =>
    match[field] === undefined && (tags?.[field] === undefined || tags.provenance?.[field] === 'path');
  return {
    recording: match.title === undefined || match.artists.length === 0 || isMissing('year') || isMissing('trackNumber'),
    genre: (tags?.genres.length ?? 0) === 0 && match.genres.length === 0,
  };
}

/** Returns the match with its gaps filled. Throws a ServiceError or the reason of `signal`. */
export async function completeMatch(
  musicBrainz: MusicBrainz,
  match: Match,
  tags: TrackIdentity | undefined,
  signal: AbortSignal,
): Promise<Match> {
  const gaps = gapsOf(match, tags);
  const recording =
    gaps.recording && match.recordingMbid !== undefined
      ? await musicBrainz.findRecording(match.recordingMbid, signal)
      : undefined;
  const completedMatch = recording
    ? withGapsFilled(match, recording, {
        album: match.album ?? tags?.album,
        trackNumber: tags?.trackNumber,
        discNumber: tags?.discNumber,
      })
    : match;
  if (!gaps.genre || completedMatch.genres.length > 0) return completedMatch;
  const group = completedMatch.releaseGroupMbid ?? tags?.releaseGroupMbid;
  const releaseGroup = group === undefined ? undefined : await musicBrainz.findReleaseGroup(group, signal);
  return releaseGroup ? { ...completedMatch, genres: genreNames(releaseGroup.genres) } : completedMatch;
}

function withGapsFilled(match: Match, recording: KnownRecording, hint: AlbumHint): Match {
  const recordingMatch = matchOf(toAcoustIdRecording(recording), hint, {
    score: match.score,
    acoustidId: match.acoustidId,
  });
  const isSameAlbum = match.album === undefined || match.releaseGroupMbid === recordingMatch.releaseGroupMbid;
  const namedMatch = match.artists.length > 0 ? match : recordingMatch;
  return {
    ...(match.album === undefined ? { ...recordingMatch, ...definedFields(match) } : match),
    recordingMbid: recording.id, // differs from the id in the match if MusicBrainz has merged the recording
    title: match.title ?? recordingMatch.title,
    artists: namedMatch.artists,
    artist: namedMatch.artist,
    artistMbids: namedMatch.artistMbids,
    year: match.year ?? yearOf(recording['first-release-date']) ?? recordingMatch.year,
    trackNumber: match.trackNumber ?? (isSameAlbum ? recordingMatch.trackNumber : undefined),
    discNumber: match.discNumber ?? (isSameAlbum ? recordingMatch.discNumber : undefined),
    genres: match.genres.length > 0 ? match.genres : genreNames(recording.genres),
  };
}

const definedFields = (match: Match): Partial<Match> =>
  Object.fromEntries(
    Object.entries(match).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  );

/** Converts a recording to the shape of AcoustID, for chooseRelease. Uses only official releases if there are any. */
function toAcoustIdRecording(recording: KnownRecording): AcoustIdRecording {
  const officialReleases = recording.releases.filter(({ status }) => status === 'Official');
  const groups = new Map<string, AcoustIdReleaseGroup>();
  for (const release of officialReleases.length > 0 ? officialReleases : recording.releases) {
    const group = release['release-group'];
    const key = group?.id ?? release.id ?? '';
    const releaseGroup = groups.get(key) ?? {
      id: group?.id ?? undefined,
      title: group?.title ?? undefined,
      type: group?.['primary-type'] ?? undefined,
      secondarytypes: group?.['secondary-types'] ?? [],
      artists: [],
      releases: [],
    };
    groups.set(key, releaseGroup);
    const year = yearOf(release.date);
    releaseGroup.releases.push({
      id: release.id ?? undefined,
      title: release.title ?? undefined,
      artists: [],
      country: undefined,
      track_count: undefined,
      medium_count: undefined,
      date: year === undefined ? undefined : { year, month: undefined, day: undefined },
      mediums: release.media.map((medium) => ({
        position: medium.position ?? undefined,
        track_count: medium['track-count'] ?? undefined,
        tracks: medium.tracks.map((track) => ({
          position: track.position ?? undefined,
          title: track.title ?? undefined,
          artists: [],
        })),
      })),
    });
  }
  return {
    id: recording.id,
    title: recording.title ?? undefined,
    duration: undefined,
    sources: undefined,
    releasegroups: [...groups.values()],
    artists: recording['artist-credit'].map(({ name, joinphrase, artist }) => ({
      name,
      joinphrase: joinphrase ?? undefined,
      id: artist?.id ?? undefined,
    })),
  };
}
