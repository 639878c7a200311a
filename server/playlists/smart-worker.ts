// The thread that evaluates smart playlists, which takes too long for the event loop in a large library. It only reads
// the database, and evaluates one playlist at a time.
import { answerFromDatabase } from '../db/reader-loop.ts';
import type { Sqlite } from '../db/client.ts';
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';
import { seededOrder } from '../library/lists/seeded-order.ts';
import type { SmartQuery } from './rules-sql.ts';

/** The ids of the matching tracks in order, and their total duration. */
export type SmartResult = { ids: Int32Array; durationMs: number };

const MAX_ID = 2 ** 31 - 1;

answerFromDatabase<SmartQuery, SmartResult>(
  (client) => {
    addFunctions(client);
    return (query) => findMatches(client, query);
  },
  { transfer: ({ ids }) => [ids.buffer as ArrayBuffer] },
);

/** Defines the SQL functions that rules-sql.ts calls. */
function addFunctions(client: Sqlite): void {
  client.function('fold', { deterministic: true }, (text: string | null) => (text === null ? null : sortKey(text)));
  let randomOrder = { seed: Number.NaN, order: seededOrder(0, MAX_ID) };
  client.function('seeded', { deterministic: true }, (seed: unknown, id: unknown) => {
    if (seed !== randomOrder.seed) randomOrder = { seed: seed as number, order: seededOrder(seed as number, MAX_ID) };
    return randomOrder.order.placeOf(id as number);
  });
}

function findMatches(client: Sqlite, { sql, params, totalLimit }: SmartQuery): SmartResult {
  const maxSize =
    totalLimit === undefined ? Infinity : totalLimit.amount * (totalLimit.by === 'minutes' ? 60_000 : 1_000_000);
  let ids = new Int32Array(1_024);
  let count = 0;
  let durationMs = 0;
  let size = 0;
  for (const [id, duration, bytes] of client.prepare(sql).raw().iterate(params) as Iterable<
    [number, number | null, number | null]
  >) {
    size += (totalLimit?.by === 'minutes' ? duration : bytes) ?? 0;
    if (size > maxSize) break;
    if (count === ids.length) {
      const largerIds = new Int32Array(count * 2);
      largerIds.set(ids);
      ids = largerIds;
    }
    ids[count++] = id;
    durationMs += duration ?? 0;
  }
  return { ids: ids.slice(0, count), durationMs };
}
