// Compiles rules to one SELECT. All SQL comes from the tables in this file, selected by names that rules.ts validated;
// values are bound. Each operator also defines its result for missing values: "last played not in the last 30 days" is
// true for a track that was never played.
import { albumPlace } from '../db/album-place.ts';
import type { UserId } from '../db/ids.ts';
import { namedFieldsFrom, TRACK_FIELDS, type TrackField } from '../db/track-fields.ts';
import { moodSql, type Mood } from '../library/lists/moods.ts';
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';
import type { Params } from '../library/lists/statement-cache.ts';
import {
  creditFieldsFrom,
  FIELDS,
  isGroup,
  membersOf,
  momentOf,
  type Condition,
  type Field,
  type Kind,
  type Limit,
  type Node,
  type Operator,
  type Rules,
  type SmartSort,
} from './rules.ts';

const DAY_MS = 86_400_000;
const isOfUser = (table: string): string => `${table}.user_id = @userId AND ${table}.item_type = 'track'`;

/**
 * Where a field is stored: in the track's row, or in rows found by track or album id. `zero`: a missing row means 0.
 */
type FieldPlace = { column: string } | { key: 'i.id' | 'i.album_id'; from: string; value: string; zero?: boolean };

/** Returns the column of a field; texts are compared folded. */
const columnOf = (field: TrackField): string =>
  FIELDS[TRACK_FIELDS[field].name] === 'text' ? `fold(i.${TRACK_FIELDS[field].name})` : `i.${TRACK_FIELDS[field].name}`;

/** A field with one place, unlike `mood`, a condition on several columns, and `tag`, whose rows have many names. */
type ColumnField = Exclude<Field, 'mood' | 'tag'>;
const FIELD_PLACES: Record<ColumnField, FieldPlace> = {
  title: { column: 'i.title_sort' },
  album: { column: 'i.album_sort' },
  artist: {
    key: 'i.id',
    from: 'SELECT ta.track_id FROM artists a CROSS JOIN track_artists ta ON ta.artist_id = a.id WHERE',
    value: 'fold(a.name)',
  },
  album_artist: {
    key: 'i.album_id',
    from: 'SELECT al.id FROM artists a CROSS JOIN albums al ON al.artist_id = a.id WHERE',
    value: 'fold(a.name)',
  },
  genre: {
    key: 'i.id',
    from: 'SELECT tg.track_id FROM genres g CROSS JOIN track_genres tg ON tg.genre_id = g.id WHERE',
    value: 'fold(g.name)',
  },
  ...namedFieldsFrom((field): FieldPlace => ({ column: columnOf(field) })),
  ...creditFieldsFrom((role): FieldPlace => ({
    key: 'i.id',
    from: `SELECT tc.track_id FROM track_credits tc CROSS JOIN people p ON p.id = tc.person_id
      WHERE tc.role = '${role}' AND`,
    value: 'fold(p.name)',
  })),
  duration_ms: { column: 'i.duration_ms' },
  size_bytes: { column: 'i.size_bytes' },
  bitrate_kbps: { column: 'i.bitrate_kbps' },
  sample_rate_hz: { column: 'i.sample_rate_hz' },
  bit_depth: { column: 'i.bit_depth' },
  channels: { column: 'i.channels' },
  play_count: {
    key: 'i.id',
    from: `SELECT c.item_id FROM play_counts c WHERE ${isOfUser('c')} AND`,
    value: 'c.plays',
    zero: true,
  },
  rating: {
    key: 'i.id',
    from: `SELECT l.item_id FROM like_states l WHERE ${isOfUser('l')} AND`,
    value: 'l.rating',
    zero: true,
  },
  format: { column: 'i.format' },
  source: { column: 'i.source' },
  availability: { column: 'i.availability' },
  metadata_status: { column: 'i.metadata_status' },
  created_at: { column: 'i.created_at' },
  last_played_at: {
    key: 'i.id',
    from: `SELECT c.item_id FROM play_counts c WHERE ${isOfUser('c')} AND c.last_played_at > 0 AND`,
    value: 'c.last_played_at',
  },
  liked_at: {
    key: 'i.id',
    from: `SELECT l.item_id FROM like_states l WHERE ${isOfUser('l')} AND l.liked = 1 AND`,
    value: 'l.since',
  },
  liked: {
    key: 'i.id',
    from: `SELECT l.item_id FROM like_states l WHERE ${isOfUser('l')} AND l.liked = 1 AND`,
    value: '1',
  },
  has_lyrics: { column: 'i.has_lyrics' },
  has_cover: {
    key: 'i.album_id',
    from: 'SELECT c.album_id FROM album_covers c WHERE c.key IS NOT NULL AND',
    value: '1',
  },
  // Ordinary playlists only (service.ts checks this), since a smart playlist could refer to itself.
  playlist: {
    key: 'i.id',
    value: 'e.playlist_id',
    from: `SELECT e.track_id FROM playlist_entries e JOIN playlists p ON p.id = e.playlist_id
      WHERE p.deleted_at IS NULL AND (p.owner_id = @userId OR p.is_public = 1) AND`,
  },
};

const SORT_SQL: Record<Exclude<SmartSort, 'random'>, { keys: readonly string[]; nulls?: boolean }> = {
  title: { keys: ['i.title_sort'] },
  artist: { keys: ['i.artist_sort', 'i.album_sort', 'i.album_id', albumPlace('i')] },
  album: { keys: ['i.album_sort', 'i.album_id', albumPlace('i')] },
  ...namedFieldsFrom((field) => ({ keys: [columnOf(field)], nulls: true })),
  duration_ms: { keys: ['i.duration_ms'], nulls: true },
  size_bytes: { keys: ['i.size_bytes'], nulls: true },
  bitrate_kbps: { keys: ['i.bitrate_kbps'], nulls: true },
  created_at: { keys: ['i.created_at'] },
  play_count: {
    keys: [`coalesce((SELECT c.plays FROM play_counts c WHERE ${isOfUser('c')} AND c.item_id = i.id), 0)`],
  },
  last_played_at: {
    keys: [
      `(SELECT c.last_played_at FROM play_counts c WHERE ${isOfUser('c')} AND c.item_id = i.id
        AND c.last_played_at > 0)`,
    ],
    nulls: true,
  },
  rating: { keys: [`coalesce((SELECT l.rating FROM like_states l WHERE ${isOfUser('l')} AND l.item_id = i.id), 0)`] },
};

/** A query whose rows are `id, duration_ms, size_bytes`. `totalLimit` limits the total duration or size. */
export interface SmartQuery {
  sql: string;
  params: Params;
  totalLimit: Limit | undefined;
}

interface OperatorTest {
  sql: string;
  whenUnset: boolean;
}
type Bind = (value: string | number) => string;

/**
 * Compiles rules to a query. `userId` is the owner, whose likes and plays count. smart-worker.ts defines the SQL
 * functions `fold` and `seeded`.
 */
export function rulesQuery(rules: Rules, { userId, now }: { userId: UserId; now: Date }): SmartQuery {
  const params: Params = { userId };
  let boundCount = 0;
  const bind: Bind = (value) => {
    params[`v${boundCount}`] = value;
    return `@v${boundCount++}`;
  };
  const where = groupSql(rules, (condition) => conditionSql(condition, bind, now));
  const orderBy = orderSql(rules, bind);
  const limit: Limit | undefined =
    rules.limit === undefined ? undefined : { by: rules.limit_by ?? 'tracks', amount: rules.limit };
  const end = limit?.by === 'tracks' ? ` LIMIT ${bind(limit.amount)}` : '';
  return {
    sql: `SELECT i.id, i.duration_ms, i.size_bytes FROM tracks i WHERE ${where} ORDER BY ${orderBy}${end}`,
    params,
    totalLimit: limit?.by === 'tracks' ? undefined : limit,
  };
}

function groupSql(
  group: { all?: Node[] | undefined; any?: Node[] | undefined },
  sqlOf: (condition: Condition) => string,
): string {
  const parts = membersOf(group).map((node) => (isGroup(node) ? groupSql(node, sqlOf) : sqlOf(node)));
  return `(${parts.join(group.all ? ' AND ' : ' OR ')})`;
}

/** Returns where the values of a tag are stored, which are folded already. */
const placeOfTag = (tag: string, bind: Bind): FieldPlace => ({
  key: 'i.id',
  from: `SELECT tt.track_id FROM track_tags tt WHERE tt.tag = ${bind(tag)} AND`,
  value: 'tt.value_key',
});

function conditionSql({ field, tag = '', op, value }: Condition, bind: Bind, now: Date): string {
  // a track whose mood is unknown has no mood
  if (field === 'mood') return `(${op === 'is_not' ? 'NOT ' : ''}coalesce((${moodSql(value as Mood, 'i')}), 0))`;
  const place = field === 'tag' ? placeOfTag(tag, bind) : FIELD_PLACES[field];
  const kind: Kind = FIELDS[field];
  if ('column' in place) {
    const { sql, whenUnset } = testOf(kind, op, value, place.column, bind, now);
    return whenUnset ? `(${place.column} IS NULL OR ${sql})` : `(${sql})`;
  }
  const isCountTest = place.zero === true && (op === 'is_set' || op === 'is_not_set');
  const { sql, whenUnset } = isCountTest
    ? testOf(kind, op === 'is_set' ? 'greater_than' : 'is', 0, place.value, bind, now)
    : testOf(kind, op, value, place.value, bind, now);
  const holdsForMissing = place.zero === true ? zeroHolds(op, value) : whenUnset;
  if (!holdsForMissing) return `${place.key} IN (${place.from} (${sql}))`;
  const excludedSql = `${place.key} NOT IN (${place.from} NOT (${sql}))`;
  return place.key === 'i.id' ? excludedSql : `(${place.key} IS NULL OR ${excludedSql})`;
}

function testOf(kind: Kind, op: Operator, value: Condition['value'], x: string, bind: Bind, now: Date): OperatorTest {
  const falseWhenUnset = (sql: string): OperatorTest => ({ sql, whenUnset: false });
  const trueWhenUnset = (sql: string): OperatorTest => ({ sql, whenUnset: true });
  if (kind === 'boolean') {
    if (x === '1') return value === true ? falseWhenUnset('1') : trueWhenUnset('0');
    return falseWhenUnset(`${x} = ${value === true ? 1 : 0}`);
  }
  if (op === 'is_set') return falseWhenUnset(kind === 'text' ? `${x} <> ''` : `${x} IS NOT NULL`);
  if (op === 'is_not_set') return trueWhenUnset(kind === 'text' ? `${x} = ''` : `${x} IS NULL`);
  if (kind === 'date') return dateTest(op, value, x, bind, now);
  if (kind === 'text' || kind === 'word') return textTest(op, sortKey(value as string), x, bind);
  return numberTest(op, value as number | number[], x, bind);
}

function textTest(op: Operator, foldedText: string, x: string, bind: Bind): OperatorTest {
  const p = bind(foldedText);
  switch (op) {
    case 'is_not':
      return { sql: `${x} <> ${p}`, whenUnset: true };
    case 'contains':
      return { sql: `instr(${x}, ${p}) > 0`, whenUnset: false };
    case 'does_not_contain':
      return { sql: `instr(${x}, ${p}) = 0`, whenUnset: true };
    case 'starts_with':
      return { sql: `substr(${x}, 1, length(${p})) = ${p}`, whenUnset: false };
    case 'ends_with':
      return { sql: `substr(${x}, -length(${p})) = ${p}`, whenUnset: false };
    default:
      return { sql: `${x} = ${p}`, whenUnset: false };
  }
}

function numberTest(op: Operator, value: number | number[], x: string, bind: Bind): OperatorTest {
  const operand = Array.isArray(value) ? 0 : value;
  switch (op) {
    case 'is_not':
      return { sql: `${x} <> ${bind(operand)}`, whenUnset: true };
    case 'greater_than':
      return { sql: `${x} > ${bind(operand)}`, whenUnset: false };
    case 'less_than':
      return { sql: `${x} < ${bind(operand)}`, whenUnset: false };
    case 'between': {
      const [low, high] = (value as number[]).toSorted((a, b) => a - b) as [number, number];
      return { sql: `${x} BETWEEN ${bind(low)} AND ${bind(high)}`, whenUnset: false };
    }
    default:
      return { sql: `${x} = ${bind(operand)}`, whenUnset: false };
  }
}

/** Returns whether a numeric condition is true for 0. */
function zeroHolds(op: Operator, value: Condition['value']): boolean {
  const [low, high] = Array.isArray(value)
    ? ((value as number[]).toSorted((a, b) => a - b) as [number, number])
    : [Number(value), Number(value)];
  switch (op) {
    case 'is':
      return low === 0;
    case 'is_not':
      return low !== 0;
    case 'greater_than':
      return low < 0;
    case 'less_than':
      return low > 0;
    case 'between':
      return low <= 0 && high >= 0;
    default:
      return op === 'is_not_set';
  }
}

function dateTest(op: Operator, value: Condition['value'], x: string, bind: Bind, now: Date): OperatorTest {
  const moment = (day: unknown) => momentOf(String(day)) ?? { from: 0, until: 0 };
  switch (op) {
    case 'before':
      return { sql: `${x} < ${bind(moment(value).from)}`, whenUnset: false };
    case 'after':
      return { sql: `${x} >= ${bind(moment(value).until)}`, whenUnset: false };
    case 'in_the_last':
      return { sql: `${x} >= ${bind(now.getTime() - Number(value) * DAY_MS)}`, whenUnset: false };
    case 'not_in_the_last':
      return { sql: `${x} < ${bind(now.getTime() - Number(value) * DAY_MS)}`, whenUnset: true };
    default: {
      const moments = (value as string[]).map(moment);
      const [from, until] = [Math.min(...moments.map((m) => m.from)), Math.max(...moments.map((m) => m.until))];
      return { sql: `${x} >= ${bind(from)} AND ${x} < ${bind(until)}`, whenUnset: false };
    }
  }
}

/**
 * Returns the ORDER BY clause. Missing values come last in both directions. Ties are broken by id in the direction of
 * the last key, so that an index can serve the order. Without a limit, a unary `+` keeps SQLite from walking that index
 * over the whole library, so that it sorts the matches instead.
 */
function orderSql({ sort = [{ field: 'artist', order: 'asc' }], seed = 0, limit }: Rules, bind: Bind): string {
  const keys = sort.flatMap(({ field, order }) => {
    if (field === 'random') return [`seeded(${bind(seed)}, i.id)`];
    const { keys, nulls } = SORT_SQL[field];
    return keys.map(
      (key) =>
        `${limit === undefined ? '+' : ''}${key} ${order}${nulls === true && order === 'asc' ? ' NULLS LAST' : ''}`,
    );
  });
  return [...keys, `i.id ${sort.at(-1)?.order ?? 'asc'}`].join(', ');
}
