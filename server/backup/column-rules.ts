// The values that a database from elsewhere may have, by the kind of the column. A rule returns the value to store, or
// throws BadValue.
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { COVER_EXTENSIONS } from '../covers/picture.ts';
import { EARLIEST_MS, LATEST_MS } from '../http/times.ts';
import { isPathInside } from '../storage/file-names.ts';
import { isKey } from '../storage/local-paths.ts';
import { FILE_SCHEME, LOCAL_SCHEME, splitUri } from '../storage/uri.ts';

/**
 * `backup`: restores a library with its accounts. `import`: takes only tracks and what people made of them, such as
 * playlists.
 */
export type Scope = 'backup' | 'import';
export type Value = string | number | Uint8Array | null;
export type Rule = (value: Exclude<Value, null>, scope: Scope) => Value;

/** A value that a rule does not allow. The message is the end of a sentence that begins with the name of the column. */
export class BadValue extends Error {}

export interface Column {
  name: string;
  isNullable: boolean;
  /** Maximum size of the text or bytes in the column; longer values are not even read. */
  maxBytes: number;
  rule: Rule;
}

export const MAX_NUMBER_BYTES = 32;
const MAX_TEXT_BYTES = 1 << 20;
const MAX_JSON_BYTES = 16 << 20;
const MAX_BLOB_BYTES = 16 << 20;
const MAX_JSON_DEPTH = 64;
/** The largest id that is accepted, which leaves space for new ids. */
export const MAX_ID = 10 ** 14;
const MAX_URL_CHARS = 8_192;
const MAX_PATH_CHARS = 32_768;

const reject = (reason: string): never => {
  throw new BadValue(reason);
};
const asText = (value: Value): string => (typeof value === 'string' ? value : reject('is no text'));

const integer: Rule = (value) => (Number.isSafeInteger(value) ? value : reject('is no whole number'));
const real: Rule = (value) => (Number.isFinite(value) ? value : reject('is no number'));
const flag: Rule = (value) => (value === 0 || value === 1 ? value : reject('is neither 0 nor 1'));
/**
 * Moves times into the allowed range: feeds and apps gave earlier versions wrong dates, which must not make a backup
 * useless.
 */
const time: Rule = (value) =>
  Number.isSafeInteger(value) ? Math.min(Math.max(Number(value), EARLIEST_MS), LATEST_MS) : reject('is no time');
const id: Rule = (value) =>
  Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= MAX_ID ? value : reject('is no id');
const blob: Rule = (value) => (value instanceof Uint8Array ? value : reject('is no binary data'));

/** Parses JSON. Text that is nested more deeply than any of ours is refused before it is parsed. */
export function parseJson(text: string): unknown {
  let [depth, isString] = [0, false];
  for (let index = 0; index < text.length; index++) {
    const char = text[index];
    if (isString) {
      if (char === '\\') index++;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === '[' || char === '{') {
      if (++depth > MAX_JSON_DEPTH) reject('is nested too deeply');
    } else if (char === ']' || char === '}') depth--;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return reject('is no JSON');
  }
}

/**
 * Throws unless all addresses in the value are web addresses, because some are shown as links and some are requested.
 */
function assertWebAddresses(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, innerValue] of Object.entries(value)) {
    if (/url$/i.test(name) && innerValue !== null) assertWebAddress(innerValue);
    else assertWebAddresses(innerValue);
  }
}

function assertWebAddress(value: unknown): void {
  if (typeof value !== 'string' || value.length > MAX_URL_CHARS || !/^https?:\/\/[^\0]+$/i.test(value))
    reject('is no http or https address');
}

const json: Rule = (value) => {
  assertWebAddresses(parseJson(asText(value)));
  return value;
};

/** Returns a rule for a column with JSON. `matchesShape` gets the parsed value. */
export const jsonRule =
  (matchesShape: (parsed: unknown) => boolean): Rule =>
  (value) => {
    const parsed = parseJson(asText(value));
    assertWebAddresses(parsed);
    return matchesShape(parsed) ? value : reject('has another shape than it should');
  };

export const oneOf =
  (...words: readonly string[]): Rule =>
  (value) =>
    words.includes(asText(value)) ? value : reject(`is none of ${words.join(', ')}`);

export const matchPattern =
  (pattern: RegExp, description: string): Rule =>
  (value) =>
    pattern.test(asText(value)) ? value : reject(`is no ${description}`);

export const webAddress: Rule = (value) => {
  assertWebAddress(value);
  return value;
};

/** Returns a rule for a column that a restore keeps and in which an import writes `replacement`. */
export const replaceInImport =
  (replacement: Value, rule: Rule = (value) => value): Rule =>
  (value, scope) =>
    scope === 'import' ? replacement : rule(value, scope);

/** A path below a music folder; '' is the folder itself. */
export const relativePath: Rule = (value) => {
  const path = asText(value);
  const isInside = path === '' || isPathInside(path);
  return isInside && path.length <= MAX_PATH_CHARS ? value : reject('is no path below a music folder');
};

/**
 * The place of a track's audio. A restore puts every stored object into the local storage. An import leaves out files
 * of music folders.
 */
export const storageUri: Rule = (value, scope) => {
  const { scheme, path } = splitUri(asText(value));
  if (scheme === FILE_SCHEME) {
    relativePath(path, scope);
    return scope === 'import' ? null : value;
  }
  if (!/^[a-z0-9]+$/.test(scheme) || !isKey(path) || !path.startsWith('audio/')) reject('is no place of stored audio');
  return `${LOCAL_SCHEME}:${path}`;
};

/** Returns whether the key is in the folder of covers and has the extension of a picture. */
export const isCoverKey = (key: string): boolean =>
  key.startsWith('covers/') && COVER_EXTENSIONS.some((extension) => key.endsWith(`.${extension}`)) && isKey(key);

export const coverKey: Rule = (value) =>
  isCoverKey(asText(value)) ? value : reject('is no place of a stored picture');

const TYPE_RULES: Record<string, { rule: Rule; maxBytes: number }> = {
  SQLiteInteger: { rule: integer, maxBytes: MAX_NUMBER_BYTES },
  SQLiteTimestamp: { rule: time, maxBytes: MAX_NUMBER_BYTES },
  SQLiteBoolean: { rule: flag, maxBytes: MAX_NUMBER_BYTES },
  SQLiteReal: { rule: real, maxBytes: MAX_NUMBER_BYTES },
  SQLiteText: { rule: (value) => asText(value), maxBytes: MAX_TEXT_BYTES },
  SQLiteTextJson: { rule: json, maxBytes: MAX_JSON_BYTES },
  SQLiteCustomColumn: { rule: blob, maxBytes: MAX_BLOB_BYTES },
};

/** A column that a later migration removed. */
export const formerColumn = (name: string, kind: 'SQLiteText' | 'SQLiteCustomColumn'): Column => {
  const { rule, maxBytes } = typeRuleOf(kind);
  return { name, isNullable: true, maxBytes, rule: replaceInImport(null, rule) };
};

function typeRuleOf(columnType: string): { rule: Rule; maxBytes: number } {
  const typeRule = TYPE_RULES[columnType];
  if (!typeRule) throw new Error(`no rule for ${columnType}`);
  return typeRule;
}

/** The columns of a table by name, each with the rule of its type and its own rule. */
export function tableColumns(table: SQLiteTable, rules: Readonly<Record<string, Rule>>): Map<string, Column> {
  const { columns, foreignKeys } = getTableConfig(table);
  const references = new Set(foreignKeys.flatMap((key) => key.reference().columns.map(({ name }) => name)));
  for (const name of Object.keys(rules))
    if (!columns.some((column) => column.name === name)) throw new Error(`there is no column ${name}`);
  return new Map(
    columns.map((column) => {
      const typeRule = typeRuleOf(column.columnType);
      const basicRule =
        references.has(column.name) || (column.primary && typeRule.rule === integer) ? id : typeRule.rule;
      const ownRule = rules[column.name];
      const rule: Rule = ownRule
        ? (value, scope) => ownRule(basicRule(value, scope) ?? reject('is empty'), scope)
        : basicRule;
      return [column.name, { name: column.name, isNullable: !column.notNull, maxBytes: typeRule.maxBytes, rule }];
    }),
  );
}
