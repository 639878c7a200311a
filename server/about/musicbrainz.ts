// Reads what MusicBrainz says about an artist, a release group or a label, and which artists made albums of a title.
import { z } from 'zod';
import type { About, Relative, SubjectKind } from '../db/schema.ts';
import { mbid } from '../enrichment/acoustid-wire.ts';
import { yearOf, type MusicBrainz } from '../enrichment/musicbrainz.ts';
import { identityKey } from '../library/tracks/sort-and-identity-keys.ts';
import { toOneLine } from '../media/text.ts';
import { httpUrl, listOf } from './untrusted-text.ts';

const MAX_PEOPLE = 100;
const MAX_LINKS = 30;
const MAX_LABELS = 3;

const line = z
  .string()
  .transform((text) => toOneLine(text, 300).trim())
  .pipe(z.string().min(1))
  .nullish()
  .catch(undefined)
  .transform((text) => text ?? null);
const date = z
  .string()
  .regex(/^\d{4}(?:-\d\d(?:-\d\d)?)?$/)
  .nullish()
  .catch(undefined)
  .transform((text) => text ?? null);
const flag = z.boolean().nullish().catch(undefined);
/** Codes that begin with X, such as XW (worldwide), are not countries. */
const country = z
  .string()
  .regex(/^(?!X)[A-Z]{2}$/)
  .nullish()
  .catch(undefined)
  .transform((code) => code ?? null);

const Relation = z.object({
  type: z.string().max(100),
  direction: z.enum(['forward', 'backward']).catch('forward'),
  begin: date,
  end: date,
  ended: flag,
  url: z
    .object({ resource: z.string().max(2_000) })
    .nullish()
    .catch(undefined),
  artist: z.object({ id: mbid, name: line }).nullish().catch(undefined),
});
const area = z.object({ name: line }).nullish().catch(undefined);
const lifeSpan = z.object({ begin: date, end: date, ended: flag }).nullish().catch(undefined);
const Entity = z.object({
  id: mbid,
  /** Release groups have a title instead of a name. */
  name: line,
  title: line,
  type: line,
  country,
  area,
  'life-span': lifeSpan,
  disambiguation: line,
  /** An orchestra has thousands of relations. */
  relations: listOf(Relation, 10_000),
});
const Releases = z.object({
  releases: listOf(
    z.object({ 'label-info': listOf(z.object({ label: z.object({ id: mbid, name: line }) }), 20) }),
    100,
  ),
});
const Groups = z.object({
  'release-groups': listOf(
    z.object({
      title: line,
      'first-release-date': date,
      'artist-credit': listOf(z.object({ name: line, artist: z.object({ id: mbid, name: line }) }), 50),
    }),
    100,
  ),
});
const Artists = z.object({
  artists: listOf(
    z.object({ id: mbid, name: line, type: line, country, disambiguation: line, 'life-span': lifeSpan }),
    100,
  ),
});

const INCLUDES_BY_KIND: Record<SubjectKind, string> = {
  artist: 'url-rels+artist-rels',
  'release-group': 'url-rels',
  label: 'url-rels',
};
/** The link types of MusicBrainz that are shown, with the names that pages get. */
const LINK_TYPES: Readonly<Record<string, string>> = {
  'official homepage': 'homepage',
  'official site': 'homepage',
  bandcamp: 'bandcamp',
  soundcloud: 'soundcloud',
  youtube: 'youtube',
  discogs: 'discogs',
  allmusic: 'allmusic',
  'last.fm': 'last.fm',
  setlistfm: 'setlist.fm',
  songkick: 'songkick',
  'social network': 'social',
};
/** MusicBrainz entries that stand for no real artist. A page about them would be shown for half of a library. */
const NON_ARTIST_IDS = new Set([
  '89ad4ac3-39f7-470e-963a-56509c546377', // Various Artists
  '125ec42a-7229-4250-afc5-e057484327fe', // [unknown]
  'f731ccc4-e22a-43af-a747-64213329e088', // [anonymous]
  '33cf029c-63b0-41a0-9855-be2a3665fb3b', // [data]
  'eec63d3c-3b81-4ad4-b1e4-7c147d4d2b61', // [no artist]
  '9be7f096-97ec-4615-8957-8d40b5dcbc41', // [traditional]
]);
export const isNobody = (id: string): boolean => NON_ARTIST_IDS.has(id);

/** An album of an artist whom the tags do not identify. */
export interface KnownAlbum {
  title: string;
  year: number | null;
}
export interface ArtistCandidate {
  mbid: string;
  name: string;
  type: string | null;
  country: string | null;
  begin: string | null;
  end: string | null;
  disambiguation: string | null;
}

/** Returns the requests to MusicBrainz. Each throws a ServiceError, or the reason of `signal`. */
export function createSubjects({ musicBrainz }: { musicBrainz: Pick<MusicBrainz, 'find'> }) {
  async function labelsOf(id: string, signal: AbortSignal): Promise<About['labels']> {
    const releases = await musicBrainz.find(
      `/ws/2/release?release-group=${id}&inc=labels&limit=100&fmt=json`,
      Releases,
      signal,
    );
    const counts = new Map<string, { mbid: string; name: string; releases: number }>();
    for (const release of releases?.releases ?? [])
      for (const { label } of release['label-info']) {
        if (label.name === null || label.name === '[no label]') continue;
        const countedLabel = counts.get(label.id);
        if (countedLabel) countedLabel.releases++;
        else counts.set(label.id, { mbid: label.id, name: label.name, releases: 1 });
      }
    return [...counts.values()]
      .toSorted((a, b) => b.releases - a.releases)
      .slice(0, MAX_LABELS)
      .map(({ mbid: label, name }) => ({ mbid: label, name }));
  }

  return {
    /** Returns undefined for an unknown id. `ids` has the requested id and the one that MusicBrainz uses for it now. */
    async find(
      kind: SubjectKind,
      id: string,
      signal: AbortSignal,
    ): Promise<{ facts: About; ids: readonly string[] } | undefined> {
      const entity = await musicBrainz.find(
        `/ws/2/${kind}/${id}?fmt=json&inc=${INCLUDES_BY_KIND[kind]}`,
        Entity,
        signal,
      );
      const name = entity?.name ?? entity?.title;
      if (!entity || name == null) return undefined;
      const labels = kind === 'release-group' ? await labelsOf(entity.id, signal) : [];
      const span = entity['life-span'];
      const facts: About = {
        name,
        disambiguation: entity.disambiguation,
        type: entity.type,
        country: entity.country,
        area: entity.area?.name ?? null,
        begin: span?.begin ?? null,
        end: span?.end ?? null,
        isEnded: span?.ended ?? false,
        people: kind === 'artist' ? peopleOf(entity.relations) : [],
        labels,
        links: linksOf(entity.relations),
        wikidata: wikidataOf(entity.relations),
        files: [],
        category: null,
        texts: [],
      };
      return { facts, ids: [id, entity.id] };
    },

    /** Returns the ids of artists of that name with an album of that title. */
    async artistsOfAlbum(artist: string, { title, year }: KnownAlbum, signal: AbortSignal): Promise<string[]> {
      const query = `releasegroup:"${escaped(title)}" AND artist:"${escaped(artist)}"`;
      const path = `/ws/2/release-group?${new URLSearchParams({ query, fmt: 'json', limit: '50' }).toString()}`;
      const answer = await musicBrainz.find(path, Groups, signal);
      const [artistKey, titleKey] = [identityKey(artist), identityKey(title)];
      const ids = (answer?.['release-groups'] ?? []).flatMap((group) => {
        const firstYear = yearOf(group['first-release-date']);
        const isEarlier = year !== null && firstYear !== undefined && firstYear > year + 1;
        if (identityKey(group.title ?? '') !== titleKey || isEarlier) return [];
        return group['artist-credit'].flatMap((credit) =>
          [credit.name, credit.artist.name].some((name) => name !== null && identityKey(name) === artistKey)
            ? [credit.artist.id]
            : [],
        );
      });
      return [...new Set(ids)].filter((id) => !isNobody(id));
    },

    /** Returns the matching artists in the order of the service. */
    async searchArtists(text: string, signal: AbortSignal): Promise<ArtistCandidate[]> {
      const query = `"${escaped(text)}"`;
      const path = `/ws/2/artist?${new URLSearchParams({ query, fmt: 'json', limit: '20' }).toString()}`;
      const answer = await musicBrainz.find(path, Artists, signal);
      return (answer?.artists ?? []).flatMap(({ id, name, 'life-span': span, ...artist }) =>
        name === null
          ? []
          : [
              {
                mbid: id,
                name,
                type: artist.type,
                country: artist.country,
                begin: span?.begin ?? null,
                end: span?.end ?? null,
                disambiguation: artist.disambiguation,
              },
            ],
      );
    },
  };
}
export type Subjects = ReturnType<typeof createSubjects>;

type Relations = readonly z.output<typeof Relation>[];

/** Quotes a text, so that Lucene's syntax has no meaning in it. */
const escaped = (text: string): string => text.replace(/["\\]/g, '\\$&').slice(0, 300);

/** Lists current members before former ones, then by year. A member who left and came back is listed once. */
function peopleOf(relations: Relations): Relative[] {
  const people = new Map<string, Relative>();
  for (const { type, direction, artist, begin, end, ended } of relations) {
    if (type !== 'member of band' || !artist || artist.name === null) continue;
    const relation = direction === 'backward' ? 'member' : 'group';
    const person = people.get(artist.id);
    const isEnded = ended ?? end !== null;
    people.set(artist.id, {
      mbid: artist.id,
      name: artist.name,
      relation,
      begin: [person?.begin, begin].filter((text) => text != null).toSorted()[0] ?? null,
      end:
        isEnded && (person?.isEnded ?? true)
          ? ([person?.end, end]
              .filter((text) => text != null)
              .toSorted()
              .at(-1) ?? null)
          : null,
      isEnded: isEnded && (person?.isEnded ?? true),
    });
  }
  return [...people.values()]
    .toSorted((a, b) => Number(a.isEnded) - Number(b.isEnded) || ((a.begin ?? '9') < (b.begin ?? '9') ? -1 : 1))
    .slice(0, MAX_PEOPLE);
}

function linksOf(relations: Relations): About['links'] {
  const links = new Map<string, { kind: string; url: string }>();
  for (const { type, url, ended } of relations) {
    const kind = LINK_TYPES[type];
    const address = url && ended !== true ? httpUrl(url.resource) : undefined;
    if (kind !== undefined && address !== undefined) links.set(address, { kind, url: address });
  }
  const order = [...new Set(Object.values(LINK_TYPES))];
  return [...links.values()].toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind)).slice(0, MAX_LINKS);
}

const wikidataOf = (relations: Relations): string | null =>
  relations
    .filter(({ type, ended }) => type === 'wikidata' && ended !== true)
    .map(
      ({ url }) =>
        /^https?:\/\/(?:www\.)?wikidata\.org\/(?:wiki|entity)\/(Q[1-9]\d{0,11})$/.exec(url?.resource ?? '')?.[1],
    )
    .find((item) => item !== undefined) ?? null;
