// Chooses the release that a file most likely came from: the same recording may be on the album, a single and five
// compilations.
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';
import type { AcoustIdRecording, AcoustIdRelease, AcoustIdReleaseGroup, AcoustIdTrack } from './acoustid-wire.ts';

/** What the tags say about the album. */
export interface AlbumHint {
  album: string | undefined;
  trackNumber: number | undefined;
  discNumber: number | undefined;
}

interface ChosenRelease {
  group: AcoustIdReleaseGroup;
  release: AcoustIdRelease | undefined;
  /** Year of the first release of the group. */
  year: number | undefined;
  /** The recording as a track of that release. */
  track: AcoustIdTrack | undefined;
  trackNumber: number | undefined;
  discNumber: number | undefined;
}

/**
 * Chooses a release. Preferred is the album that the tags name, then an album, an EP, a single, another type, and last
 * a compilation.
 */
export function chooseRelease(recording: AcoustIdRecording, hint: AlbumHint): ChosenRelease | undefined {
  const [group] = recording.releasegroups.toSorted(
    (a, b) => rankOf(a, hint) - rankOf(b, hint) || yearOf(a) - yearOf(b) || compareIds(a.id, b.id),
  );
  if (!group) return undefined;
  const release = chooseReleaseOf(group, hint);
  const position =
    release && (positionsOn(release).find((candidate) => isTaggedPosition(candidate, hint)) ?? positionsOn(release)[0]);
  return {
    group,
    release,
    year: Number.isFinite(yearOf(group)) ? yearOf(group) : undefined,
    track: position?.track,
    trackNumber: position?.trackNumber,
    discNumber: position?.discNumber,
  };
}

const PRIMARY_TYPES = ['album', 'ep', 'single'];
const OTHER_TYPE_RANK = PRIMARY_TYPES.length;
/** Live albums, soundtracks and the like rank after all primary types, and compilations after them. */
const SECONDARY_TYPE_RANK = OTHER_TYPE_RANK + 1;
const COMPILATION_RANK = SECONDARY_TYPE_RANK + 1;

function rankOf(group: AcoustIdReleaseGroup, { album }: AlbumHint): number {
  if (album !== undefined && namesOf(group).some((name) => sortKey(name) === sortKey(album))) return -1;
  const secondary = group.secondarytypes.map((type) => type.toLowerCase());
  if (secondary.includes('compilation')) return COMPILATION_RANK;
  if (secondary.length > 0) return SECONDARY_TYPE_RANK;
  const rank = PRIMARY_TYPES.indexOf(group.type?.toLowerCase() ?? '');
  return rank < 0 ? OTHER_TYPE_RANK : rank;
}

/**
 * Returns the titles of a release group and its releases. The service leaves out a title that equals the one of the
 * level above, and has some titles only for releases.
 */
const namesOf = (group: AcoustIdReleaseGroup): string[] =>
  [group.title, ...group.releases.map((release) => release.title)].filter((name) => name !== undefined);

/** Returns the release on which the track has the number that is in its tags; otherwise the earliest release. */
function chooseReleaseOf(group: AcoustIdReleaseGroup, hint: AlbumHint): AcoustIdRelease | undefined {
  const fitRank = (release: AcoustIdRelease): number =>
    positionsOn(release).some((place) => isTaggedPosition(place, hint)) ? 0 : 1;
  return group.releases.toSorted(
    (a, b) => fitRank(a) - fitRank(b) || dateOf(a) - dateOf(b) || compareIds(a.id, b.id),
  )[0];
}

interface ReleasePosition {
  track: AcoustIdTrack;
  discNumber: number | undefined;
  trackNumber: number | undefined;
}

const positionsOn = (release: AcoustIdRelease): ReleasePosition[] =>
  release.mediums.flatMap((medium) =>
    medium.tracks.map((track) => ({ track, discNumber: medium.position, trackNumber: track.position })),
  );

const isTaggedPosition = (position: ReleasePosition, { trackNumber, discNumber }: AlbumHint): boolean =>
  trackNumber !== undefined &&
  position.trackNumber === trackNumber &&
  (discNumber === undefined || position.discNumber === discNumber);

const yearOf = (group: AcoustIdReleaseGroup): number =>
  Math.min(...group.releases.map((release) => release.date?.year ?? Infinity));
const dateOf = ({ date }: AcoustIdRelease): number =>
  date?.year === undefined ? Infinity : date.year * 10_000 + (date.month ?? 99) * 100 + (date.day ?? 99);
const compareIds = (a: string | undefined, b: string | undefined): number =>
  (a ?? '') < (b ?? '') ? -1 : (a ?? '') > (b ?? '') ? 1 : 0;
