// Translates Navidrome's smart playlists (.nsp files: JSON with comments) into rules of this server. A rule that has no
// counterpart here is left out and named. Format: navidrome.org/docs/usage/features/smart-playlists.
import { parseLimitedJson } from '../runtime/text-limits.ts';
import { FILTERED_TAGS } from '../library/tags/tag-names.ts';
import {
  FIELDS,
  RulesIn,
  SMART_SORTS,
  type Field,
  type Node,
  type Rules,
  type SmartSort,
  type Value,
} from './rules.ts';

export interface SmartFile {
  name: string | undefined;
  description: string | undefined;
  rules: Rules;
  /** Rules and options that have no counterpart, as written in the file. */
  omittedRules: string[];
}

const JSON_LIMITS = { depth: 30, values: 2_000 };
const MAX_RULE_TEXT = 120;
const MAX_NAME_CHARACTERS = 200;
const MAX_DESCRIPTION_CHARACTERS = 2_000;

/** Navidrome's names in lower case, without those that are the same here. */
const FIELD_NAMES: Readonly<Record<string, Field>> = {
  albumartist: 'album_artist',
  tracknumber: 'track_number',
  discnumber: 'disc_number',
  originalyear: 'original_year',
  recordlabel: 'label',
  catalognumber: 'catalog_number',
  key: 'initial_key',
  initialkey: 'initial_key',
  duration: 'duration_ms',
  size: 'size_bytes',
  bitrate: 'bitrate_kbps',
  samplerate: 'sample_rate_hz',
  bitdepth: 'bit_depth',
  playcount: 'play_count',
  filetype: 'format',
  dateadded: 'created_at',
  lastplayed: 'last_played_at',
  dateloved: 'liked_at',
  loved: 'liked',
  hascoverart: 'has_cover',
  lyrics: 'has_lyrics',
};

const OPERATORS: Readonly<Record<string, string>> = {
  is: 'is',
  isnot: 'is_not',
  gt: 'greater_than',
  lt: 'less_than',
  contains: 'contains',
  notcontains: 'does_not_contain',
  startswith: 'starts_with',
  endswith: 'ends_with',
  intherange: 'between',
  before: 'before',
  after: 'after',
  inthelast: 'in_the_last',
  notinthelast: 'not_in_the_last',
};
const DATE_OPERATORS: Readonly<Record<string, string>> = { greater_than: 'after', less_than: 'before' };
const NUMBER_OPERATORS: Readonly<Record<string, string>> = { after: 'greater_than', before: 'less_than' };

/** Moods and groupings are tags here; the field `mood` is measured. */
const isTagName = (name: string): boolean => FILTERED_TAGS.some((tag) => tag === name.toLowerCase());

const fieldOf = (name: string): Field | undefined => {
  const key = name.toLowerCase();
  return FIELD_NAMES[key] ?? (Object.hasOwn(FIELDS, key) ? (key as Field) : undefined);
};

/** Parses a file. Throws SyntaxError, with a reason for people, for text that holds no rules that can be used. */
export function parseNsp(text: string): SmartFile {
  const file = parseLimitedJson(withoutComments(text), JSON_LIMITS);
  if (!isObject(file)) throw new SyntaxError('it is not a JSON object');
  const omittedRules: string[] = [];
  const group = groupOf(file, omittedRules);
  if (group === undefined)
    throw new SyntaxError(
      omittedRules.length > 0 ? `none of its rules exists here: ${omittedRules.join(', ')}` : 'it has no rules',
    );
  const parsed = RulesIn.safeParse({ ...group, ...sortOf(file, omittedRules), ...limitOf(file, omittedRules) });
  if (!parsed.success) throw new SyntaxError(`its rules cannot be used: ${parsed.error.issues[0]?.message ?? ''}`);
  return {
    name: textOf(file['name'], MAX_NAME_CHARACTERS),
    description: textOf(file['comment'], MAX_DESCRIPTION_CHARACTERS),
    rules: parsed.data,
    omittedRules,
  };
}

type JsonObject = Record<string, unknown>;
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown, maxLength: number): string | undefined =>
  typeof value === 'string' ? value.toWellFormed().trim().slice(0, maxLength) || undefined : undefined;

/** Removes comments outside of strings: `//` to the end of the line, and between slashes with asterisks. */
function withoutComments(text: string): string {
  let result = '';
  for (let index = 0; index < text.length;) {
    const start = index;
    if (text[index] === '"') {
      for (index++; index < text.length && text[index] !== '"'; index++) if (text[index] === '\\') index++;
      result += text.slice(start, ++index);
    } else if (text.startsWith('//', index)) index = indexOrEnd(text, '\n', index);
    else if (text.startsWith('/*', index)) index = indexOrEnd(text, '*/', index + 2) + 2;
    else result += text[index++];
  }
  return result;
}

function indexOrEnd(text: string, searchedText: string, from: number): number {
  const index = text.indexOf(searchedText, from);
  return index < 0 ? text.length : index;
}

function groupOf(value: JsonObject, omittedRules: string[]): { all: Node[] } | { any: Node[] } | undefined {
  const kind = Array.isArray(value['all']) ? 'all' : Array.isArray(value['any']) ? 'any' : undefined;
  if (kind === undefined) return undefined;
  const nodes = (value[kind] as unknown[]).flatMap((member) => nodeOf(member, omittedRules) ?? []);
  return nodes.length === 0 ? undefined : kind === 'all' ? { all: nodes } : { any: nodes };
}

function nodeOf(member: unknown, omittedRules: string[]): Node | undefined {
  if (isObject(member) && (Array.isArray(member['all']) || Array.isArray(member['any'])))
    return groupOf(member, omittedRules);
  const condition = isObject(member) ? conditionOf(member) : undefined;
  if (condition === undefined || !RulesIn.safeParse({ all: [condition] }).success) {
    omittedRules.push(JSON.stringify(member).slice(0, MAX_RULE_TEXT));
    return undefined;
  }
  return condition;
}

/** Translates `{"operator": {"field": value}}`. */
function conditionOf(rule: JsonObject): Node | undefined {
  const [operatorName, operand] = Object.entries(rule)[0] ?? ['', undefined];
  if (!isObject(operand)) return undefined;
  const [fieldName, value] = Object.entries(operand)[0] ?? ['', undefined];
  const field = isTagName(fieldName) ? 'tag' : fieldOf(fieldName);
  if (field === undefined) return undefined;
  const tag = field === 'tag' ? { tag: fieldName.toLowerCase() } : {};
  const operator = operatorName.toLowerCase();
  if (operator === 'ismissing' || operator === 'ispresent')
    return { ...presenceOf(field, isTrue(value), operator), ...tag };
  const op = OPERATORS[operator];
  if (op === undefined) return undefined;
  if (FIELDS[field] === 'date') return dateConditionOf(field, DATE_OPERATORS[op] ?? op, value);
  const isNumber = FIELDS[field] === 'number';
  return {
    field,
    ...tag,
    op: ((isNumber ? NUMBER_OPERATORS[op] : undefined) ?? op) as never,
    value: FIELDS[field] === 'boolean' ? isTrue(value) : isNumber ? numbersOf(field, value) : (value as Value),
  };
}

function presenceOf(field: Field, isAsked: boolean, operator: 'ismissing' | 'ispresent'): Node {
  const isPresent = isAsked === (operator === 'ispresent');
  if (FIELDS[field] === 'boolean') return { field, op: 'is', value: isPresent };
  return { field, op: isPresent ? 'is_set' : 'is_not_set', value: undefined };
}

/** A date that is or is not a certain day is a range of one day. */
function dateConditionOf(field: Field, op: string, value: unknown): Node {
  if (op === 'in_the_last' || op === 'not_in_the_last') return { field, op, value: Number(value) };
  const condition = { field, op: (op === 'is' ? 'between' : op) as never };
  return { ...condition, value: (op === 'is' ? [value, value] : value) as Value };
}

/** Navidrome counts durations in seconds. Numbers may be written as text. */
function numbersOf(field: Field, value: unknown): Value {
  const factor = field === 'duration_ms' ? 1_000 : 1;
  const toNumber = (item: unknown): number => (typeof item === 'boolean' ? NaN : Number(item) * factor);
  return Array.isArray(value) ? value.slice(0, 3).map(toNumber) : toNumber(value);
}

const isTrue = (value: unknown): boolean => value === true || value === 1 || value === 'true' || value === '1';

/** Translates `"sort": "-rating,title"` and `"order"`, which reverses all of them. */
function sortOf(file: JsonObject, omittedRules: string[]): { sort?: { field: SmartSort; order: 'asc' | 'desc' }[] } {
  const isReversed = String(file['order']).toLowerCase() === 'desc';
  const names = typeof file['sort'] === 'string' ? file['sort'].split(',', 20).map((name) => name.trim()) : [];
  const sort = names
    .filter((name) => name !== '')
    .flatMap((name) => {
      const field = name.toLowerCase() === '-random' ? 'random' : sortFieldOf(name.replace(/^[+-]/, ''));
      if (field === undefined) {
        omittedRules.push(`sort ${name}`.slice(0, MAX_RULE_TEXT));
        return [];
      }
      return [{ field, order: name.startsWith('-') === isReversed ? ('asc' as const) : ('desc' as const) }];
    });
  return sort.length === 0 ? {} : { sort: sort.slice(0, 4) };
}

const sortFieldOf = (name: string): SmartSort | undefined => {
  const field = name.toLowerCase() === 'random' ? 'random' : fieldOf(name);
  return SMART_SORTS.find((candidate) => candidate === field);
};

function limitOf(file: JsonObject, omittedRules: string[]): { limit?: number } {
  if (file['limitPercent'] !== undefined) omittedRules.push('limitPercent');
  const limit = Number(file['limit'] ?? 0);
  return Number.isInteger(limit) && limit > 0 ? { limit: Math.min(limit, 1_000_000) } : {};
}
