// Filters of lists by the people who are credited on tracks.
import type { PersonId } from '../../db/ids.ts';
import { CREDIT_ROLES, type CreditRole } from '../../db/more-tags.ts';
import { identityKey } from '../tracks/sort-and-identity-keys.ts';
import type { Filter } from './filters.ts';
import type { Params } from './statement-cache.ts';

export interface CreditFilter {
  /** Selects tracks that credit the person, in any role unless `creditRole` names one. */
  creditId?: PersonId | undefined;
  /** The complete name of a person, in any case. */
  credit?: string | undefined;
  /** Without a person, selects tracks that credit anybody in this role. */
  creditRole?: CreditRole | undefined;
}

const ALL_ROLES = CREDIT_ROLES.map((role) => `'${role}'`).join(', ');

/** Returns the condition on the role of a credit. For any role it names all, because the index begins with the role. */
export const roleTest = (table: string, role: CreditRole | undefined): string =>
  role === undefined ? `${table}.role IN (${ALL_ROLES})` : `${table}.role = @creditRole`;

/** Returns the conditions on a credit `tc`; undefined if neither a person nor a role is named. */
function creditTest({ creditId, credit, creditRole }: CreditFilter): { condition: string; params: Params } | undefined {
  const person =
    creditId !== undefined
      ? { condition: ' AND tc.person_id = @creditId', params: { creditId } }
      : credit !== undefined
        ? {
            condition: ' AND tc.person_id = (SELECT id FROM people WHERE name_key = @credit)',
            params: { credit: identityKey(credit) },
          }
        : undefined;
  if (!person && creditRole === undefined) return undefined;
  return {
    condition: `${roleTest('tc', creditRole)}${person?.condition ?? ''}`,
    params: { ...person?.params, ...(creditRole !== undefined && { creditRole }) },
  };
}

export function trackCreditFilter(filter: CreditFilter): Filter | false {
  const test = creditTest(filter);
  if (!test) return false;
  return {
    condition: `EXISTS (SELECT 1 FROM track_credits tc WHERE tc.track_id = i.id AND ${test.condition})`,
    idQuery: `SELECT tc.track_id FROM track_credits tc WHERE ${test.condition}`,
    matchesFew: namesPerson(filter),
    params: test.params,
  };
}

export function albumCreditFilter(filter: CreditFilter): Filter | false {
  const test = creditTest(filter);
  if (!test) return false;
  const credits = `FROM track_credits tc CROSS JOIN tracks t ON t.id = tc.track_id WHERE ${test.condition}`;
  return {
    condition: `EXISTS (SELECT 1 FROM tracks t CROSS JOIN track_credits tc ON tc.track_id = t.id
      WHERE t.album_id = i.id AND ${test.condition})`,
    idQuery: `SELECT t.album_id ${credits}`,
    matchesFew: namesPerson(filter),
    params: test.params,
  };
}

const namesPerson = ({ creditId, credit }: CreditFilter): boolean => creditId !== undefined || credit !== undefined;
