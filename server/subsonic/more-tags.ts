// Converts tags that are only displayed to the shapes of OpenSubsonic.
import type { TrackId } from '../db/ids.ts';
import { isExplicit, type MoreTags } from '../db/more-tags.ts';
import type { AlbumSummary } from '../library/lists/album-rows.ts';
import { movementNumbers } from '../library/albums/works.ts';
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';
import { separateValues } from '../library/tracks/separate-values.ts';
import type { PersonCredit } from '../library/credits/people.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import { toId } from './ids.ts';
import type { Fields } from './xml.ts';

export type ListCredits = (id: TrackId) => PersonCredit[];

export function extraSongFields(track: TrackSummary, listCredits: ListCredits): Fields {
  const tags = track.moreTags === null ? {} : (JSON.parse(track.moreTags) as MoreTags);
  return {
    sortName: tags.titleSort ?? '',
    explicitStatus: explicitStatus(isExplicit(tags)),
    contributors: listCredits(track.id).map(toContributor),
    moods: separateValues(tags.mood),
    groupings: separateValues(tags.grouping),
    works: (tags.work ?? []).map((name, i) => ({
      name,
      ...(tags.workMbid?.length === tags.work?.length && { musicBrainzId: tags.workMbid?.[i] }),
    })),
    movements: (tags.movement ?? []).slice(0, 1).map((name) => ({ name, ...movementNumbers(tags) })),
  };
}

export function extraAlbumFields(album: AlbumSummary): Fields {
  const tags = album.moreTags[0]?.tags ?? {};
  return {
    sortName: tags.albumSort ?? '',
    explicitStatus: explicitStatus(album.isExplicit),
    releaseTypes: album.releaseTypes,
    originalReleaseDate: itemDate(tags.originalDate, album.originalYear),
    releaseDate: itemDate(tags.date, album.year),
    discTitles: album.discTitles,
  };
}

/** Sorts albums by the date of their release, then by title. Albums without a year come last. */
export const byRelease = (a: AlbumSummary, b: AlbumSummary): number =>
  (a.year ?? Infinity) - (b.year ?? Infinity) ||
  compareTexts(releaseDay(a), releaseDay(b)) ||
  compareTexts(sortKey(a.title), sortKey(b.title)) ||
  a.id - b.id;

/** Returns month and day of the release; a month without a day sorts before its days, an unknown month after all. */
function releaseDay(album: AlbumSummary): string {
  const [year = '', month, day = '00'] = album.moreTags[0]?.tags.date?.split('-') ?? [];
  return Number(year) === album.year && month !== undefined ? `${month}-${day}` : '99';
}
const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const explicitStatus = (value: boolean | null): string => (value === null ? '' : value ? 'explicit' : 'clean');

/** The protocol requires an id, so people who are no artists of the library have ids of their own. */
const toContributor = ({ role, name, personId, artistId, instrument }: PersonCredit): Fields => ({
  role,
  ...(instrument !== null && { subRole: instrument }),
  artist: { id: artistId === null ? toId('person', personId) : toId('artist', artistId), name },
});

/**
 * Returns a date with the year of the album, because that may have been edited; month and day come from the tags if
 * they have the same year.
 */
function itemDate(date: string | undefined, year: number | null): Fields {
  if (year === null) return {};
  const [taggedYear, month, day] = date?.split('-').map(Number) ?? [];
  return taggedYear === year ? { year, month, day } : { year };
}
