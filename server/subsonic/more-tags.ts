// Tags that are shown only, in the shapes of OpenSubsonic.
import type { ArtistId } from '../db/ids.ts';
import { CREDIT_TAGS, isExplicit, type MoreTags } from '../db/more-tags.ts';
import { valuesOfList } from '../db/track-fields.ts';
import type { AlbumSummary } from '../library/album-rows.ts';
import { separateValues } from '../library/separate-values.ts';
import type { TrackSummary } from '../library/track-rows.ts';
import { toId } from './ids.ts';
import type { Fields } from './xml.ts';

export type FindArtist = (name: string) => ArtistId | undefined;

export function moreOfSong(t: TrackSummary, findArtist: FindArtist): Fields {
  const tags = t.moreTags === null ? {} : (JSON.parse(t.moreTags) as MoreTags);
  return {
    sortName: tags.titleSort ?? '',
    explicitStatus: explicitStatus(isExplicit(tags)),
    contributors: contributorsOf(valuesOfList(t.composer), tags, findArtist),
    moods: separateValues(tags.mood),
    groupings: separateValues(tags.grouping),
    works: (tags.work ?? []).map((name, i) => ({
      name,
      ...(tags.workMbid?.length === tags.work?.length && { musicBrainzId: tags.workMbid?.[i] }),
    })),
    movements: (tags.movement ?? []).slice(0, 1).map((name) => ({ name, ...movementNumbers(tags) })),
  };
}

export function moreOfAlbum(a: AlbumSummary): Fields {
  const tags = a.moreTags[0]?.tags ?? {};
  return {
    sortName: tags.albumSort ?? '',
    explicitStatus: explicitStatus(a.isExplicit),
    releaseTypes: a.releaseTypes,
    originalReleaseDate: itemDate(tags.originalDate, a.originalYear),
    releaseDate: itemDate(tags.date, a.year),
    discTitles: a.discTitles,
  };
}

const explicitStatus = (explicit: boolean | null): string => (explicit === null ? '' : explicit ? 'explicit' : 'clean');

/** Only artists of the library: the protocol wants an id, and other names have no page behind it. */
function contributorsOf(composers: string[], tags: MoreTags, findArtist: FindArtist): Fields[] {
  const named = (role: string, credit: string): Fields[] => {
    const [, who = credit, subRole] = (role === 'performer' && /^(.+?)\(([^()]+)\)$/.exec(credit)) || [];
    const name = who.trim();
    const id = findArtist(name);
    return id === undefined
      ? []
      : [{ role, ...(subRole !== undefined && { subRole }), artist: { id: toId('artist', id), name } }];
  };
  return [
    ...composers.flatMap((name) => named('composer', name)),
    ...CREDIT_TAGS.flatMap((role) => (tags[role] ?? []).flatMap((name) => named(role, name))),
  ];
}

/** `2` or `2/4` */
function movementNumbers({ movementNumber: [text = ''] = [], movementTotal: [total] = [] }: MoreTags): Fields {
  const [number, count = total] = text.split('/');
  return { number: positive(number), count: positive(count) };
}
const positive = (text: string | undefined): number | undefined =>
  /^\s*\d{1,4}\s*$/.test(text ?? '') ? Number(text) || undefined : undefined;

/** The year counts, which may have been edited; the tags have the day. */
function itemDate(date: string | undefined, year: number | null): Fields {
  if (year === null) return {};
  const [ofTags, month, day] = date?.split('-').map(Number) ?? [];
  return ofTags === year ? { year, month, day } : { year };
}
