// All ids in the order of a sort, four bytes each, so that any page of a large list is a slice. Reading an order takes
// a fraction of a second for a million tracks, so it is read ahead once the list was shown and nothing was written for
// a second: in small steps and over a separate connection, since an open cursor would pin this one to an old snapshot.
import Database from 'better-sqlite3';
import type { Sqlite } from '../db/client.ts';
import { whereOf, type IdList } from './list-definition.ts';
import { asText, fromText } from './ids-as-text.ts';
import { changedOf, mendedOrder, MOST } from './mending.ts';
import { createResultCache, type Mend } from './result-cache.ts';
import type { Segment, WalkedOrder } from './sorts.ts';
import { versionOf, type ChangeCount, type Statements, type Topic } from './statement-cache.ts';

export interface OrderList extends Pick<IdList, 'itemType' | 'userId'> {
  order: WalkedOrder;
}

/** Orders in memory: 4 MB each for a million tracks. */
const KEEP = 4;
const AT_ONCE = 2_000;
const QUIET_MS = 1_000;

interface IdOrdersDeps {
  client: Sqlite;
  statements: Statements;
  quietMs?: number;
}

export function createIdOrders({ client, statements, quietMs = QUIET_MS }: IdOrdersDeps) {
  const kept = createResultCache<Int32Array>(statements, KEEP);
  let reading: Promise<void> | undefined;

  const find = (list: OrderList): Int32Array | undefined => kept.find(topicsOf(list), keyOf(list), mend(list));

  const mend =
    ({ itemType, userId, order }: OrderList): Mend<Int32Array> =>
    (ids, changes) => {
      const list = { itemType, filters: [], params: { userId }, order };
      const changed = changedOf(statements, list, changes);
      return changed && mendedOrder(statements, list, ids, changed);
    };

  /** Reads one order at a time; requests meanwhile are dropped, since the next page asks again. */
  function readAhead(list: OrderList): void {
    if (reading !== undefined || client.memory || kept.isNearlyKnown(topicsOf(list), keyOf(list), MOST)) return;
    reading = whenQuiet(list)
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      }); // an error shows when the page is requested
  }

  async function whenQuiet(list: OrderList): Promise<void> {
    const before = statements.version(topicsOf(list));
    await new Promise((resolve) => {
      setTimeout(resolve, quietMs).unref();
    });
    if (!client.open || statements.version(topicsOf(list)) !== before) return;
    const other = new Database(client.name, { readonly: true });
    try {
      other.exec('BEGIN'); // version and ids from one snapshot
      const version = versionOf(
        other.prepare<[], ChangeCount>('SELECT topic, changes FROM change_counts').all(),
        topicsOf(list),
      );
      const steps = readOrder(other, list, 'iterate');
      let step = steps.next();
      for (; !step.done && client.open; step = steps.next())
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      if (step.done) kept.put(keyOf(list), version, step.value);
    } finally {
      other.close();
    }
  }

  return {
    /** From memory only. */
    find,
    /** Reads the order if it is not in memory. */
    get: (list: OrderList): Int32Array =>
      kept.get(topicsOf(list), keyOf(list), () => allAtOnce(readOrder(client, list, 'all')), mend(list)),
    readAhead,
    topicsOf,
    /** Resolves when nothing is being read ahead. */
    settled: async (): Promise<void> => {
      while (reading) await reading;
    },
  };
}

const topicsOf = ({ order }: OrderList): Topic[] =>
  order.segments.some((s) => s.played) ? ['library', 'plays'] : ['library'];
const keyOf = ({ itemType, userId, order }: OrderList): string =>
  JSON.stringify([itemType, order.segments, order.segments.some((s) => s.played) && userId]);

/** Reads all rows at once, or one by one, which takes three times as long but can be paused. */
type Way = 'all' | 'iterate';

/** Yields every AT_ONCE rows. */
function* readOrder(client: Sqlite, list: OrderList, way: Way): Generator<void, Int32Array> {
  const { segments } = list.order;
  const size = client.prepare<[], number>(`SELECT count(*) FROM ${list.itemType}s`).pluck().get() ?? 0;
  const ids = new Int32Array(size);
  let at = 0;
  // What is left is told by marks: SQL would go through the whole table, or join it row by row.
  const rest = segments.find((segment) => segment.rest);
  const left = rest ? yield* marksOf(client, list, way) : undefined;
  for (const segment of segments) {
    if (segment.rest) continue;
    for (const id of rows(client, segment, list, way)) {
      if (at < size && (!left || left[id] === 1)) ids[at++] = id;
      if (left) left[id] = 0;
      if (at % AT_ONCE === 0) yield;
    }
  }
  if (!left) return ids.subarray(0, at);
  const others = new Int32Array(size - at);
  let found = 0;
  for (let id = 0; id < left.length && found < others.length; id++) if (left[id] === 1) others[found++] = id;
  const unread = others.subarray(0, found);
  if (rest?.rest === 'desc') unread.reverse();
  const read = ids.subarray(0, at);
  const [first, second] = segments[0] === rest ? [unread, read] : [read, unread];
  const all = new Int32Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** Has 1 at every existing id. */
function* marksOf(client: Sqlite, { itemType }: OrderList, way: Way): Generator<void, Uint8Array> {
  const marks = new Uint8Array(
    (client.prepare<[], number | null>(`SELECT max(id) FROM ${itemType}s`).pluck().get() ?? 0) + 1,
  );
  let n = 0;
  for (const id of idsOf(client, `SELECT i.id FROM ${itemType}s i`, {}, way)) {
    marks[id] = 1;
    if (++n % AT_ONCE === 0) yield;
  }
  return marks;
}

function rows(
  client: Sqlite,
  { from, hint = '', where, orderBy, played }: Segment,
  { userId }: OrderList,
  way: Way,
): Iterable<number> {
  const sql = played
    ? `SELECT p.item_id AS id FROM play_counts p ${whereOf([where])} ORDER BY ${orderBy}`
    : `SELECT i.id FROM ${from} ${hint} ${whereOf([where])} ORDER BY ${orderBy}`;
  return idsOf(client, sql, { userId }, way);
}

const idsOf = (client: Sqlite, sql: string, params: { userId?: number }, way: Way): Iterable<number> =>
  way === 'all'
    ? fromText(client.prepare<[object], string | null>(asText(sql)).pluck().get(params))
    : client.prepare<[object], number>(sql).pluck().iterate(params);

function allAtOnce<T>(steps: Generator<void, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}
