// What a value of a database from elsewhere may be, by the kind of its column. A rule returns the value that is stored,
// or throws BadValue.
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { COVER_EXTENSIONS } from '../covers/picture.ts';
import { EARLIEST_MS, LATEST_MS } from '../http/times.ts';
import { isPathInside } from '../storage/file-names.ts';
import { isKey } from '../storage/local-paths.ts';
import { FILE_SCHEME, LOCAL_SCHEME, splitUri } from '../storage/uri.ts';

/** A backup brings back a library with its accounts, an import takes tracks and what people made of them. */
export type Scope = 'backup' | 'import';
export type Value = string | number | Uint8Array | null;
export type Rule = (value: Exclude<Value, null>, scope: Scope) => Value;

/** In words that follow "is" or the name of the column. */
export class BadValue extends Error {}

export interface Column {
  name: string;
  isNullable: boolean;
  /** Of its text or bytes; longer ones are not even read. */
  maxBytes: number;
  rule: Rule;
}

export const MAX_NUMBER_BYTES = 32;
const MAX_TEXT_BYTES = 1 << 20;
const MAX_JSON_BYTES = 16 << 20;
const MAX_BLOB_BYTES = 16 << 20;
const MAX_JSON_DEPTH = 64;
/** Leaves room for new ids below `MOST_ID`. */
export const MAX_ID = 10 ** 14;
const MAX_URL_CHARS = 8_192;
const MAX_PATH_CHARS = 32_768;

const fail = (why: string): never => {
  throw new BadValue(why);
};
const asText = (value: Value): string => (typeof value === 'string' ? value : fail('is no text'));

const integer: Rule = (value) => (Number.isSafeInteger(value) ? value : fail('is no whole number'));
const real: Rule = (value) => (Number.isFinite(value) ? value : fail('is no number'));
const flag: Rule = (value) => (value === 0 || value === 1 ? value : fail('is neither 0 nor 1'));
/** Feeds and apps gave earlier versions dates outside of the range, which must not make a backup useless. */
const time: Rule = (value) =>
  Number.isSafeInteger(value) ? Math.min(Math.max(Number(value), EARLIEST_MS), LATEST_MS) : fail('is no time');
const id: Rule = (value) =>
  Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= MAX_ID ? value : fail('is no id');
const blob: Rule = (value) => (value instanceof Uint8Array ? value : fail('is no binary data'));

/** Also refuses what nests deeper than any reader of ours goes, before it is parsed. */
export function parseJson(text: string): unknown {
  let [depth, isString] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (isString) {
      if (char === '\\') at++;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === '[' || char === '{') {
      if (++depth > MAX_JSON_DEPTH) fail('is nested too deeply');
    } else if (char === ']' || char === '}') depth--;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return fail('is no JSON');
  }
}

/** Addresses anywhere in it are those of the web, because some are shown as links and some are asked. */
function assertWebAddresses(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (/url$/i.test(name) && inner !== null) assertWebAddress(inner);
    else assertWebAddresses(inner);
  }
}

function assertWebAddress(value: unknown): void {
  if (typeof value !== 'string' || value.length > MAX_URL_CHARS || !/^https?:\/\/[^\0]+$/i.test(value))
    fail('is no http or https address');
}

const json: Rule = (value) => {
  assertWebAddresses(parseJson(asText(value)));
  return value;
};

/** JSON of a shape: `isOfShape` gets what was parsed. */
export const jsonOf =
  (isOfShape: (parsed: unknown) => boolean): Rule =>
  (value) => {
    const parsed = parseJson(asText(value));
    assertWebAddresses(parsed);
    return isOfShape(parsed) ? value : fail('has another shape than it should');
  };

export const oneOf =
  (...words: readonly string[]): Rule =>
  (value) =>
    words.includes(asText(value)) ? value : fail(`is none of ${words.join(', ')}`);

export const matching =
  (pattern: RegExp, what: string): Rule =>
  (value) =>
    pattern.test(asText(value)) ? value : fail(`is no ${what}`);

export const webAddress: Rule = (value) => {
  assertWebAddress(value);
  return value;
};

/** In the settings of a backup, and never of an import. */
export const withheld =
  (instead: Value, rule: Rule = (value) => value): Rule =>
  (value, scope) =>
    scope === 'import' ? instead : rule(value, scope);

/** Below a music folder; '' is the folder itself. */
export const relativePath: Rule = (value) => {
  const path = asText(value);
  const isInside = path === '' || isPathInside(path);
  return isInside && path.length <= MAX_PATH_CHARS ? value : fail('is no path below a music folder');
};

/** A restore puts every stored object into the local storage. Files of music folders stay behind in an import. */
export const storageUri: Rule = (value, scope) => {
  const { scheme, path } = splitUri(asText(value));
  if (scheme === FILE_SCHEME) {
    relativePath(path, scope);
    return scope === 'import' ? null : value;
  }
  if (!/^[a-z0-9]+$/.test(scheme) || !isKey(path) || !path.startsWith('audio/')) fail('is no place of stored audio');
  return `${LOCAL_SCHEME}:${path}`;
};

/** A key of the storage in the folder of the covers, with the ending of a picture. */
export const isCoverKey = (key: string): boolean =>
  key.startsWith('covers/') && COVER_EXTENSIONS.some((extension) => key.endsWith(`.${extension}`)) && isKey(key);

export const coverKey: Rule = (value) => (isCoverKey(asText(value)) ? value : fail('is no place of a stored picture'));

const KINDS: Record<string, { rule: Rule; maxBytes: number }> = {
  SQLiteInteger: { rule: integer, maxBytes: MAX_NUMBER_BYTES },
  SQLiteTimestamp: { rule: time, maxBytes: MAX_NUMBER_BYTES },
  SQLiteBoolean: { rule: flag, maxBytes: MAX_NUMBER_BYTES },
  SQLiteReal: { rule: real, maxBytes: MAX_NUMBER_BYTES },
  SQLiteText: { rule: (value) => asText(value), maxBytes: MAX_TEXT_BYTES },
  SQLiteTextJson: { rule: json, maxBytes: MAX_JSON_BYTES },
  SQLiteCustomColumn: { rule: blob, maxBytes: MAX_BLOB_BYTES },
};

/** A column that later migrations removed. */
export const formerColumn = (name: string, kind: 'SQLiteText' | 'SQLiteCustomColumn'): Column => {
  const { rule, maxBytes } = kindOf(kind);
  return { name, isNullable: true, maxBytes, rule: withheld(null, rule) };
};

function kindOf(columnType: string): { rule: Rule; maxBytes: number } {
  const kind = KINDS[columnType];
  if (!kind) throw new Error(`no rule for ${columnType}`);
  return kind;
}

/** The columns of a table by name: what the schema says of each, and a rule of its own beside that. */
export function columnsOf(table: SQLiteTable, rules: Readonly<Record<string, Rule>>): Map<string, Column> {
  const { columns, foreignKeys } = getTableConfig(table);
  const references = new Set(foreignKeys.flatMap((key) => key.reference().columns.map(({ name }) => name)));
  for (const name of Object.keys(rules))
    if (!columns.some((column) => column.name === name)) throw new Error(`there is no column ${name}`);
  return new Map(
    columns.map((column) => {
      const kind = kindOf(column.columnType);
      const basic = references.has(column.name) || (column.primary && kind.rule === integer) ? id : kind.rule;
      const own = rules[column.name];
      const rule: Rule = own ? (value, scope) => own(basic(value, scope) ?? fail('is empty'), scope) : basic;
      return [column.name, { name: column.name, isNullable: !column.notNull, maxBytes: kind.maxBytes, rule }];
    }),
  );
}
