// The thread that evaluates smart playlists, which takes too long for the event loop in a large library. It only reads,
// one playlist at a time.
import { answerFromDatabase } from '../db/reader-loop.ts';
import type { Sqlite } from '../db/client.ts';
import { sortKey } from '../library/sort-and-identity-keys.ts';
import { seededOrder } from '../library/seeded-order.ts';
import type { SmartQuery } from './rules-sql.ts';

/** `ids` in order. */
export type SmartFound = { ids: Int32Array; durationMs: number };

const MOST_ID = 2 ** 31 - 1;

answerFromDatabase<SmartQuery, SmartFound>(
  (client) => {
    addFunctions(client);
    return (query) => find(client, query);
  },
  { transfer: ({ ids }) => [ids.buffer as ArrayBuffer] },
);

/** The SQL functions that rules-sql.ts calls. */
function addFunctions(client: Sqlite): void {
  client.function('fold', { deterministic: true }, (text: string | null) => (text === null ? null : sortKey(text)));
  let shuffled = { seed: Number.NaN, order: seededOrder(0, MOST_ID) };
  client.function('seeded', { deterministic: true }, (seed: unknown, id: unknown) => {
    if (seed !== shuffled.seed) shuffled = { seed: seed as number, order: seededOrder(seed as number, MOST_ID) };
    return shuffled.order.placeOf(id as number);
  });
}

function find(client: Sqlite, { sql, params, cut }: SmartQuery): SmartFound {
  const most = cut === undefined ? Infinity : cut.most * (cut.by === 'minutes' ? 60_000 : 1_000_000);
  let ids = new Int32Array(1_024);
  let count = 0;
  let durationMs = 0;
  let size = 0;
  for (const [id, duration, bytes] of client.prepare(sql).raw().iterate(params) as Iterable<
    [number, number | null, number | null]
  >) {
    size += (cut?.by === 'minutes' ? duration : bytes) ?? 0;
    if (size > most) break;
    if (count === ids.length) {
      const wider = new Int32Array(count * 2);
      wider.set(ids);
      ids = wider;
    }
    ids[count++] = id;
    durationMs += duration ?? 0;
  }
  return { ids: ids.slice(0, count), durationMs };
}
