// What the API takes besides the shapes that it documents (docs/API.md): other names, other spellings of values, fields
// that it does not know. A request is turned into the documented shape here, so no handler and no service knows of any
// other.
import type { z } from 'zod';
import { invalid, type AppError, type FieldError } from '../errors.ts';
import { meantBranch, toFields, UNKNOWN_FIELD, valueAt } from './problem.ts';

export type Fields = Record<string, unknown>;
/** As it stands in the address; a repeated parameter is a list. */
export type QueryText = Record<string, string | string[]>;
type Names = Readonly<Record<string, string>>;

/** Of a route. Where a documented name and another one come together, the documented one counts. */
export interface Accepts {
  /** Other names of fields of the body. */
  body?: Names;
  /** Other names of query parameters, besides `COMMON_NAMES`. */
  query?: Names;
  /** Turns a body that is written otherwise into the documented one. Called after the names are the documented ones. */
  bodyAs?: (body: Fields) => Fields;
  /** The same for the query. */
  queryAs?: (query: QueryText) => QueryText;
  /** For the documentation: what `bodyAs` and `queryAs` take, a phrase each. */
  also?: readonly string[];
}

/** Names that mean the same wherever a route has the second one. */
const COMMON_NAMES: Names = {
  query: 'q',
  search: 'q',
  sort_by: 'sort',
  order_by: 'sort',
  sort_order: 'order',
  sort_dir: 'order',
  direction: 'order',
  status: 'metadata_status',
  page_size: 'limit',
  per_page: 'limit',
};

type Order = 'asc' | 'desc';
/** Values of `sort` that say the order too. */
const NAMED_ORDERS = new Map<string, [sort: string, order: Order]>(
  Object.entries({
    newest: ['created_at', 'desc'],
    recent: ['created_at', 'desc'],
    oldest: ['created_at', 'asc'],
    most_played: ['play_count', 'desc'],
    recently_played: ['last_played_at', 'desc'],
  }),
);
/** Other names of values of `sort`; the first that the route has is meant. */
const SORT_NAMES = new Map<string, readonly string[]>(
  Object.entries({
    name: ['title'],
    title: ['name'],
    artist_name: ['artist'],
    album_title: ['album'],
    duration_ms: ['duration'],
    added: ['created_at'],
    added_at: ['created_at'],
    date_added: ['created_at'],
    plays: ['play_count'],
  }),
);

const fault = (field: string, message: string): AppError => invalid([{ field, message }]);
const lastOf = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.at(-1);

/** The fields that a schema of an object declares. */
function shapeOf(schema: z.ZodType): Record<string, z.ZodType> {
  const { shape, in: input } = (schema as unknown as { def: { shape?: Record<string, z.ZodType>; in?: z.ZodType } })
    .def;
  return shape ?? (input ? shapeOf(input) : {});
}

/** The values of an enum, below what makes it optional. */
function optionsOf(schema: z.ZodType): readonly string[] {
  const { innerType, entries } = (
    schema as unknown as { def: { innerType?: z.ZodType; entries?: Record<string, string> } }
  ).def;
  return entries ? Object.values(entries) : innerType ? optionsOf(innerType) : [];
}

/** Renames what has another name, and notes in `givenNames` how the request called each field. */
function renamed<T extends Fields | QueryText>(fields: T, names: Names, givenNames: Map<string, string>): T {
  const now: Fields = { ...fields };
  for (const [other, name] of Object.entries(names)) {
    if (!Object.hasOwn(now, other)) continue;
    if (!Object.hasOwn(now, name)) {
      now[name] = now[other];
      givenNames.set(name, other);
    }
    delete now[other];
  }
  return now as T;
}

function pageToOffset(query: QueryText): QueryText {
  const { page, ...rest } = query;
  if (page === undefined) return query;
  const [number, limit] = [Number(lastOf(page)), Number(lastOf(rest['limit']) ?? 50)];
  if (!/^\d{1,9}$/.test(lastOf(page) ?? '') || number < 1) throw fault('page', 'must be a whole number from 1');
  if (rest['offset'] !== undefined) throw fault('page', 'cannot be given together with offset');
  return { ...rest, offset: String((number - 1) * (Number.isSafeInteger(limit) ? limit : 50)) };
}

/** `-year`, `year:desc`, `newest` → a value of `sort` and one of `order`. */
function plainSort(query: QueryText, sorts: readonly string[]): QueryText {
  const given = lastOf(query['sort']);
  if (given === undefined) return query;
  const [, sign = '', word = given, , suffix] = /^([-+ ]?)([a-z_]+)([:,\s]+(asc|desc))?$/i.exec(given) ?? [];
  const signed = sign === '-' ? 'desc' : sign === '' ? undefined : 'asc';
  let order = suffix?.toLowerCase() ?? signed;
  let sort = word.toLowerCase();
  const byName = NAMED_ORDERS.get(sort);
  if (!sorts.includes(sort) && byName && sorts.includes(byName[0])) {
    sort = byName[0];
    order ??= byName[1];
  }
  if (!sorts.includes(sort)) sort = SORT_NAMES.get(sort)?.find((name) => sorts.includes(name)) ?? given;
  const asked = lastOf(query['order'])?.toLowerCase();
  if (order !== undefined && asked !== undefined && order !== asked)
    throw fault('order', `says ${asked}, and sort says ${order}`);
  const both = order ?? asked;
  return { ...query, sort, ...(both !== undefined && { order: both }) };
}

function oneYear(given: QueryText, givenNames: Map<string, string>): QueryText {
  const { year, ...query } = given;
  if (year === undefined) return query;
  for (const end of ['year_from', 'year_to']) if (query[end] === undefined) givenNames.set(end, 'year');
  return { year_from: year, year_to: year, ...query };
}

/** Throws `invalid`, with each parameter by the name that it was given. */
export function parseQuery(schema: z.ZodType, given: QueryText, accepts: Accepts = {}): unknown {
  const shape = shapeOf(schema);
  const givenNames = new Map<string, string>();
  let query = given;
  if (Object.keys(given).some((name) => !Object.hasOwn(shape, name))) {
    const common = Object.entries(COMMON_NAMES).filter(
      ([other, name]) => Object.hasOwn(shape, name) && !Object.hasOwn(shape, other),
    );
    query = renamed(query, { ...Object.fromEntries(common), ...accepts.query }, givenNames);
    if (shape['offset'] && !shape['page']) query = pageToOffset(query);
    if (shape['year_from'] && !shape['year']) query = oneYear(query, givenNames);
  }
  if (shape['sort']) query = plainSort(query, optionsOf(shape['sort']));
  if (accepts.queryAs) query = accepts.queryAs(query);
  const parsed = schema.safeParse(query);
  if (!parsed.success) throw invalid(asCalled(toFields(parsed.error, query), givenNames));
  return parsed.data;
}

/** Returns the errors with the fields as the request called them, each once. */
const asCalled = (fields: FieldError[], givenNames: ReadonlyMap<string, string>): FieldError[] => [
  ...new Map(
    fields
      .map((one) => ({ ...one, field: givenNames.get(one.field) ?? one.field }))
      .map((one) => [`${one.field} ${one.message}`, one]),
  ).values(),
];

/**
 * Unknown fields have no effect, except in a `strict` body or when no field is known; numbers and booleans in strings
 * are taken where no string can be meant. A body as documented is looked at once. Throws `invalid`.
 */
export function parseBody(
  schema: z.ZodType,
  given: unknown,
  { accepts = {}, strict, method }: { accepts?: Accepts; strict?: true; method: string },
): unknown {
  const givenNames = new Map<string, string>();
  let body = given;
  if (isFields(body)) {
    if (accepts.body) body = renamed(body, accepts.body, givenNames);
    if (accepts.bodyAs) body = accepts.bodyAs(body as Fields);
  }
  let parsed = schema.safeParse(body);
  const isUnknown = ({ message }: FieldError): boolean => message === UNKNOWN_FIELD;
  const unknown = parsed.success ? [] : toFields(parsed.error).filter(isUnknown);
  for (let tries = 0; !parsed.success && tries < MOST_MENDS; tries++) {
    const mended = mend(body, parsed.error.issues, { strict: strict === true, isNullAbsent: method === 'post' });
    if (mended === undefined) break;
    body = mended;
    parsed = schema.safeParse(body);
  }
  if (parsed.success) return parsed.data;
  const faults = toFields(parsed.error, body).filter((one) => !isUnknown(one));
  throw invalid(asCalled([...unknown, ...faults], givenNames));
}

/** A union tells of unknown fields only when the known ones are right. */
const MOST_MENDS = 3;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Mending {
  strict: boolean;
  /** In what makes something new; in an edit null says that a field is to be cleared. */
  isNullAbsent: boolean;
}

/** Returns a copy of the body without the faults that can be mended; undefined when none can. */
function mend(body: unknown, issues: readonly z.core.$ZodIssue[], how: Mending): unknown {
  const copy: unknown = structuredClone(body);
  const mended = issues.filter((issue) => mendOne(copy, issue, [], how));
  return mended.length > 0 ? copy : undefined;
}

function mendOne(body: unknown, issue: z.core.$ZodIssue, at: readonly PropertyKey[], how: Mending): boolean {
  const path = [...at, ...issue.path];
  if (issue.code === 'invalid_union')
    return (meantBranch(issue.errors) ?? []).filter((inner) => mendOne(body, inner, path, how)).length > 0;
  if (issue.code === 'unrecognized_keys') {
    const fields = valueAt(body, path);
    const isNoneKnown = path.length === 0 && isFields(fields) && Object.keys(fields).length <= issue.keys.length;
    if (how.strict || isNoneKnown || !isFields(fields)) return false;
    for (const key of issue.keys) delete fields[key];
    return true;
  }
  const [holder, name] = [valueAt(body, path.slice(0, -1)), String(path.at(-1))];
  if (issue.code !== 'invalid_type' || typeof holder !== 'object' || holder === null) return false;
  if (!Object.hasOwn(holder, name)) return false;
  const value = (holder as Fields)[name];
  if (value === null) return how.isNullAbsent && isFields(holder) && delete holder[name];
  const meant = typeof value === 'string' ? fromText(value, issue.expected) : undefined;
  if (meant !== undefined) (holder as Fields)[name] = meant;
  return meant !== undefined;
}

function fromText(text: string, expected: string): number | boolean | undefined {
  const plain = text.trim();
  if ((expected === 'number' || expected === 'int') && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(plain)) return Number(plain);
  if (expected === 'boolean' && /^(?:true|false)$/i.test(plain)) return plain.toLowerCase() === 'true';
  return undefined;
}
