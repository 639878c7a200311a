// Reads people by their credits, and the credits of tracks and albums.
import type { AlbumId, ArtistId, PersonId, TrackId } from '../../db/ids.ts';
import { CREDIT_ROLES, type CreditRole } from '../../db/more-tags.ts';
import { notFound } from '../../errors.ts';
import type { Page, Paged } from '../../http/paging.ts';
import { roleTest } from '../lists/credit-filters.ts';
import type { ReadAside } from '../lists/list-pages.ts';
import { createResultCache } from '../lists/result-cache.ts';
import type { Params, Statements } from '../lists/statement-cache.ts';
import { identityKey, sortKey } from '../tracks/sort-and-identity-keys.ts';

/** What somebody did on one track. */
export interface PersonCredit {
  role: CreditRole;
  personId: PersonId;
  name: string;
  /** The artist of the library with this name. */
  artistId: ArtistId | null;
  instrument: string | null;
}

/** What somebody did on the tracks of an album. */
export interface AlbumCredit extends PersonCredit {
  trackIds: TrackId[];
}

export interface PersonRole {
  role: CreditRole;
  trackCount: number;
  albumCount: number;
}

export interface Person {
  id: PersonId;
  name: string;
  artistId: ArtistId | null;
  roles: PersonRole[];
}

export interface ListedPerson extends Omit<Person, 'roles'> {
  nameSort: string;
  trackCount: number;
}

export interface PeopleFilter {
  role?: CreditRole | undefined;
  /** A part of the name. */
  q?: string | undefined;
}

const ORDER_OF_ROLES = `CASE c.role ${CREDIT_ROLES.map((role, i) => `WHEN '${role}' THEN ${i}`).join(' ')} END`;
const CREDIT_COLUMNS = `c.role, c.person_id AS personId, p.name, a.id AS artistId, c.instrument`;
const WITH_NAMES = `CROSS JOIN people p ON p.id = c.person_id LEFT JOIN artists a ON a.name_key = p.name_key`;
const OF_TRACK = `SELECT ${CREDIT_COLUMNS} FROM track_credits c ${WITH_NAMES}
  WHERE c.track_id = +@id ORDER BY c.position`;
const OF_ALBUM = `SELECT ${CREDIT_COLUMNS}, t.id AS trackId
  FROM tracks t CROSS JOIN track_credits c ON c.track_id = t.id ${WITH_NAMES}
  WHERE t.album_id = @id ORDER BY ${ORDER_OF_ROLES}, t.disc_number, t.track_number, t.id, c.position`;
const PERSON = `SELECT p.id, p.name, a.id AS artistId
  FROM people p LEFT JOIN artists a ON a.name_key = p.name_key`;
const ROLES = `SELECT c.role, count(*) AS trackCount, count(DISTINCT t.album_id) AS albumCount
  FROM track_credits c CROSS JOIN tracks t ON t.id = c.track_id
  WHERE ${roleTest('c', undefined)} AND c.person_id = @id GROUP BY c.role ORDER BY ${ORDER_OF_ROLES}`;
const HAS_ROLE = `EXISTS (SELECT 1 FROM track_credits c WHERE c.role = r.value AND c.person_id = p.id)`;
const ROLES_OF_ARTIST = `SELECT r.value FROM artists a CROSS JOIN people p ON p.name_key = a.name_key
  CROSS JOIN json_each('${JSON.stringify(CREDIT_ROLES)}') r WHERE a.id = +@id AND ${HAS_ROLE}`;
const idsSql = ({ role, q }: PeopleFilter): string => `SELECT p.id FROM people p INDEXED BY people_name_sort
  WHERE EXISTS (SELECT 1 FROM track_credits c WHERE ${roleTest('c', role)} AND c.person_id = p.id)
  ${q === undefined ? '' : 'AND (instr(p.name_key, @key) > 0 OR instr(p.name_sort, @sortKey) > 0)'}
  ORDER BY p.name_sort, p.id`;
const listedSql = (
  role: CreditRole | undefined,
): string => `SELECT p.id, p.name, p.name_sort AS nameSort, a.id AS artistId,
    (SELECT count(${role === undefined ? 'DISTINCT c.track_id' : '*'}) FROM track_credits c
      WHERE ${roleTest('c', role)} AND c.person_id = p.id) AS trackCount
  FROM json_each(@ids) ids CROSS JOIN people p ON p.id = ids.value
  LEFT JOIN artists a ON a.name_key = p.name_key ORDER BY ids.key`;
const ROLES_IN_USE = `SELECT r.value FROM json_each('${JSON.stringify(CREDIT_ROLES)}') r
  WHERE EXISTS (SELECT 1 FROM track_credits c WHERE c.role = r.value)`;

const MAX_CACHED_LISTS = 20;

export type People = ReturnType<typeof createPeople>;

export function createPeople(
  statements: Statements,
  readAside: ReadAside = async (sql, params) => statements.column(sql, params),
) {
  const idCache = createResultCache<number[]>(statements, MAX_CACHED_LISTS);

  function withRoles(person: Omit<Person, 'roles'> | undefined): Person | undefined {
    return person && { ...person, roles: statements.rows<PersonRole>(ROLES, { id: person.id }) };
  }

  return {
    ofTrack: (id: TrackId): PersonCredit[] => statements.rows<PersonCredit>(OF_TRACK, { id }),

    /** Returns the credits on an album by role; a person has one for each role, with all tracks and instruments. */
    ofAlbum(id: AlbumId): AlbumCredit[] {
      const credits = new Map<string, AlbumCredit>();
      for (const { trackId, ...credit } of statements.rows<PersonCredit & { trackId: TrackId }>(OF_ALBUM, { id })) {
        const key = `${credit.role} ${credit.personId}`;
        const albumCredit = credits.get(key) ?? { ...credit, trackIds: [] };
        albumCredit.trackIds.push(trackId);
        albumCredit.instrument = joinLists(albumCredit.instrument, credit.instrument);
        credits.set(key, albumCredit);
      }
      return [...credits.values()];
    },

    /** Returns a person with their roles. Throws `not_found` for somebody without credits. */
    get(id: PersonId): Person {
      const person = withRoles(statements.row(`${PERSON} WHERE p.id = @id`, { id }));
      if (!person || person.roles.length === 0) throw notFound('person', id);
      return person;
    },

    /** Returns the credits of an artist; undefined for an artist without any. */
    findOfArtist(id: ArtistId): Person | undefined {
      const sql = `${PERSON} WHERE p.name_key = (SELECT name_key FROM artists WHERE id = @id)`;
      const person = withRoles(statements.row(sql, { id }));
      return person && person.roles.length > 0 ? person : undefined;
    },

    rolesOfArtist: (id: ArtistId): CreditRole[] => statements.column<CreditRole>(ROLES_OF_ARTIST, { id }),

    findByName: (name: string): PersonId | undefined =>
      statements.column<PersonId>('SELECT id FROM people WHERE name_key = @key', { key: identityKey(name) })[0],

    /** Returns a page of people by name. The thread of long lists reads it, and the result is cached. */
    async list({ role, q }: PeopleFilter, { limit, offset }: Page): Promise<Paged<ListedPerson>> {
      const params: Params = {
        ...(role !== undefined && { creditRole: role }),
        ...(q !== undefined && { key: identityKey(q), sortKey: sortKey(q) }),
      };
      const sql = idsSql({ role, q });
      const cacheKey = JSON.stringify([role, q]);
      const version = statements.version(['library']);
      const ids = idCache.find(['library'], cacheKey) ?? (await readAside(sql, params));
      idCache.put(cacheKey, version, ids);
      const page = JSON.stringify(ids.slice(offset, offset + limit));
      const items = statements.rows<ListedPerson>(listedSql(role), {
        ids: page,
        ...(role !== undefined && { creditRole: role }),
      });
      return { items, total: ids.length };
    },

    /** Returns the roles in which anybody is credited. */
    rolesInUse: (): CreditRole[] => statements.column<CreditRole>(ROLES_IN_USE, {}),
  };
}

function joinLists(list: string | null, added: string | null): string | null {
  if (list === null || added === null) return list ?? added;
  return [...new Set([...list.split(', '), ...added.split(', ')])].join(', ');
}
