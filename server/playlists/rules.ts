// Rules of smart playlists: fields, their operators, and the shape in the API and the database. Invalid rules are
// refused here with a message that names them; validated rules consist of known names and plain values.
import { z } from 'zod';
import { CREDIT_TAGS } from '../db/more-tags.ts';
import { FIELD_NAMES, namedFieldsFrom, TRACK_FIELDS, type FieldKind } from '../db/track-fields.ts';
import { MOODS } from '../library/lists/moods.ts';
import { storedTagName } from '../library/tags/tag-names.ts';
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';

export type Kind = 'text' | 'word' | 'number' | 'date' | 'boolean' | 'playlist' | 'mood';

const IS_SET_OPERATORS = ['is_set', 'is_not_set'] as const;
export const OPERATORS = {
  text: ['is', 'is_not', 'contains', 'does_not_contain', 'starts_with', 'ends_with', ...IS_SET_OPERATORS],
  word: ['is', 'is_not', ...IS_SET_OPERATORS],
  number: ['is', 'is_not', 'greater_than', 'less_than', 'between', ...IS_SET_OPERATORS],
  date: ['before', 'after', 'between', 'in_the_last', 'not_in_the_last', ...IS_SET_OPERATORS],
  boolean: ['is'],
  playlist: ['is', 'is_not'],
  mood: ['is', 'is_not'],
} as const satisfies Record<Kind, readonly string[]>;
export type Operator = (typeof OPERATORS)[Kind][number];
const ALL_OPERATORS = [...new Set(Object.values(OPERATORS).flat())] as [Operator, ...Operator[]];

const KIND_OF: Record<FieldKind, Kind> = {
  year: 'number',
  position: 'number',
  tempo: 'number',
  level: 'number',
  text: 'text',
  note: 'text',
};

type CreditField = (typeof CREDIT_TAGS)[number];
/** Returns an object with a value for each role of credits; composers are a field of the track. */
export const creditFieldsFrom = <V>(valueOf: (role: CreditField) => V): Record<CreditField, V> =>
  Object.fromEntries(CREDIT_TAGS.map((role) => [role, valueOf(role)])) as Record<CreditField, V>;

export const FIELDS = {
  title: 'text',
  artist: 'text',
  album: 'text',
  album_artist: 'text',
  genre: 'text',
  ...namedFieldsFrom((field) => KIND_OF[TRACK_FIELDS[field].kind]),
  ...creditFieldsFrom(() => 'text' as const),
  duration_ms: 'number',
  size_bytes: 'number',
  bitrate_kbps: 'number',
  sample_rate_hz: 'number',
  bit_depth: 'number',
  channels: 'number',
  play_count: 'number',
  rating: 'number',
  format: 'word',
  source: 'word',
  availability: 'word',
  metadata_status: 'word',
  created_at: 'date',
  last_played_at: 'date',
  liked_at: 'date',
  liked: 'boolean',
  has_lyrics: 'boolean',
  has_cover: 'boolean',
  playlist: 'playlist',
  mood: 'mood',
  /** The tag that `tag` names: a mood or grouping as files have it, or a custom tag. */
  tag: 'text',
} as const satisfies Record<string, Kind>;
export type Field = keyof typeof FIELDS;
const ALL_FIELDS = Object.keys(FIELDS) as [Field, ...Field[]];

export const SMART_SORTS = [
  'title',
  'artist',
  'album',
  ...FIELD_NAMES,
  'duration_ms',
  'size_bytes',
  'bitrate_kbps',
  'created_at',
  'play_count',
  'last_played_at',
  'rating',
  'random',
] as const;
export type SmartSort = (typeof SMART_SORTS)[number];

export interface Condition {
  field: Field;
  /** For the field `tag`, the stored name of the tag. */
  tag?: string | undefined;
  op: Operator;
  value: Value | undefined;
}
export type Value = string | number | boolean | string[] | number[];
type Group = { all: Node[] } | { any: Node[] };
export type Node = Condition | Group;
export type Limit = { by: 'tracks' | 'minutes' | 'megabytes'; amount: number };

const MAX_DEPTH = 5;
const MAX_CONDITIONS = 100;
const MAX_NUMBER = 1e15;

const text = z.string().max(500);
const number = z.number().min(-MAX_NUMBER).max(MAX_NUMBER);
const ValueIn = z.union([text, number, z.boolean(), z.array(text).length(2), z.array(number).length(2)]);
export const SmartSortName = z.enum(SMART_SORTS).meta({ id: 'SmartSort' });
const ConditionShape = {
  field: z.enum(ALL_FIELDS).meta({ id: 'SmartField' }).optional(),
  tag: z
    .string()
    .max(100)
    .transform(storedTagName)
    .optional()
    .meta({ description: 'for the field `tag`: a name of `/tags`, such as `mood` or `OCCASION`' }),
  op: z.enum(ALL_OPERATORS).meta({ id: 'SmartOperator' }).optional(),
  value: ValueIn.optional().meta({
    description:
      'text, number or boolean; a pair for between; days for in_the_last; an id for playlist; none for is_set',
  }),
};

/** Returns the schema of a node with up to `depth` levels of nested groups. */
function nodeAt(depth: number): z.ZodType<Node> {
  const nodes =
    depth > 0
      ? z
          .array(nodeAt(depth - 1))
          .min(1)
          .max(MAX_CONDITIONS)
          .optional()
      : undefined;
  return z
    .strictObject({ ...ConditionShape, ...(nodes && { all: nodes, any: nodes }) })
    .transform((node, ctx): Node => {
      const { field, tag, op, value, all, any } = node as {
        field?: Field;
        tag?: string;
        op?: Operator;
        value?: Value;
        all?: Node[];
        any?: Node[];
      };
      const fault = (message: string): never => (ctx.addIssue(message), z.NEVER);
      if ((all ?? any) !== undefined) {
        if (all && any) return fault('is either all or any');
        return field !== undefined || tag !== undefined || op !== undefined || value !== undefined
          ? fault('is either a group or a rule')
          : all
            ? { all }
            : { any: any as Node[] };
      }
      if (field === undefined || op === undefined) return fault('needs field and op, or a group');
      if ((field === 'tag') !== (tag !== undefined)) return fault('needs tag with the field tag, and only with it');
      const problem = faultOf(field, op, value);
      return problem === undefined ? { field, ...(tag !== undefined && { tag }), op, value } : fault(problem);
    })
    .meta({ id: `SmartRule${MAX_DEPTH - depth}` });
}

/** Returns why a rule is invalid, as the second part of a sentence. */
function faultOf(field: Field, op: Operator, value: Value | undefined): string | undefined {
  const kind: Kind = FIELDS[field];
  if (!(OPERATORS[kind] as readonly Operator[]).includes(op))
    return `${field} does not support ${op}; it supports ${OPERATORS[kind].join(', ')}`;
  if (op === 'is_set' || op === 'is_not_set') return value === undefined ? undefined : `${op} takes no value`;
  if (op === 'in_the_last' || op === 'not_in_the_last')
    return isWholeNumber(value, 36_500) ? undefined : `${op} takes a number of days, 1 to 36500`;
  if (kind === 'boolean') return typeof value === 'boolean' ? undefined : `${field} takes true or false`;
  if (kind === 'playlist')
    return isWholeNumber(value, Number.MAX_SAFE_INTEGER) ? undefined : 'playlist takes the id of a playlist';
  if (kind === 'mood') return MOODS.some((mood) => mood === value) ? undefined : `mood is one of ${MOODS.join(', ')}`;
  if (kind === 'number') {
    if (op === 'between') return isPair(value, 'number') ? undefined : `${field} between takes two numbers`;
    return typeof value === 'number' ? undefined : `${field} takes a number`;
  }
  if (kind === 'date') {
    if (op === 'between')
      return isPair(value, 'string') && value.every((day) => momentOf(String(day)) !== undefined)
        ? undefined
        : `${field} between takes two dates such as 2024-05-31`;
    return typeof value === 'string' && momentOf(value) !== undefined
      ? undefined
      : `${field} takes a date such as 2024-05-31`;
  }
  if (typeof value !== 'string') return `${field} takes text`;
  return sortKey(value) === '' ? `${field} needs a visible character to compare with` : undefined;
}

const isWholeNumber = (value: Value | undefined, max: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max;
const isPair = (value: Value | undefined, type: 'string' | 'number'): value is string[] | number[] =>
  Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === type);

/**
 * Parses a day (UTC) or a point in time as [`from`, `until`) in ms since the epoch. Returns undefined if it is neither.
 */
export function momentOf(value: string): { from: number; until: number } | undefined {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(value);
  if (!isDay && !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(value)) return undefined;
  const from = Date.parse(value);
  // rejects dates such as 31 February
  if (Number.isNaN(from) || (isDay && new Date(from).toISOString().slice(0, 10) !== value)) return undefined;
  return { from, until: from + (isDay ? 86_400_000 : 1) };
}

const SortIn = z.strictObject({ field: SmartSortName, order: z.enum(['asc', 'desc']).default('asc') });

const nodes = z
  .array(nodeAt(MAX_DEPTH - 1))
  .min(1)
  .max(MAX_CONDITIONS)
  .optional();
export const RulesIn = z
  .strictObject({
    all: nodes.meta({ description: 'rules and groups that must all match' }),
    any: nodes.meta({ description: 'rules and groups of which at least one must match' }),
    sort: z.array(SortIn).max(4).optional().meta({ description: 'default: artist' }),
    limit: z.int().min(1).max(1_000_000).optional(),
    limit_by: z
      .enum(['tracks', 'minutes', 'megabytes'])
      .optional()
      .meta({ description: 'what `limit` counts; default tracks' }),
    seed: z
      .int()
      .min(0)
      .max(2 ** 32 - 1)
      .optional()
      .meta({ description: 'seed of the random order; chosen when absent' }),
  })
  .superRefine((rules, ctx) => {
    const roots = [rules.all, rules.any].filter((group) => group !== undefined);
    if (roots.length !== 1) return void ctx.addIssue('needs either all or any');
    if (countConditions(roots[0] as Node[]) > MAX_CONDITIONS) ctx.addIssue(`has more than ${MAX_CONDITIONS} rules`);
  })
  .meta({ id: 'SmartRules', 'x-example': { all: [{ field: 'genre', op: 'is', value: 'Folk' }] } });
export type Rules = z.output<typeof RulesIn>;

export const isGroup = (node: Node): node is Group => 'all' in node || 'any' in node;
export const membersOf = (group: { all?: Node[] | undefined; any?: Node[] | undefined }): Node[] =>
  group.all ?? group.any ?? [];

const countConditions = (nodes: readonly Node[]): number =>
  nodes.reduce((sum, node) => sum + (isGroup(node) ? countConditions(membersOf(node)) : 1), 0);

/** Returns the ids of the playlists that the rules refer to. */
export const playlistsIn = (nodes: readonly Node[]): number[] =>
  nodes.flatMap((node) =>
    isGroup(node) ? playlistsIn(membersOf(node)) : node.field === 'playlist' ? [node.value as number] : [],
  );
