// Decides which tracks of one name (album artist and title) are one album: an album is a release. Two pure steps:
// tracks are grouped into parts, and parts into releases. The result does not depend on the order of the tracks.
// docs/decisions/0108 has the reasons, test/data/releases.txt the cases.
import type { TrackId } from '../../db/ids.ts';
import { SAME_LENGTH_MS, SAME_SOUND, soundSimilarity } from '../../media/fingerprint-match.ts';

/** A track as the rule sees it: its tags and the values that people typed. */
export interface NamedTrack {
  id: TrackId;
  /**
   * The key of the track's folder; a folder and the folders of its discs have the same key. Undefined if the track's
   * folder does not count.
   */
  folder: string | undefined;
  /** The album that the track stays in whatever the rule says; undefined for most tracks. */
  fixedAlbum: number | undefined;
  disc: number;
  number: number | null;
  /** A person gave the track this album name. */
  isTyped: boolean;
  /** The title of the track, folded like `edition`. */
  title: string;
  durationMs: number;
  releaseMbid: string | undefined;
  edition: string | undefined;
  /** Undefined on compilations, whose songs have years of their own. */
  year: number | undefined;
}

/** Returns the fingerprint of an analyzed track. */
export type SoundOf = (id: TrackId) => Uint32Array | undefined;
type ComparedTrack = Pick<NamedTrack, 'id' | 'title' | 'durationMs'>;
type Comparison = (track: ComparedTrack, otherTrack: ComparedTrack) => boolean;

/** Groups the tracks into albums. */
export function releasesOf(tracks: readonly NamedTrack[], soundOf: SoundOf): NamedTrack[][] {
  const isSameRecording = createComparison(soundOf);
  const parts = partsOf(tracks, isSameRecording);
  const [typedParts, otherParts] = partition(parts, isTypedPart);
  return addTypedParts(separateFixed(joinParts(otherParts, isSameRecording)), typedParts, isSameRecording).map(
    (album) => album.flatMap((part) => part.tracks),
  );
}

const partition = <T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] => [
  items.filter(isFirst),
  items.filter((item) => !isFirst(item)),
];

/** Returns whether people gave all tracks of the part their album name. */
const isTypedPart = ({ tracks, fixedAlbum }: Part): boolean =>
  fixedAlbum === undefined && tracks.every(({ isTyped }) => isTyped);

/** Returns a function that compares tracks by their sound; until both are analyzed, by title and length. */
export function createComparison(soundOf: SoundOf): Comparison {
  return (track, otherTrack) => {
    const [sound, otherSound] = [soundOf(track.id), soundOf(otherTrack.id)];
    if (sound && otherSound) return soundSimilarity(sound, otherSound) >= SAME_SOUND;
    return track.title === otherTrack.title && Math.abs(track.durationMs - otherTrack.durationMs) <= SAME_LENGTH_MS;
  };
}

/** Tracks that certainly belong to one album. */
interface Part {
  tracks: readonly NamedTrack[];
  places: ReadonlyMap<string, readonly NamedTrack[]>;
  fixedAlbum: number | undefined;
  releaseMbid: string | undefined;
  edition: string | undefined;
  year: number | undefined;
}

function partsOf(tracks: readonly NamedTrack[], isSameRecording: Comparison): Part[] {
  const groups = Map.groupBy(tracks, ({ fixedAlbum, folder }) =>
    fixedAlbum !== undefined ? `fixed ${fixedAlbum}` : folder !== undefined ? `in ${folder}` : undefined,
  );
  const looseTracks = groups.get(undefined) ?? [];
  groups.delete(undefined);
  return [...groups.values(), ...partsOfLooseTracks(looseTracks, isSameRecording)].map((group) => ({
    tracks: group,
    places: placesOf(group),
    fixedAlbum: group[0]?.fixedAlbum,
    releaseMbid: mostFrequent(group.map((track) => track.releaseMbid)),
    edition: mostFrequent(group.map((track) => track.edition)),
    year: yearOf(group),
  }));
}

/**
 * Tracks without a folder are one part, unless two recordings claim one place. Then those that name the same release,
 * edition and year stay together.
 */
function partsOfLooseTracks(looseTracks: readonly NamedTrack[], isSameRecording: Comparison): NamedTrack[][] {
  const tracksByNames = Map.groupBy(looseTracks.toSorted(compareByNames), (track) => JSON.stringify(namesOf(track)));
  const parts: NamedTrack[][] = [];
  for (const group of tracksByNames.values()) {
    const possibleParts = parts.filter((part) => !claimOnePlace(part, group, isSameRecording));
    const isConflictFree = !group.some((track, n) => claimOnePlace([track], group.slice(n + 1), isSameRecording));
    const bestPart = possibleParts.toSorted(
      (a, b) => countCommonNames(b[0], group[0]) - countCommonNames(a[0], group[0]),
    )[0];
    if (isConflictFree && bestPart) bestPart.push(...group);
    else if (isConflictFree) parts.push([...group]);
    else parts.push(...divideByPlace(group, isSameRecording));
  }
  return parts;
}

/** Divides tracks into parts: each track goes to the first part in which its disc and track number are free. */
function divideByPlace(tracks: readonly NamedTrack[], isSameRecording: Comparison): NamedTrack[][] {
  const parts: NamedTrack[][] = [];
  for (const track of tracks) {
    const part = parts.find((candidate) => !claimOnePlace(candidate, [track], isSameRecording));
    if (part) part.push(track);
    else parts.push([track]);
  }
  return parts;
}

function claimOnePlace(
  group: readonly NamedTrack[],
  otherGroup: readonly NamedTrack[],
  isSameRecording: Comparison,
): boolean {
  const places = placesOf(group);
  return otherGroup.some((track) =>
    places
      .get(placeOf(track))
      ?.some((occupant) => !isSameRecording(occupant, track) && !areBroughtTogether(occupant, track)),
  );
}

/** Returns whether a person gave one of the tracks the album's name and their years agree: both belong together. */
const areBroughtTogether = (track: NamedTrack, otherTrack: NamedTrack): boolean =>
  (track.isTyped || otherTrack.isTyped) &&
  (track.year === undefined || otherTrack.year === undefined || track.year === otherTrack.year);

const namesOf = ({ releaseMbid, edition, year }: NamedTrack) => [releaseMbid, edition, year] as const;
const countCommonNames = (track: NamedTrack | undefined, otherTrack: NamedTrack | undefined): number =>
  track && otherTrack
    ? namesOf(track).filter((name, n) => name !== undefined && name === namesOf(otherTrack)[n]).length
    : 0;

/** Orders tracks by their tags alone. Tracks without mbid, edition or year come last. */
function compareByNames(a: NamedTrack, b: NamedTrack): number {
  const values = ({ disc, number, title, durationMs, id, ...names }: NamedTrack) =>
    [names.releaseMbid, names.edition, names.year, disc, number ?? undefined, title, durationMs, id] as const;
  const [valuesOfA, valuesOfB] = [values(a), values(b)];
  const n = valuesOfA.findIndex((value, i) => value !== valuesOfB[i]);
  return n < 0 ? 0 : compare(valuesOfA[n], valuesOfB[n]);
}
const compare = (a: string | number | undefined, b: string | number | undefined): number =>
  a === undefined ? 1 : b === undefined ? -1 : a < b ? -1 : 1;

export const placeOf = ({ disc, number, title }: Pick<NamedTrack, 'disc' | 'number' | 'title'>): string =>
  number === null ? `called ${title}` : `${disc}.${number}`;
const placesOf = (tracks: readonly NamedTrack[]) => Map.groupBy(tracks, placeOf);

/** Returns the most frequent value; of equally frequent values the smallest. */
export function mostFrequent<T extends string | number>(values: readonly (T | undefined)[]): T | undefined {
  const byValue = Map.groupBy(values, (value) => value);
  byValue.delete(undefined);
  return [...byValue].toSorted(([a, uses], [b, otherUses]) => otherUses.length - uses.length || compare(a, b))[0]?.[0];
}

/** Returns the year that more than half of the tracks have: the songs of an album may have years of their own. */
function yearOf(tracks: readonly NamedTrack[]): number | undefined {
  const years = tracks.flatMap(({ year }) => year ?? []);
  const year = mostFrequent(years);
  return years.filter((value) => value === year).length * 2 > years.length ? year : undefined;
}

/** Parts that are one album by their release mbid, with the mbid, edition and year that they have in common. */
type Release = Omit<Part, 'tracks' | 'fixedAlbum'> & { parts: readonly Part[] };

function joinParts(parts: readonly Part[], isSameRecording: Comparison): Part[][] {
  const partsByMbid = Map.groupBy(parts, (part) => part.releaseMbid ?? part);
  const releases = [...partsByMbid.values()].map((group): Release => {
    const tracks = group.flatMap((part) => part.tracks);
    const edition = mostFrequent(group.map((part) => part.edition));
    return {
      parts: group,
      places: placesOf(tracks),
      releaseMbid: group[0]?.releaseMbid,
      edition,
      year: mostFrequent(group.map((part) => part.year)),
    };
  });
  return groupAgreeing(releases).flatMap((group) => joinAgreeing(group, isSameRecording));
}

/**
 * Groups releases that name the same mbid, edition and year. A release that lacks one of these values agrees with all
 * others if those name only one value; otherwise only with releases that lack the value too.
 */
function groupAgreeing(releases: readonly Release[]): Release[][] {
  const kinds = (['releaseMbid', 'edition', 'year'] as const).filter(
    (kind) => new Set(releases.flatMap((release) => release[kind] ?? [])).size > 1,
  );
  return [...Map.groupBy(releases, (release) => JSON.stringify(kinds.map((kind) => release[kind] ?? null))).values()];
}

/**
 * Joins releases with the same recordings at the same places, which are one album owned twice. Other releases are
 * joined to them if no place is then claimed twice.
 */
function joinAgreeing(releases: readonly Release[], isSameRecording: Comparison): Part[][] {
  const units = groupConnected(releases, (a, b) => isCopy(a, b, isSameRecording)).flatMap((group) =>
    group.every((release, n) =>
      group.slice(n + 1).every((otherRelease) => isCopy(release, otherRelease, isSameRecording)),
    )
      ? [group]
      : group.map((release) => [release]),
  );
  const places = units.map((unit) => new Set(unit.flatMap((release) => [...release.places.keys()])));
  const allPlaces = new Set(places.flatMap((unitPlaces) => [...unitPlaces]));
  const areComplementary = places.reduce((sum, { size }) => sum + size, 0) === allPlaces.size;
  const albums = areComplementary ? [units.flat()] : units;
  return albums.map((unit) => unit.flatMap((release) => release.parts));
}

/** Returns whether two releases share places and hold the same recording at each of them. */
function isCopy(release: Release, otherRelease: Release, isSameRecording: Comparison): boolean {
  const placeMatches = [...release.places].flatMap(([place, tracks]) => {
    const otherTracks = otherRelease.places.get(place);
    return otherTracks ? [tracks.some((track) => otherTracks.some((copy) => isSameRecording(track, copy)))] : [];
  });
  return placeMatches.length > 0 && placeMatches.every(Boolean);
}

/** Groups items that are connected by joined pairs. */
export function groupConnected<T>(items: readonly T[], areJoined: (item: T, otherItem: T) => boolean): T[][] {
  const groups: T[][] = [];
  for (const item of items) {
    const joinedGroups = groups.filter((group) => group.some((member) => areJoined(member, item)));
    for (const group of joinedGroups) groups.splice(groups.indexOf(group), 1);
    groups.push([...joinedGroups.flat(), item]);
  }
  return groups;
}

/**
 * Adds tracks to which people gave the album's name to the album of the same year, else to the largest album, but not
 * to an album of another year that claims the same place.
 */
function addTypedParts(albums: readonly Part[][], typedParts: readonly Part[], isSameRecording: Comparison): Part[][] {
  const extendedAlbums = albums.map((parts) => [...parts]);
  for (const part of typedParts) {
    const isOfYear = ({ year }: Part): boolean => year !== undefined && year === part.year;
    const isConflicting = ({ year, tracks }: Part): boolean =>
      year !== undefined &&
      part.year !== undefined &&
      year !== part.year &&
      claimOnePlace(tracks, part.tracks, isSameRecording);
    const [targetAlbum] = extendedAlbums
      .filter((parts) => !parts.some(isConflicting))
      .toSorted(
        (a, b) =>
          Number(b.some(isOfYear)) - Number(a.some(isOfYear)) ||
          sizeOf(b) - sizeOf(a) ||
          compareByNames(firstOf(a), firstOf(b)),
      );
    if (targetAlbum) targetAlbum.push(part);
    else extendedAlbums.push([part]);
  }
  return extendedAlbums;
}

const sizeOf = (parts: readonly Part[]): number => parts.reduce((sum, { tracks }) => sum + tracks.length, 0);
const firstOf = (parts: readonly Part[]): NamedTrack =>
  parts.flatMap(({ tracks }) => tracks).toSorted(compareByNames)[0] as NamedTrack;

/** Separates fixed albums: parts that belong to several of them stay with the largest. */
function separateFixed(albums: readonly Part[][]): Part[][] {
  return albums.flatMap((parts) => {
    const fixedParts = parts
      .filter(({ fixedAlbum }) => fixedAlbum !== undefined)
      .toSorted((a, b) => b.tracks.length - a.tracks.length || compare(a.fixedAlbum, b.fixedAlbum));
    const [largestPart, ...otherFixedParts] = fixedParts;
    if (!largestPart || otherFixedParts.length === 0) return [parts];
    return [parts.filter((part) => !otherFixedParts.includes(part)), ...otherFixedParts.map((part) => [part])];
  });
}
