// Converts what the API accepts besides the documented shapes (docs/API.md): aliases of names, other spellings of
// values, unknown fields. Handlers and services only get the documented shape.
import type { z } from 'zod';
import { invalid, type AppError, type FieldError } from '../errors.ts';
import { likelyBranch, toFields, UNKNOWN_FIELD, valueAt } from './problem.ts';

export type Fields = Record<string, unknown>;
/** The parameters of a query as sent; a repeated parameter is a list. */
export type QueryText = Record<string, string | string[]>;
type Names = Readonly<Record<string, string>>;

/** The aliases that a route accepts. If a documented name and its alias come together, the documented name counts. */
export interface Accepts {
  /** Aliases of fields of the body. */
  body?: Names;
  /** Aliases of query parameters, in addition to `COMMON_NAMES`. */
  query?: Names;
  /** Converts another shape of the body to the documented one. Called after aliases were replaced. */
  bodyAs?: (body: Fields) => Fields;
  /** Converts another shape of the query to the documented one. */
  queryAs?: (query: QueryText) => QueryText;
  /** Describes in phrases what `bodyAs` and `queryAs` accept, for the documentation. */
  extraForms?: readonly string[];
}

/** Aliases that every route accepts if it has the second name. */
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
/** Values of `sort` that include an order. */
const NAMED_ORDERS = new Map<string, [sort: string, order: Order]>(
  Object.entries({
    newest: ['created_at', 'desc'],
    recent: ['created_at', 'desc'],
    oldest: ['created_at', 'asc'],
    most_played: ['play_count', 'desc'],
    recently_played: ['last_played_at', 'desc'],
  }),
);
/** Aliases of values of `sort`. Of several values, the first one that the route has is used. */
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
const lastValue = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.at(-1);

/** Returns the fields that the schema of an object declares. */
function shapeOf(schema: z.ZodType): Record<string, z.ZodType> {
  const { shape, in: input } = (schema as unknown as { def: { shape?: Record<string, z.ZodType>; in?: z.ZodType } })
    .def;
  return shape ?? (input ? shapeOf(input) : {});
}

/** Returns the values of an enum, which may be optional. */
function optionsOf(schema: z.ZodType): readonly string[] {
  const { innerType, entries } = (
    schema as unknown as { def: { innerType?: z.ZodType; entries?: Record<string, string> } }
  ).def;
  return entries ? Object.values(entries) : innerType ? optionsOf(innerType) : [];
}

/**
 * Replaces aliases by the documented names, and stores in `givenNames` the name that the request used for each field.
 */
function renameFields<T extends Fields | QueryText>(fields: T, names: Names, givenNames: Map<string, string>): T {
  const result: Fields = { ...fields };
  for (const [alias, name] of Object.entries(names)) {
    if (!Object.hasOwn(result, alias)) continue;
    if (!Object.hasOwn(result, name)) {
      result[name] = result[alias];
      givenNames.set(name, alias);
    }
    delete result[alias];
  }
  return result as T;
}

function pageToOffset(query: QueryText): QueryText {
  const { page, ...otherParameters } = query;
  if (page === undefined) return query;
  const [number, limit] = [Number(lastValue(page)), Number(lastValue(otherParameters['limit']) ?? 50)];
  if (!/^\d{1,9}$/.test(lastValue(page) ?? '') || number < 1) throw fault('page', 'must be a whole number from 1');
  if (otherParameters['offset'] !== undefined) throw fault('page', 'cannot be given together with offset');
  return { ...otherParameters, offset: String((number - 1) * (Number.isSafeInteger(limit) ? limit : 50)) };
}

/** Converts `-year`, `year:desc` and `newest` to values of `sort` and `order`. */
function normalizeSort(query: QueryText, sorts: readonly string[]): QueryText {
  const sortText = lastValue(query['sort']);
  if (sortText === undefined) return query;
  const [, sign = '', sortWord = sortText, , suffix] = /^([-+ ]?)([a-z_]+)([:,\s]+(asc|desc))?$/i.exec(sortText) ?? [];
  const orderOfSign = sign === '-' ? 'desc' : sign === '' ? undefined : 'asc';
  let order = suffix?.toLowerCase() ?? orderOfSign;
  let sort = sortWord.toLowerCase();
  const namedOrder = NAMED_ORDERS.get(sort);
  if (!sorts.includes(sort) && namedOrder && sorts.includes(namedOrder[0])) {
    sort = namedOrder[0];
    order ??= namedOrder[1];
  }
  if (!sorts.includes(sort)) sort = SORT_NAMES.get(sort)?.find((name) => sorts.includes(name)) ?? sortText;
  const orderParam = lastValue(query['order'])?.toLowerCase();
  if (order !== undefined && orderParam !== undefined && order !== orderParam)
    throw fault('order', `says ${orderParam}, and sort says ${order}`);
  const finalOrder = order ?? orderParam;
  return { ...query, sort, ...(finalOrder !== undefined && { order: finalOrder }) };
}

function expandYear(input: QueryText, givenNames: Map<string, string>): QueryText {
  const { year, ...query } = input;
  if (year === undefined) return query;
  for (const end of ['year_from', 'year_to']) if (query[end] === undefined) givenNames.set(end, 'year');
  return { year_from: year, year_to: year, ...query };
}

/** Parses a query. Throws `invalid`, which lists each parameter by the name that the request used. */
export function parseQuery(schema: z.ZodType, input: QueryText, accepts: Accepts = {}): unknown {
  const shape = shapeOf(schema);
  const givenNames = new Map<string, string>();
  let query = input;
  if (Object.keys(input).some((name) => !Object.hasOwn(shape, name))) {
    const commonAliases = Object.entries(COMMON_NAMES).filter(
      ([alias, name]) => Object.hasOwn(shape, name) && !Object.hasOwn(shape, alias),
    );
    query = renameFields(query, { ...Object.fromEntries(commonAliases), ...accepts.query }, givenNames);
    if (shape['offset'] && !shape['page']) query = pageToOffset(query);
    if (shape['year_from'] && !shape['year']) query = expandYear(query, givenNames);
  }
  if (shape['sort']) query = normalizeSort(query, optionsOf(shape['sort']));
  if (accepts.queryAs) query = accepts.queryAs(query);
  const parsed = schema.safeParse(query);
  if (!parsed.success) throw invalid(withGivenNames(toFields(parsed.error, query), givenNames));
  return parsed.data;
}

/** Returns each error once, with the name that the request used for the field. */
const withGivenNames = (fields: FieldError[], givenNames: ReadonlyMap<string, string>): FieldError[] => [
  ...new Map(
    fields
      .map((error) => ({ ...error, field: givenNames.get(error.field) ?? error.field }))
      .map((error) => [`${error.field} ${error.message}`, error]),
  ).values(),
];

/**
 * Parses a body. Unknown fields have no effect, except in a `strict` body or when no field is known. Numbers and
 * booleans in strings are accepted where no string is possible. A body as documented is validated only once. Throws
 * `invalid`.
 */
export function parseBody(
  schema: z.ZodType,
  input: unknown,
  { accepts = {}, strict, method }: { accepts?: Accepts; strict?: true; method: string },
): unknown {
  const givenNames = new Map<string, string>();
  let body = input;
  if (isFields(body)) {
    if (accepts.body) body = renameFields(body, accepts.body, givenNames);
    if (accepts.bodyAs) body = accepts.bodyAs(body as Fields);
  }
  let parsed = schema.safeParse(body);
  const isUnknown = ({ message }: FieldError): boolean => message === UNKNOWN_FIELD;
  const unknownFields = parsed.success ? [] : toFields(parsed.error).filter(isUnknown);
  for (let attempt = 0; !parsed.success && attempt < MAX_REPAIRS; attempt++) {
    const repairedBody = repairBody(body, parsed.error.issues, {
      strict: strict === true,
      isNullAbsent: method === 'post',
    });
    if (repairedBody === undefined) break;
    body = repairedBody;
    parsed = schema.safeParse(body);
  }
  if (parsed.success) return parsed.data;
  const errors = toFields(parsed.error, body).filter((error) => !isUnknown(error));
  throw invalid(withGivenNames([...unknownFields, ...errors], givenNames));
}

/** A body is repaired several times, because a union reports unknown fields only when the known ones are valid. */
const MAX_REPAIRS = 3;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface RepairOptions {
  strict: boolean;
  /** Whether null counts as an absent field. True when something is created; in an edit, null deletes a value. */
  isNullAbsent: boolean;
}

/** Returns a copy of the body without the faults that can be repaired; undefined when there are none. */
function repairBody(body: unknown, issues: readonly z.core.$ZodIssue[], options: RepairOptions): unknown {
  const copy: unknown = structuredClone(body);
  const repairedIssues = issues.filter((issue) => repairIssue(copy, issue, [], options));
  return repairedIssues.length > 0 ? copy : undefined;
}

function repairIssue(
  body: unknown,
  issue: z.core.$ZodIssue,
  parentPath: readonly PropertyKey[],
  options: RepairOptions,
): boolean {
  const path = [...parentPath, ...issue.path];
  if (issue.code === 'invalid_union')
    return (
      (likelyBranch(issue.errors) ?? []).filter((innerIssue) => repairIssue(body, innerIssue, path, options)).length > 0
    );
  if (issue.code === 'unrecognized_keys') {
    const fields = valueAt(body, path);
    const hasOnlyUnknownFields =
      path.length === 0 && isFields(fields) && Object.keys(fields).length <= issue.keys.length;
    if (options.strict || hasOnlyUnknownFields || !isFields(fields)) return false;
    for (const key of issue.keys) delete fields[key];
    return true;
  }
  const [parent, name] = [valueAt(body, path.slice(0, -1)), String(path.at(-1))];
  if (issue.code !== 'invalid_type' || typeof parent !== 'object' || parent === null) return false;
  if (!Object.hasOwn(parent, name)) return false;
  const value = (parent as Fields)[name];
  if (value === null) return options.isNullAbsent && isFields(parent) && delete parent[name];
  const converted = typeof value === 'string' ? fromText(value, issue.expected) : undefined;
  if (converted !== undefined) (parent as Fields)[name] = converted;
  return converted !== undefined;
}

function fromText(text: string, expectedType: string): number | boolean | undefined {
  const trimmedText = text.trim();
  if ((expectedType === 'number' || expectedType === 'int') && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(trimmedText))
    return Number(trimmedText);
  if (expectedType === 'boolean' && /^(?:true|false)$/i.test(trimmedText)) return trimmedText.toLowerCase() === 'true';
  return undefined;
}
