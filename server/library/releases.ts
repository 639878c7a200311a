// Which tracks of one name (album artist and title) are one album: an album is a release. Two pure steps: tracks give
// parts, and parts give releases. The result does not depend on the order of the tracks. docs/decisions/0108 has the
// reasons, test/data/releases.txt the cases.
import type { TrackId } from '../db/ids.ts';
import { SAME_LENGTH_MS, SAME_SOUND, soundSimilarity } from '../media/fingerprint-match.ts';

/** What its tags and people say of a track. */
export interface NamedTrack {
  id: TrackId;
  /** The same text for a folder and the folders of its discs; undefined if the track goes by no folder. */
  folder: string | undefined;
  /** The album that it stays in, whatever the rule says; undefined for most tracks. */
  fixedAlbum: number | undefined;
  disc: number;
  number: number | null;
  /** A person gave it this name, and it goes by that. */
  isTyped: boolean;
  /** Folded, as `edition`. */
  title: string;
  durationMs: number;
  releaseMbid: string | undefined;
  edition: string | undefined;
  /** Undefined on compilations, whose songs have years of their own. */
  year: number | undefined;
}

/** Gives the fingerprint of a track that was heard. */
export type SoundOf = (id: TrackId) => Uint32Array | undefined;
type ComparedTrack = Pick<NamedTrack, 'id' | 'title' | 'durationMs'>;
type Comparison = (one: ComparedTrack, other: ComparedTrack) => boolean;

/** Tells the tracks of each album. */
export function releasesOf(tracks: readonly NamedTrack[], soundOf: SoundOf): NamedTrack[][] {
  const isSame = createComparison(soundOf);
  const parts = partsOf(tracks, isSame);
  const [typed, others] = divide(parts, isTypedPart);
  return addTyped(partFixed(joinParts(others, isSame)), typed, isSame).map((some) =>
    some.flatMap((part) => part.tracks),
  );
}

const divide = <T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] => [
  items.filter(isFirst),
  items.filter((item) => !isFirst(item)),
];

/** People gave all of these tracks their name. */
const isTypedPart = ({ tracks, fixedAlbum }: Part): boolean =>
  fixedAlbum === undefined && tracks.every(({ isTyped }) => isTyped);

/** By what they sound like; until both were heard, by title and length. */
export function createComparison(soundOf: SoundOf): Comparison {
  return (one, other) => {
    const [sound, otherSound] = [soundOf(one.id), soundOf(other.id)];
    if (sound && otherSound) return soundSimilarity(sound, otherSound) >= SAME_SOUND;
    return one.title === other.title && Math.abs(one.durationMs - other.durationMs) <= SAME_LENGTH_MS;
  };
}

/** Tracks that are in one album at any rate. */
interface Part {
  tracks: readonly NamedTrack[];
  places: ReadonlyMap<string, readonly NamedTrack[]>;
  fixedAlbum: number | undefined;
  releaseMbid: string | undefined;
  edition: string | undefined;
  year: number | undefined;
}

function partsOf(tracks: readonly NamedTrack[], isSame: Comparison): Part[] {
  const together = Map.groupBy(tracks, ({ fixedAlbum, folder }) =>
    fixedAlbum !== undefined ? `fixed ${fixedAlbum}` : folder !== undefined ? `in ${folder}` : undefined,
  );
  const loose = together.get(undefined) ?? [];
  together.delete(undefined);
  return [...together.values(), ...partsOfLoose(loose, isSame)].map((some) => ({
    tracks: some,
    places: placesOf(some),
    fixedAlbum: some[0]?.fixedAlbum,
    releaseMbid: usual(some.map((track) => track.releaseMbid)),
    edition: usual(some.map((track) => track.edition)),
    year: yearOf(some),
  }));
}

/**
 * Tracks without a folder are one part, unless two recordings claim one place. Then those that name the same release,
 * edition and year stay together.
 */
function partsOfLoose(loose: readonly NamedTrack[], isSame: Comparison): NamedTrack[][] {
  const likes = Map.groupBy(loose.toSorted(inNames), (track) => JSON.stringify(namesOf(track)));
  const parts: NamedTrack[][] = [];
  for (const alike of likes.values()) {
    const free = parts.filter((part) => !claimOnePlace(part, alike, isSame));
    const isWhole = !alike.some((track, n) => claimOnePlace([track], alike.slice(n + 1), isSame));
    const fitting = free.toSorted((a, b) => inCommon(b[0], alike[0]) - inCommon(a[0], alike[0]))[0];
    if (isWhole && fitting) fitting.push(...alike);
    else if (isWhole) parts.push([...alike]);
    else parts.push(...divided(alike, isSame));
  }
  return parts;
}

/** Each track goes to the first part in which its place is free. */
function divided(tracks: readonly NamedTrack[], isSame: Comparison): NamedTrack[][] {
  const parts: NamedTrack[][] = [];
  for (const track of tracks) {
    const part = parts.find((one) => !claimOnePlace(one, [track], isSame));
    if (part) part.push(track);
    else parts.push([track]);
  }
  return parts;
}

function claimOnePlace(some: readonly NamedTrack[], others: readonly NamedTrack[], isSame: Comparison): boolean {
  const places = placesOf(some);
  return others.some((track) =>
    places.get(placeOf(track))?.some((one) => !isSame(one, track) && !areBroughtTogether(one, track)),
  );
}

/** A person who gives tracks one name wants them together, if not by the year. */
const areBroughtTogether = (one: NamedTrack, other: NamedTrack): boolean =>
  (one.isTyped || other.isTyped) && (one.year === undefined || other.year === undefined || one.year === other.year);

const namesOf = ({ releaseMbid, edition, year }: NamedTrack) => [releaseMbid, edition, year] as const;
const inCommon = (one: NamedTrack | undefined, other: NamedTrack | undefined): number =>
  one && other ? namesOf(one).filter((name, n) => name !== undefined && name === namesOf(other)[n]).length : 0;

/** In an order that the tags alone give. What has no mbid, edition or year comes after what has one. */
function inNames(a: NamedTrack, b: NamedTrack): number {
  const values = ({ disc, number, title, durationMs, id, ...names }: NamedTrack) =>
    [names.releaseMbid, names.edition, names.year, disc, number ?? undefined, title, durationMs, id] as const;
  const [left, right] = [values(a), values(b)];
  const n = left.findIndex((value, i) => value !== right[i]);
  return n < 0 ? 0 : compare(left[n], right[n]);
}
const compare = (a: string | number | undefined, b: string | number | undefined): number =>
  a === undefined ? 1 : b === undefined ? -1 : a < b ? -1 : 1;

export const placeOf = ({ disc, number, title }: Pick<NamedTrack, 'disc' | 'number' | 'title'>): string =>
  number === null ? `called ${title}` : `${disc}.${number}`;
const placesOf = (tracks: readonly NamedTrack[]) => Map.groupBy(tracks, placeOf);

/** The most frequent value; of equals the smaller one. */
export function usual<T extends string | number>(values: readonly (T | undefined)[]): T | undefined {
  const byValue = Map.groupBy(values, (value) => value);
  byValue.delete(undefined);
  return [...byValue].toSorted(([a, some], [b, others]) => others.length - some.length || compare(a, b))[0]?.[0];
}

/** Songs may have years of their own: the year of an album is that of more than half of them. */
function yearOf(tracks: readonly NamedTrack[]): number | undefined {
  const years = tracks.flatMap(({ year }) => year ?? []);
  const year = usual(years);
  return years.filter((one) => one === year).length * 2 > years.length ? year : undefined;
}

/** Parts that are one album by their release mbid, and what they name together. */
type Release = Omit<Part, 'tracks' | 'fixedAlbum'> & { parts: readonly Part[] };

function joinParts(parts: readonly Part[], isSame: Comparison): Part[][] {
  const ofMbid = Map.groupBy(parts, (part) => part.releaseMbid ?? part);
  const releases = [...ofMbid.values()].map((some): Release => {
    const tracks = some.flatMap((part) => part.tracks);
    const edition = usual(some.map((part) => part.edition));
    return {
      parts: some,
      places: placesOf(tracks),
      releaseMbid: some[0]?.releaseMbid,
      edition,
      year: usual(some.map((part) => part.year)),
    };
  });
  return agreeing(releases).flatMap((some) => joinAgreeing(some, isSame));
}

/**
 * Releases that name the same mbid, edition and year. One that names none of a kind agrees with all others, if those
 * name only one; otherwise with those that name none either.
 */
function agreeing(releases: readonly Release[]): Release[][] {
  const kinds = (['releaseMbid', 'edition', 'year'] as const).filter(
    (kind) => new Set(releases.flatMap((release) => release[kind] ?? [])).size > 1,
  );
  return [...Map.groupBy(releases, (release) => JSON.stringify(kinds.map((kind) => release[kind] ?? null))).values()];
}

/**
 * The same recordings at the same places are one album, owned twice. What is left is the rest of it, if no place is
 * claimed twice.
 */
function joinAgreeing(releases: readonly Release[], isSame: Comparison): Part[][] {
  const units = connected(releases, (a, b) => isCopy(a, b, isSame)).flatMap((some) =>
    some.every((one, n) => some.slice(n + 1).every((other) => isCopy(one, other, isSame)))
      ? [some]
      : some.map((one) => [one]),
  );
  const places = units.map((unit) => new Set(unit.flatMap((one) => [...one.places.keys()])));
  const all = new Set(places.flatMap((some) => [...some]));
  const isRest = places.reduce((sum, { size }) => sum + size, 0) === all.size;
  const albums = isRest ? [units.flat()] : units;
  return albums.map((some) => some.flatMap((one) => one.parts));
}

/** They share places, and hold the same recording at each of them. */
function isCopy(one: Release, other: Release, isSame: Comparison): boolean {
  const shared = [...one.places].flatMap(([place, tracks]) => {
    const others = other.places.get(place);
    return others ? [tracks.some((track) => others.some((copy) => isSame(track, copy)))] : [];
  });
  return shared.length > 0 && shared.every(Boolean);
}

/** The groups that the pairs make. */
export function connected<T>(items: readonly T[], areJoined: (one: T, other: T) => boolean): T[][] {
  const groups: T[][] = [];
  for (const item of items) {
    const joined = groups.filter((group) => group.some((one) => areJoined(one, item)));
    for (const group of joined) groups.splice(groups.indexOf(group), 1);
    groups.push([...joined.flat(), item]);
  }
  return groups;
}

/**
 * What people gave a name that other tracks have is of the album of the same year, else of the largest one; not of one
 * of another year if both claim a place.
 */
function addTyped(albums: readonly Part[][], typed: readonly Part[], isSame: Comparison): Part[][] {
  const added = albums.map((parts) => [...parts]);
  for (const part of typed) {
    const isOfYear = ({ year }: Part): boolean => year !== undefined && year === part.year;
    const isOther = ({ year, tracks }: Part): boolean =>
      year !== undefined && part.year !== undefined && year !== part.year && claimOnePlace(tracks, part.tracks, isSame);
    const [first] = added
      .filter((parts) => !parts.some(isOther))
      .toSorted(
        (a, b) =>
          Number(b.some(isOfYear)) - Number(a.some(isOfYear)) ||
          sizeOf(b) - sizeOf(a) ||
          inNames(firstOf(a), firstOf(b)),
      );
    if (first) first.push(part);
    else added.push([part]);
  }
  return added;
}

const sizeOf = (parts: readonly Part[]): number => parts.reduce((sum, { tracks }) => sum + tracks.length, 0);
const firstOf = (parts: readonly Part[]): NamedTrack =>
  parts.flatMap(({ tracks }) => tracks).toSorted(inNames)[0] as NamedTrack;

/** An album that is fixed joins no other such one: what belongs to several is with the largest. */
function partFixed(albums: readonly Part[][]): Part[][] {
  return albums.flatMap((parts) => {
    const fixed = parts
      .filter(({ fixedAlbum }) => fixedAlbum !== undefined)
      .toSorted((a, b) => b.tracks.length - a.tracks.length || compare(a.fixedAlbum, b.fixedAlbum));
    const [first, ...others] = fixed;
    if (!first || others.length === 0) return [parts];
    return [parts.filter((part) => !others.includes(part)), ...others.map((part) => [part])];
  });
}
