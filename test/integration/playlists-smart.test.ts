// Smart playlists: every field and operator is compared with a plain evaluation in JavaScript over a generated library.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TrackId, UserId } from '../../server/db/ids.ts';
import { CREDIT_ROLES } from '../../server/db/more-tags.ts';
import { FIELD_NAMES, namedFieldsFrom, TRACK_FIELDS, type FieldKind } from '../../server/db/track-fields.ts';
import { countEnergies, createEnergyRanks } from '../../server/library/lists/energy-ranks.ts';
import { foldedText, sortKey } from '../../server/library/tracks/sort-and-identity-keys.ts';
import { seededOrder } from '../../server/library/lists/seeded-order.ts';
import { rulesQuery } from '../../server/playlists/rules-sql.ts';
import {
  creditFieldsFrom,
  FIELDS,
  OPERATORS,
  RulesIn,
  SMART_SORTS,
  type Condition,
  type Field,
  type Kind,
  type Node,
  type Operator,
  type Rules,
  type Value,
} from '../../server/playlists/rules.ts';
import {
  createSmartLists,
  createSmartThread,
  type SmartLists,
  type SmartThread,
} from '../../server/playlists/smart.ts';
import { seededRandom } from '../support/test-random.ts';
import { makeSampleLibrary } from '../support/sample-library.ts';
import { paths } from '../support/product.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';

const DAY_MS = 86_400_000;
const NOW = new Date('2024-02-01T12:00:00Z');
const PLAYLIST_ID = 1;

/** The values of a track for each field of rules; empty for a field without a value. */
type Facts = Record<Field, (string | number | boolean)[]> & {
  id: TrackId;
  sorts: Record<string, string | number | null>;
};

let temp: TempDatabase;
let thread: SmartThread;
let smart: SmartLists;
let user: UserId;
let facts: Facts[];

beforeAll(() => {
  temp = openTempDatabase();
  const client = temp.db.$client;
  [user] = makeSampleLibrary(temp.db, { artists: 40, albums: 50, tracks: 600 }, 7).users as [UserId];
  const random = seededRandom(8);
  const randomBelow = (n: number): number => Math.floor(random() * n);
  client.transaction(() => {
    for (const { id } of client.prepare<[], { id: number }>('SELECT id FROM tracks').all()) {
      client
        .prepare(
          'UPDATE tracks SET bitrate_kbps = ?, sample_rate_hz = ?, bit_depth = ?, channels = ?, has_lyrics = ?, created_at = ?, measured_gain_db = ? WHERE id = ?',
        )
        .run(
          random() < 0.8 ? 64 * (1 + randomBelow(5)) : null,
          random() < 0.8 ? [44_100, 48_000, 96_000][randomBelow(3)] : null,
          random() < 0.5 ? 16 : null,
          1 + randomBelow(2),
          randomBelow(2),
          NOW.getTime() - randomBelow(60) * DAY_MS - randomBelow(DAY_MS),
          random() < 0.8 ? 15 - 30 * random() : null,
          id,
        );
    }
    client.exec(
      `UPDATE like_states SET rating = abs(item_id * 7) % 6, since = ${NOW.getTime()} - (item_id % 50) * ${DAY_MS}`,
    );
    client.exec(`INSERT INTO people (id, name, name_key, name_sort) VALUES (1, 'Ben', 'ben', 'ben'),
      (2, 'Die Ärzte', 'die ärzte', 'die arzte')`);
    CREDIT_ROLES.forEach((role, i) =>
      client.exec(`INSERT INTO track_credits (track_id, position, role, person_id)
        SELECT id, ${i}, '${role}', 1 + id % 2 FROM tracks WHERE (id + ${i}) % 4 = 0`),
    );
    client.exec(`INSERT INTO track_tags (track_id, position, tag, value, value_key)
      SELECT id, 0, 'OCCASION', 'Party', 'party' FROM tracks WHERE id % 3 = 0
      UNION ALL SELECT id, 1, 'OCCASION', 'Fröhlich', 'frohlich' FROM tracks WHERE id % 4 = 0
      UNION ALL SELECT id, 2, 'mood', 'Party', 'party' FROM tracks WHERE id % 5 = 0`);
    client.exec(`UPDATE play_counts SET last_played_at = ${NOW.getTime()} - (item_id % 50) * ${DAY_MS}`);
    client.exec(
      `INSERT INTO playlists (id, owner_id, name, created_at, updated_at) VALUES (${PLAYLIST_ID}, 1, 'x', 0, 0), (2, 2, 'theirs', 0, 0)`,
    );
    client.exec(
      `INSERT INTO playlist_entries (playlist_id, position, track_id, added_at) SELECT ${PLAYLIST_ID}, id, id, 0 FROM tracks WHERE id % 3 = 0 UNION ALL SELECT 2, id, id, 0 FROM tracks`,
    );
  })();
  createEnergyRanks(client).store(countEnergies(client));
  thread = createSmartThread({
    workerUrl: paths.workers.smart,
    databasePath: join(temp.dir, 'tonearm.db'),
  });
  smart = createSmartLists({ db: temp.db, thread, now: () => NOW });
  facts = readFacts();
});
afterAll(async () => {
  await thread.close();
  temp.close();
});

function readFacts(): Facts[] {
  interface Row {
    id: number;
    [column: string]: string | number | null;
  }
  const client = temp.db.$client;
  const texts = (sql: string, id: number): string[] => client.prepare<[number], string>(sql).pluck().all(id);
  const toList = (value: string | number | null | undefined): (string | number)[] =>
    value === null || value === undefined ? [] : [value];
  return client
    .prepare<[], Row>(
      'SELECT t.*, al.title AS album_title, al.artist_id AS album_artist FROM tracks t LEFT JOIN albums al ON al.id = t.album_id',
    )
    .all()
    .map((t) => {
      const like = client
        .prepare<[number], { liked: number; rating: number; since: number }>(
          "SELECT * FROM like_states WHERE user_id = 1 AND item_type = 'track' AND item_id = ?",
        )
        .get(t.id);
      const play = client
        .prepare<[number], { plays: number; last_played_at: number }>(
          "SELECT * FROM play_counts WHERE user_id = 1 AND item_type = 'track' AND item_id = ?",
        )
        .get(t.id);
      const numbers = [
        ...FIELD_NAMES,
        'duration_ms',
        'size_bytes',
        'bitrate_kbps',
        'sample_rate_hz',
        'bit_depth',
        'channels',
        'format',
        'source',
        'availability',
        'metadata_status',
        'created_at',
      ];
      return {
        id: t.id as TrackId,
        ...Object.fromEntries(numbers.map((name) => [name, toList(t[name])])),
        title: [t['title'] as string],
        album: toList(t['album_title']) as string[],
        artist: texts(
          'SELECT a.name FROM track_artists ta JOIN artists a ON a.id = ta.artist_id WHERE ta.track_id = ?',
          t.id,
        ),
        album_artist: texts('SELECT name FROM artists WHERE id = ?', Number(t['album_artist'] ?? 0)),
        genre: texts(
          'SELECT g.name FROM track_genres tg JOIN genres g ON g.id = tg.genre_id WHERE tg.track_id = ?',
          t.id,
        ),
        ...creditFieldsFrom((role) =>
          texts(
            `SELECT p.name FROM track_credits c JOIN people p ON p.id = c.person_id
              WHERE c.role = '${role}' AND c.track_id = ?`,
            t.id,
          ),
        ),
        play_count: [play?.plays ?? 0],
        last_played_at: toList(play?.last_played_at),
        rating: [like?.rating ?? 0],
        liked: [like?.liked === 1],
        liked_at: like?.liked === 1 ? [like.since] : [],
        has_lyrics: [t['has_lyrics'] === 1],
        has_cover: [
          client
            .prepare('SELECT 1 FROM album_covers WHERE key IS NOT NULL AND album_id = ?')
            .get(t['album_id'] ?? 0) !== undefined,
        ],
        playlist: t.id % 3 === 0 ? [PLAYLIST_ID] : [],
        mood: moodsOf(t),
        tag: texts("SELECT value FROM track_tags WHERE tag = 'OCCASION' AND track_id = ?", t.id),
        sorts: {
          title: t['title_sort'] as string,
          artist: t['artist_sort'] as string,
          album: t['album_sort'] as string,
          play_count: play?.plays ?? 0,
          last_played_at: play?.last_played_at ?? null,
          rating: like?.rating ?? 0,
          ...Object.fromEntries(
            [...FIELD_NAMES, 'duration_ms', 'size_bytes', 'bitrate_kbps', 'created_at'].map((name) => [
              name,
              FIELDS[name as Field] === 'text' ? foldedText(t[name] as string | null) : (t[name] ?? null),
            ]),
          ),
        },
      } as unknown as Facts;
    });
}

/** Returns the moods of a track by a second definition. */
function moodsOf(t: Record<string, unknown>): string[] {
  if (t['energy'] === null) return [];
  const key = t['initial_key'];
  const loudness = (12 - Number(t['measured_gain_db'] ?? 0.5)) / 23;
  const energy = Number(t['energy']) + Math.min(0.99, Math.max(0, loudness));
  const dateAt = (percent: number): number =>
    temp.db.$client
      .prepare<[number], number>('SELECT energy FROM energy_ranks WHERE percent = ?')
      .pluck()
      .get(percent) ?? 0;
  const isMinor = /^[A-G][#b]?m/.test(String(key));
  const isMajor = key !== null && !isMinor;
  return [
    ...(energy < dateAt(20) ? ['calm'] : []),
    ...(energy >= dateAt(10) && energy < dateAt(50) && isMajor ? ['gentle'] : []),
    ...(energy >= dateAt(50) && energy < dateAt(90) && isMajor ? ['bright'] : []),
    ...(energy < dateAt(40) && isMinor ? ['dark'] : []),
    ...(energy >= dateAt(60) && energy < dateAt(85) ? ['driving'] : []),
    ...(energy >= dateAt(85) ? ['intense'] : []),
  ];
}

/** Returns whether a condition holds, by a second implementation of the operators. */
function isFulfilled(track: Facts, { field, op, value }: Condition): boolean {
  const values = track[field];
  const kind: Kind = FIELDS[field];
  const isText = kind === 'text' || kind === 'word';
  const key = isText ? sortKey(String(value)) : '';
  const anyValue = (test: (x: never) => boolean): boolean =>
    values.some((x) => test((isText ? sortKey(String(x)) : x) as never));
  const start = (day: unknown): number => Date.parse(String(day));
  const end = (day: unknown): number => start(day) + (String(day).length === 10 ? DAY_MS : 1);
  const [low, high] = Array.isArray(value) ? value.toSorted((a, b) => (a < b ? -1 : 1)) : [];
  const isCounted = field === 'play_count' || field === 'rating';
  switch (op) {
    case 'is':
      return isText ? anyValue((x) => x === key) : anyValue((x) => x === value);
    case 'is_not':
      return isText ? !anyValue((x) => x === key) : !anyValue((x) => x === value);
    case 'contains':
      return anyValue((x: string) => x.includes(key));
    case 'does_not_contain':
      return !anyValue((x: string) => x.includes(key));
    case 'starts_with':
      return anyValue((x: string) => x.startsWith(key));
    case 'ends_with':
      return anyValue((x: string) => x.endsWith(key));
    case 'is_set':
      return isCounted ? anyValue((x) => x > 0) : values.length > 0;
    case 'is_not_set':
      return isCounted ? !anyValue((x) => x > 0) : values.length === 0;
    case 'greater_than':
      return anyValue((x) => x > Number(value));
    case 'less_than':
      return anyValue((x) => x < Number(value));
    case 'between':
      return kind === 'date'
        ? anyValue((x) => x >= start(low) && x < end(high))
        : anyValue((x) => x >= Number(low) && x <= Number(high));
    case 'before':
      return anyValue((x) => x < start(value));
    case 'after':
      return anyValue((x) => x >= end(value));
    case 'in_the_last':
      return anyValue((x) => x >= NOW.getTime() - Number(value) * DAY_MS);
    case 'not_in_the_last':
      return !anyValue((x) => x >= NOW.getTime() - Number(value) * DAY_MS);
  }
}

const fits = (track: Facts, node: Node): boolean =>
  'all' in node
    ? node.all.every((n) => fits(track, n))
    : 'any' in node
      ? node.any.some((n) => fits(track, n))
      : isFulfilled(track, node);
const parse = (rules: unknown): Rules => RulesIn.parse(rules);
const findIds = async (rules: unknown): Promise<number[]> => [...(await smart.find(user, parse(rules))).ids];
const byId = (ids: readonly number[]): number[] => ids.toSorted((a, b) => a - b);

const VALUES_OF_KIND: Record<FieldKind, Value[]> = {
  year: [1990, 1959, 0],
  position: [5, 1, 2],
  tempo: [120, 97.5, 0],
  level: [5, 1, 10],
  text: ['björk', 'ÄRZTE', ';', 'moon; МОСКВА', 'a'],
  note: ['moon', 'Second Line', '%'],
};

const VALUES: Record<Field, Value[]> = {
  title: [
    'love',
    'BJÖRK',
    'ärzte',
    'aerzte',
    '100%',
    '_',
    'back\\slash',
    "don't",
    '"quoted"',
    'москва',
    '東京',
    'full',
    'ｆｕｌｌ',
    'a',
    'not',
    'the moon',
    '*',
  ],
  artist: ['björk', 'The', 'moon', '7', 'snake_case'],
  album: ['night', '夜', '%', 'Dark'],
  album_artist: ['ärzte', 'the', '1'],
  genre: ['rock', 'electro', 'hip-hop', 'blues & soul', 'o'],
  ...namedFieldsFrom((field) => VALUES_OF_KIND[TRACK_FIELDS[field].kind]),
  ...creditFieldsFrom((): Value[] => ['ben', 'ÄRZTE', 'a', '2']),
  duration_ms: [200_000, 30_000],
  size_bytes: [4_000_000, 0],
  bitrate_kbps: [128, 320],
  sample_rate_hz: [44_100],
  bit_depth: [16],
  channels: [1, 2],
  play_count: [0, 1, 3, -1],
  rating: [0, 3, 5],
  format: ['mp3', 'FLAC', 'none'],
  source: ['upload', 'local_folder'],
  availability: ['available', 'missing'],
  metadata_status: ['manual', 'pending'],
  created_at: ['2024-01-15', '2024-01-20T06:30:00Z', '2024-01-20T06:30:00.250+02:00'],
  last_played_at: ['2024-01-15', '1999-12-31'],
  liked_at: ['2024-01-01', '2024-01-31'],
  liked: [true, false],
  has_lyrics: [true, false],
  has_cover: [true, false],
  playlist: [PLAYLIST_ID],
  mood: ['calm', 'gentle', 'bright', 'dark', 'driving', 'intense'],
  tag: ['party', 'FRÖHLICH', 'a', 'i'],
};
const PAIRS: Partial<Record<Kind, Value[]>> = {
  number: [
    [1, 3],
    [200_000, 100_000],
    [1980, 1999],
    [0, 0],
    [64, 128],
  ],
  date: [
    ['2024-01-10', '2024-01-20'],
    ['2024-01-20', '2023-12-20'],
  ],
};

const valuesFor = (field: Field, op: Operator): (Value | undefined)[] => {
  if (op === 'is_set' || op === 'is_not_set') return [undefined];
  if (op === 'between') return PAIRS[FIELDS[field]] ?? [];
  return op === 'in_the_last' || op === 'not_in_the_last' ? [1, 10, 30, 365] : VALUES[field];
};
const conditionOf = (field: Field, op: Operator, value: Value | undefined) =>
  ({
    field,
    op,
    ...(field === 'tag' && { tag: 'OCCASION' }),
    ...(value !== undefined && { value }),
  }) as Condition;
const askedRules = (Object.keys(FIELDS) as Field[]).flatMap((field) =>
  (OPERATORS[FIELDS[field]] as readonly Operator[]).map((op) => [field, op] as const),
);

describe('rules', () => {
  test.each(askedRules)('on %s: %s', async (field, op) => {
    for (const value of valuesFor(field, op)) {
      const condition = conditionOf(field, op, value);
      expect(byId(await findIds({ all: [condition] })), JSON.stringify(value)).toEqual(
        byId(facts.filter((track) => isFulfilled(track, condition)).map(({ id }) => id)),
      );
    }
  });

  test('match some tracks and exclude some for every field', async () => {
    for (const field of Object.keys(FIELDS) as Field[]) {
      const sizes = await Promise.all(
        OPERATORS[FIELDS[field]].flatMap((op) =>
          valuesFor(field, op).map(async (value) => (await findIds({ all: [conditionOf(field, op, value)] })).length),
        ),
      );
      expect(
        sizes.some((size) => size > 0 && size < facts.length),
        field,
      ).toBe(true);
    }
  });

  test('in nested groups are evaluated as written', async () => {
    const random = seededRandom(11);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const node = (depth: number): Node => {
      if (depth > 0 && random() < 0.5)
        return {
          [pick(['all', 'any'])]: Array.from({ length: 1 + Math.floor(random() * 3) }, () => node(depth - 1)),
        } as Node;
      const [field, op] = pick(askedRules);
      return conditionOf(field, op, pick(valuesFor(field, op)));
    };
    for (let n = 0; n < 80; n++) {
      const rules = { any: [node(3), node(3)] };
      expect(byId(await findIds(rules)), JSON.stringify(rules)).toEqual(
        byId(facts.filter((track) => fits(track, rules as Node)).map(({ id }) => id)),
      );
    }
  });

  test('treat another user’s playlist as empty unless it is public', async () => {
    const otherRules = { all: [{ field: 'playlist', op: 'is', value: 2 }] };
    expect(await findIds(otherRules)).toEqual([]);
    temp.db.$client.exec('UPDATE playlists SET is_public = 1 WHERE id = 2');
    expect(await findIds(otherRules)).toHaveLength(facts.length);
    temp.db.$client.exec('UPDATE playlists SET deleted_at = 1 WHERE id = 2');
    expect(await findIds(otherRules)).toEqual([]);
  });
});

const ALL_TRACKS_RULES = { all: [{ field: 'title', op: 'is_set' }] };

describe('the order', () => {
  test.each(
    SMART_SORTS.filter((sort) => sort !== 'random').flatMap(
      (sort) =>
        [
          [sort, 'asc'],
          [sort, 'desc'],
        ] as const,
    ),
  )('by %s %s is one, unknown last', async (field, order) => {
    const values = (await findIds({ ...ALL_TRACKS_RULES, sort: [{ field, order }] })).map(
      (id) => facts.find((track) => track.id === id)?.sorts[field] ?? null,
    );
    expect(values).toHaveLength(facts.length);
    const knownValues = values.filter((value) => value !== null);
    expect(values.slice(0, knownValues.length)).toEqual(knownValues);
    const sortedValues = knownValues.toSorted((a, b) =>
      typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : a - Number(b),
    );
    expect(knownValues).toEqual(order === 'asc' ? sortedValues : sortedValues.toReversed());
  });

  test('at random is fixed by the seed', async () => {
    const findShuffledIds = (seed: number) => findIds({ ...ALL_TRACKS_RULES, sort: [{ field: 'random' }], seed });
    const { placeOf } = seededOrder(5, 2 ** 31 - 1);
    expect(await findShuffledIds(5)).toEqual(
      facts.map(({ id }) => id as number).toSorted((a, b) => placeOf(a) - placeOf(b)),
    );
    expect(await findShuffledIds(6)).not.toEqual(await findShuffledIds(5));
    expect(byId(await findShuffledIds(6))).toEqual(byId(await findShuffledIds(5)));
  });

  test('by several keys uses the next when the first is equal', async () => {
    const years = (
      await findIds({
        ...ALL_TRACKS_RULES,
        sort: [
          { field: 'disc_number', order: 'desc' },
          { field: 'year', order: 'asc' },
        ],
      })
    ).map((id) => facts.find((track) => track.id === id)?.sorts);
    const twos = years.filter((sorts) => sorts?.['disc_number'] === 2).map((sorts) => Number(sorts?.['year'] ?? 9_999));
    expect(twos).toEqual(twos.toSorted((a, b) => a - b));
  });
});

describe('a limit', () => {
  test('of tracks takes the first ones', async () => {
    const sort = [{ field: 'created_at', order: 'desc' }];
    expect(await findIds({ ...ALL_TRACKS_RULES, sort, limit: 25 })).toEqual(
      (await findIds({ ...ALL_TRACKS_RULES, sort })).slice(0, 25),
    );
  });

  test.each([
    ['minutes', 'duration_ms', 60_000],
    ['megabytes', 'size_bytes', 1_000_000],
  ] as const)('of %s ends where it is reached', async (limit_by, field, unit) => {
    const allIds = await findIds(ALL_TRACKS_RULES);
    const limitedIds = await findIds({ ...ALL_TRACKS_RULES, limit: 40, limit_by });
    expect(limitedIds).toEqual(allIds.slice(0, limitedIds.length));
    const total = (ids: number[]): number =>
      ids.reduce((sum, id) => sum + Number(facts.find((track) => track.id === id)?.sorts[field] ?? 0), 0);
    expect(limitedIds.length).toBeGreaterThan(2);
    expect(total(limitedIds)).toBeLessThanOrEqual(40 * unit);
    expect(total(allIds.slice(0, limitedIds.length + 1))).toBeGreaterThan(40 * unit);
  });

  test('does not change the duration of the list', async () => {
    const { ids, durationMs } = await smart.find(user, parse({ ...ALL_TRACKS_RULES, limit: 10 }));
    expect(durationMs).toBe(
      [...ids].reduce((sum, id) => sum + Number(facts.find((track) => track.id === id)?.sorts['duration_ms'] ?? 0), 0),
    );
  });
});

describe('hostile rules', () => {
  const HOSTILE_TEXTS = [
    "' OR 1=1 --",
    '"; DROP TABLE tracks; --',
    "x') UNION SELECT password_hash FROM users --",
    '%',
    '_',
    '\\',
    '@userId',
    '?',
    ':v0',
    '\u0000',
    'a\u0000b',
    '\ud83d',
    '${1+1}',
    "'||(SELECT 1)||'",
    '*',
    'NEAR(',
  ];
  const TEXT_FIELDS = (Object.keys(FIELDS) as Field[]).filter(
    (field) => FIELDS[field] === 'text' || FIELDS[field] === 'word',
  );

  test.each(TEXT_FIELDS)('in %s are ordinary text', async (field) => {
    const trackCount = temp.db.$client.prepare('SELECT count(*) FROM tracks').pluck().get();
    for (const value of HOSTILE_TEXTS) {
      for (const op of OPERATORS[FIELDS[field]].filter((op) => op !== 'is_set' && op !== 'is_not_set')) {
        const parseResult = RulesIn.safeParse({ all: [{ field, op, value }] });
        if (!parseResult.success) continue; // the value is empty after normalization
        expect(byId([...(await smart.find(user, parseResult.data)).ids]), `${op} ${value}`).toEqual(
          byId(facts.filter((track) => isFulfilled(track, { field, op, value })).map(({ id }) => id)),
        );
      }
    }
    expect(temp.db.$client.prepare('SELECT count(*) FROM tracks').pluck().get()).toBe(trackCount);
  });

  test('never put a name or a value into the SQL', () => {
    for (const field of TEXT_FIELDS) {
      for (const op of OPERATORS[FIELDS[field]].filter((op) => op !== 'is_set' && op !== 'is_not_set')) {
        const sqlOf = (value: string): string =>
          rulesQuery(parse({ all: [conditionOf(field, op, value)] }), { userId: user, now: NOW }).sql;
        expect(sqlOf("x'; DROP TABLE tracks; --")).toBe(sqlOf('y'));
      }
    }
  });

  const rule = { field: 'title', op: 'is', value: 'x' };
  const nestRules = (depth: number): unknown => (depth === 0 ? rule : { all: [nestRules(depth - 1)] });
  test.each([
    ['no group', {}],
    ['both groups', { all: [rule], any: [rule] }],
    ['an empty group', { all: [] }],
    ['an unknown field', { all: [{ ...rule, field: 'password_hash' }] }],
    ['SQL for a field', { all: [{ ...rule, field: 'title; DROP TABLE tracks' }] }],
    ['an inherited name for a field', { all: [{ ...rule, field: 'constructor' }] }],
    ['an inherited name for an operator', { all: [{ ...rule, op: '__proto__' }] }],
    ['SQL for an operator', { all: [{ ...rule, op: '= 1 OR 1' }] }],
    ['an operator of another kind', { all: [{ ...rule, op: 'greater_than' }] }],
    ['SQL for an order', { ...(nestRules(1) as object), sort: [{ field: 'title; --' }] }],
    ['SQL for a direction', { ...(nestRules(1) as object), sort: [{ field: 'title', order: 'asc; --' }] }],
    ['five orders', { ...(nestRules(1) as object), sort: Array.from({ length: 5 }, () => ({ field: 'title' })) }],
    ['a text for a number', { all: [{ field: 'year', op: 'is', value: '1990 OR 1=1' }] }],
    ['a number for a text', { all: [{ ...rule, value: 5 }] }],
    ['a list for a text', { all: [{ ...rule, value: ['a', 'b'] }] }],
    ['no value', { all: [{ field: 'title', op: 'is' }] }],
    ['a value for is_set', { all: [{ field: 'title', op: 'is_set', value: 'x' }] }],
    ['an object', { all: [{ ...rule, value: { $gt: 1 } }] }],
    ['one number for between', { all: [{ field: 'year', op: 'between', value: 5 }] }],
    ['31 February', { all: [{ field: 'created_at', op: 'before', value: '2024-02-31' }] }],
    ['a date that is not a date', { all: [{ field: 'created_at', op: 'before', value: 'yesterday' }] }],
    ['half a day', { all: [{ field: 'created_at', op: 'in_the_last', value: 0.5 }] }],
    ['no days', { all: [{ field: 'created_at', op: 'in_the_last', value: 0 }] }],
    ['an invalid id', { all: [{ field: 'playlist', op: 'is', value: -1 }] }],
    ['a text of blanks', { all: [{ ...rule, value: ' \u0000 ' }] }],
    ['a long text', { all: [{ ...rule, value: 'x'.repeat(501) }] }],
    ['an unknown key', { ...(nestRules(1) as object), where: '1=1' }],
    ['a limit of none', { ...(nestRules(1) as object), limit: 0 }],
    ['a limit by something else', { ...(nestRules(1) as object), limit: 5, limit_by: 'rows' }],
    ['groups too deep', nestRules(6)],
    ['groups far too deep', nestRules(2_000)],
    ['101 rules', { all: Array.from({ length: 101 }, () => rule) }],
    [
      '101 rules in groups',
      { any: Array.from({ length: 2 }, () => ({ all: Array.from({ length: 51 }, () => rule) })) },
    ],
    ['a group that is a rule too', { all: [{ ...rule, any: [rule] }] }],
    ['no object', [rule]],
    ['nothing', null],
  ])('with %s are refused', (_, rules) => {
    expect(RulesIn.safeParse(rules).success).toBe(false);
  });

  test('are rejected with what is wrong with which rule', () => {
    const { error } = RulesIn.safeParse({ all: [rule, { any: [{ field: 'year', op: 'contains', value: 'x' }] }] });
    expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
      [
        'all.1.any.0',
        'year does not support contains; it supports is, is_not, greater_than, less_than, between, is_set, is_not_set',
      ],
    ]);
  });
});

describe('in a large library', () => {
  const planOf = (rules: unknown): string => {
    const db = new Database(join(temp.dir, 'tonearm.db'), { readonly: true });
    db.function('fold', { deterministic: true }, String);
    db.function('seeded', { deterministic: true }, Number);
    const { sql, params } = rulesQuery(parse(rules), { userId: user, now: NOW });
    const plan = db
      .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(params)
      .map(({ detail }) => detail)
      .join('\n');
    db.close();
    return plan;
  };

  test.each([
    [{ field: 'title', op: 'is', value: 'x' }, 'tracks_title_sort'],
    [{ field: 'album', op: 'is', value: 'x' }, 'tracks_album_sort'],
    [{ field: 'year', op: 'between', value: [1990, 1999] }, 'tracks_year'],
    [{ field: 'created_at', op: 'in_the_last', value: 30 }, 'tracks_created_at'],
    [{ field: 'metadata_status', op: 'is', value: 'failed' }, 'tracks_metadata_status'],
    [{ field: 'artist', op: 'is', value: 'x' }, 'track_artists_artist_id'],
    [{ field: 'conductor', op: 'is', value: 'x' }, 'track_credits_person'],
    [{ field: 'genre', op: 'is', value: 'x' }, 'track_genres_genre_id'],
    [{ field: 'liked', op: 'is', value: true }, 'like_states_liked'],
    [{ field: 'play_count', op: 'greater_than', value: 5 }, 'play_counts_plays'],
    [{ field: 'last_played_at', op: 'in_the_last', value: 7 }, 'play_counts_last'],
    [{ field: 'playlist', op: 'is', value: 1 }, 'playlist_entries_position'],
    [{ field: 'album_artist', op: 'is', value: 'x' }, 'albums_artist_id'],
  ])('%j uses an index, without reading every track', (rule, index) => {
    const plan = planOf({ all: [rule] });
    expect(plan).toContain(index);
    expect(plan).not.toMatch(/SCAN i\b/);
  });

  test.each(['title', 'artist', 'album', 'year', 'created_at', 'duration_ms'])(
    'the first ones by %s are read in order, not sorted',
    (field) => {
      for (const order of ['asc', 'desc']) {
        const plan = planOf({
          all: [{ field: 'size_bytes', op: 'greater_than', value: 1 }],
          sort: [{ field, order }],
          limit: 100,
        });
        expect(plan, order).not.toContain('TEMP B-TREE');
      }
    },
  );
});

describe('results', () => {
  test('are cached until something is written', async () => {
    let queryCount = 0;
    const countingLists = createSmartLists({
      db: temp.db,
      thread: { find: (query) => (queryCount++, thread.find(query)) },
      now: () => NOW,
    });
    const rules = parse({ all: [{ field: 'liked', op: 'is', value: true }] });
    const [firstFind] = await Promise.all([countingLists.find(user, rules), countingLists.find(user, rules)]);
    await countingLists.find(user, rules);
    expect(queryCount).toBe(1);
    const id = facts.find((track) => track.liked[0] === false)?.id;
    temp.db.$client
      .prepare(
        "INSERT OR REPLACE INTO like_states (user_id, item_type, item_id, liked, rating, since) VALUES (?, 'track', ?, 1, 0, 0)",
      )
      .run(user, id);
    expect((await countingLists.find(user, rules)).ids).toHaveLength(firstFind.ids.length + 1);
    expect(queryCount).toBe(2);
  });

  test('that fail are an error, and the next ones succeed', async () => {
    await expect(thread.find({ sql: 'SELECT nonsense', params: {}, totalLimit: undefined })).rejects.toMatchObject({
      code: 'unavailable',
    });
    await expect(thread.find({ sql: 'DELETE FROM tracks', params: {}, totalLimit: undefined })).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(await findIds(ALL_TRACKS_RULES)).toHaveLength(facts.length);
  });
});
