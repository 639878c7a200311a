// The thread that finds what a smart playlist holds: in a large library that takes longer than other requests may be kept waiting. It
// reads and never writes, one list after the other.
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { messageOf } from '../errors.ts';
import { sortKey } from '../library/fold.ts';
import { seededOrder } from '../library/seeded-order.ts';
import type { SmartQuery } from './rules-sql.ts';

export interface SmartWorkerData { databasePath: string }
export type SmartRequest = SmartQuery | 'end';
/** `ids` in order. */
export type SmartFound = { ids: Int32Array; durationMs: number };
export type SmartAnswer = ({ ok: true } & SmartFound) | { ok: false; reason: string };

const MOST_ID = 2 ** 31 - 1;

const port = parentPort;
if (!port) throw new Error('smart-worker runs as a worker thread');

const db = new Database((workerData as SmartWorkerData).databasePath, { readonly: true });
db.pragma('busy_timeout = 10000');
db.pragma('temp_store = MEMORY');
db.function('fold', { deterministic: true }, (text: unknown) => sortKey(String(text)));
let shuffled = { seed: Number.NaN, order: seededOrder(0, MOST_ID) };
db.function('seeded', { deterministic: true }, (seed: unknown, id: unknown) => {
  if (seed !== shuffled.seed) shuffled = { seed: seed as number, order: seededOrder(seed as number, MOST_ID) };
  return shuffled.order.placeOf(id as number);
});

port.on('message', (request: SmartRequest) => {
  if (request === 'end') {
    db.close();
    port.close();
    return;
  }
  try {
    const found = find(request);
    port.postMessage({ ok: true, ...found } satisfies SmartAnswer, [found.ids.buffer as ArrayBuffer]);
  } catch (error) {
    port.postMessage({ ok: false, reason: messageOf(error) } satisfies SmartAnswer);
  }
});

function find({ sql, params, cut }: SmartQuery): SmartFound {
  const most = cut === undefined ? Infinity : cut.most * (cut.by === 'minutes' ? 60_000 : 1_000_000);
  let ids = new Int32Array(1_024);
  let count = 0;
  let durationMs = 0;
  let size = 0;
  for (const [id, duration, bytes] of db.prepare(sql).raw().iterate(params) as Iterable<[number, number | null, number | null]>) {
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
