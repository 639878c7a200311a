// Converts tags that are only displayed to the shapes of OpenSubsonic.
import type { ArtistId } from '../db/ids.ts';
import { CREDIT_TAGS, isExplicit, type MoreTags } from '../db/more-tags.ts';
import { valuesOfList } from '../db/track-fields.ts';
import type { AlbumSummary } from '../library/lists/album-rows.ts';
import { separateValues } from '../library/tracks/separate-values.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import { toId } from './ids.ts';
import type { Fields } from './xml.ts';

export type FindArtist = (name: string) => ArtistId | undefined;

export function extraSongFields(track: TrackSummary, findArtist: FindArtist): Fields {
  const tags = track.moreTags === null ? {} : (JSON.parse(track.moreTags) as MoreTags);
  return {
    sortName: tags.titleSort ?? '',
    explicitStatus: explicitStatus(isExplicit(tags)),
    contributors: contributorsOf(valuesOfList(track.composer), tags, findArtist),
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

const explicitStatus = (value: boolean | null): string => (value === null ? '' : value ? 'explicit' : 'clean');

/** Returns only artists of the library: the protocol requires an id, and other names have no page. */
function contributorsOf(composers: string[], tags: MoreTags, findArtist: FindArtist): Fields[] {
  const toContributors = (role: string, credit: string): Fields[] => {
    const [, namePart = credit, subRole] = (role === 'performer' && /^(.+?)\(([^()]+)\)$/.exec(credit)) || [];
    const name = namePart.trim();
    const id = findArtist(name);
    return id === undefined
      ? []
      : [{ role, ...(subRole !== undefined && { subRole }), artist: { id: toId('artist', id), name } }];
  };
  return [
    ...composers.flatMap((name) => toContributors('composer', name)),
    ...CREDIT_TAGS.flatMap((role) => (tags[role] ?? []).flatMap((name) => toContributors(role, name))),
  ];
}

/** Parses `2` or `2/4`. */
function movementNumbers({ movementNumber: [text = ''] = [], movementTotal: [total] = [] }: MoreTags): Fields {
  const [number, count = total] = text.split('/');
  return { number: toPositive(number), count: toPositive(count) };
}
const toPositive = (text: string | undefined): number | undefined =>
  /^\s*\d{1,4}\s*$/.test(text ?? '') ? Number(text) || undefined : undefined;

/**
 * Returns a date with the year of the album, because that may have been edited; month and day come from the tags if
 * they have the same year.
 */
function itemDate(date: string | undefined, year: number | null): Fields {
  if (year === null) return {};
  const [taggedYear, month, day] = date?.split('-').map(Number) ?? [];
  return taggedYear === year ? { year, month, day } : { year };
}
