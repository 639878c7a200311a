// Chooses the release that a file most likely came from: a recording is on the album, the single, five compilations.
import { sortKey } from '../library/sort-and-identity-keys.ts';
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
  /** Of the first release of the group. */
  year: number | undefined;
  /** The recording on that release. */
  track: AcoustIdTrack | undefined;
  trackNumber: number | undefined;
  discNumber: number | undefined;
}

/** The album that the tags name; otherwise an album before an EP, a single, others, and compilations last. */
export function chooseRelease(recording: AcoustIdRecording, hint: AlbumHint): ChosenRelease | undefined {
  const [group] = recording.releasegroups.toSorted(
    (a, b) => rankOf(a, hint) - rankOf(b, hint) || yearOf(a) - yearOf(b) || compare(a.id, b.id),
  );
  if (!group) return undefined;
  const release = chooseIn(group, hint);
  const place = release && (placesOn(release).find((one) => fits(one, hint)) ?? placesOn(release)[0]);
  return {
    group,
    release,
    year: Number.isFinite(yearOf(group)) ? yearOf(group) : undefined,
    track: place?.track,
    trackNumber: place?.trackNumber,
    discNumber: place?.discNumber,
  };
}

const TYPES = ['album', 'ep', 'single'];
const OTHER = TYPES.length;
/** Live albums, soundtracks and such, then compilations. */
const SECONDARY = OTHER + 1;
const COMPILATION = SECONDARY + 1;

function rankOf(group: AcoustIdReleaseGroup, { album }: AlbumHint): number {
  if (album !== undefined && namesOf(group).some((name) => sortKey(name) === sortKey(album))) return -1;
  const secondary = group.secondarytypes.map((type) => type.toLowerCase());
  if (secondary.includes('compilation')) return COMPILATION;
  if (secondary.length > 0) return SECONDARY;
  const rank = TYPES.indexOf(group.type?.toLowerCase() ?? '');
  return rank < 0 ? OTHER : rank;
}

/** The service leaves out titles that equal those of the level above, and some are only on the releases. */
const namesOf = (group: AcoustIdReleaseGroup): string[] =>
  [group.title, ...group.releases.map((release) => release.title)].filter((name) => name !== undefined);

/** The release on which the track has the number in the tags; otherwise the earliest. */
function chooseIn(group: AcoustIdReleaseGroup, hint: AlbumHint): AcoustIdRelease | undefined {
  const isFit = (release: AcoustIdRelease): number => (placesOn(release).some((place) => fits(place, hint)) ? 0 : 1);
  return group.releases.toSorted((a, b) => isFit(a) - isFit(b) || dateOf(a) - dateOf(b) || compare(a.id, b.id))[0];
}

interface Place {
  track: AcoustIdTrack;
  discNumber: number | undefined;
  trackNumber: number | undefined;
}

const placesOn = (release: AcoustIdRelease): Place[] =>
  release.mediums.flatMap((medium) =>
    medium.tracks.map((track) => ({ track, discNumber: medium.position, trackNumber: track.position })),
  );

const fits = (place: Place, { trackNumber, discNumber }: AlbumHint): boolean =>
  trackNumber !== undefined &&
  place.trackNumber === trackNumber &&
  (discNumber === undefined || place.discNumber === discNumber);

const yearOf = (group: AcoustIdReleaseGroup): number =>
  Math.min(...group.releases.map((release) => release.date?.year ?? Infinity));
const dateOf = ({ date }: AcoustIdRelease): number =>
  date?.year === undefined ? Infinity : date.year * 10_000 + (date.month ?? 99) * 100 + (date.day ?? 99);
const compare = (a: string | undefined, b: string | undefined): number =>
  (a ?? '') < (b ?? '') ? -1 : (a ?? '') > (b ?? '') ? 1 : 0;
