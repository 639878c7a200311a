// Completes a match from MusicBrainz, with what neither AcoustID nor the tags have: genres, the year of the first
// release, the track number, and titles of recordings that AcoustID returns without one.
import type { TrackIdentity } from '../library/track-values.ts';
import type { AcoustIdRecording, AcoustIdReleaseGroup } from './acoustid-wire.ts';
import { matchOf } from './candidates.ts';
import type { Match } from './match.ts';
import { genreNames, yearOf, type KnownRecording, type MusicBrainz } from './musicbrainz.ts';
import type { AlbumHint } from './releases.ts';

/** Whether the recording or the genre has to be looked up. */
function gapsOf(match: Match, tags: TrackIdentity | undefined): { recording: boolean; genre: boolean } {
  const isSilent = (field: 'year' | 'trackNumber'): boolean =>
    match[field] === undefined && (tags?.[field] === undefined || tags.provenance?.[field] === 'path');
  return {
    recording: match.title === undefined || match.artists.length === 0 || isSilent('year') || isSilent('trackNumber'),
    genre: (tags?.genres.length ?? 0) === 0 && match.genres.length === 0,
  };
}

/** The match with its gaps filled. Throws a ServiceError or the reason of `signal`. */
export async function completeMatch(
  musicBrainz: MusicBrainz,
  match: Match,
  tags: TrackIdentity | undefined,
  signal: AbortSignal,
): Promise<Match> {
  const gaps = gapsOf(match, tags);
  const known =
    gaps.recording && match.recordingMbid !== undefined
      ? await musicBrainz.findRecording(match.recordingMbid, signal)
      : undefined;
  const full = known
    ? withGapsFilled(match, known, {
        album: match.album ?? tags?.album,
        trackNumber: tags?.trackNumber,
        discNumber: tags?.discNumber,
      })
    : match;
  if (!gaps.genre || full.genres.length > 0) return full;
  const group = full.releaseGroupMbid ?? tags?.releaseGroupMbid;
  const found = group === undefined ? undefined : await musicBrainz.findReleaseGroup(group, signal);
  return found ? { ...full, genres: genreNames(found.genres) } : full;
}

function withGapsFilled(match: Match, known: KnownRecording, hint: AlbumHint): Match {
  const other = matchOf(toAcoustIdRecording(known), hint, { score: match.score, acoustidId: match.acoustidId });
  const isSameAlbum = match.album === undefined || match.releaseGroupMbid === other.releaseGroupMbid;
  const names = match.artists.length > 0 ? match : other;
  return {
    ...(match.album === undefined ? { ...other, ...defined(match) } : match),
    recordingMbid: known.id, // differs from the match for a merged recording
    title: match.title ?? other.title,
    artists: names.artists,
    artist: names.artist,
    artistMbids: names.artistMbids,
    year: match.year ?? yearOf(known['first-release-date']) ?? other.year,
    trackNumber: match.trackNumber ?? (isSameAlbum ? other.trackNumber : undefined),
    discNumber: match.discNumber ?? (isSameAlbum ? other.discNumber : undefined),
    genres: match.genres.length > 0 ? match.genres : genreNames(known.genres),
  };
}

const defined = (match: Match): Partial<Match> =>
  Object.fromEntries(
    Object.entries(match).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  );

/** The recording in the shape of AcoustID, so that chooseRelease works on it. Official releases, if there are any. */
function toAcoustIdRecording(known: KnownRecording): AcoustIdRecording {
  const official = known.releases.filter(({ status }) => status === 'Official');
  const groups = new Map<string, AcoustIdReleaseGroup>();
  for (const release of official.length > 0 ? official : known.releases) {
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
    id: known.id,
    title: known.title ?? undefined,
    duration: undefined,
    sources: undefined,
    releasegroups: [...groups.values()],
    artists: known['artist-credit'].map(({ name, joinphrase, artist }) => ({
      name,
      joinphrase: joinphrase ?? undefined,
      id: artist?.id ?? undefined,
    })),
  };
}
