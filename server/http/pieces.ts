// Answers with long lists: they are read, written and sent a piece at a time, each in a turn of its own and when the
// caller has taken the one before, so that no list takes the server's time or memory.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { turn } from '../runtime/turns.ts';

/** Stands in an answer for a list that is not there yet. */
export class Pieces<T> {
  readonly parts: AsyncIterable<readonly T[]> | Iterable<readonly T[]>;
  constructor(parts: AsyncIterable<readonly T[]> | Iterable<readonly T[]>) {
    this.parts = parts;
  }

  /** Called by JSON.stringify: leaves a mark, and itself in the list of what is missing. */
  toJSON(): string {
    holes?.push(this);
    return HOLE;
  }
}

/** An answer in which lists may be such pieces. */
export type InPieces<T> =
  | T
  | (T extends readonly (infer Item)[]
      ? Pieces<Item>
      : T extends object
        ? { [Key in keyof T]: InPieces<T[Key]> }
        : never);

/** No text of a library holds this. */
const HOLE = `\u0001${crypto.randomUUID()}`;
const HOLE_TEXT = JSON.stringify(HOLE);
let holes: Pieces<unknown>[] | undefined;

/** The JSON of a value, piece by piece. */
export async function* jsonText(value: unknown): AsyncGenerator<string> {
  holes = [];
  const [first = '', ...others] = JSON.stringify(value).split(HOLE_TEXT);
  const lists = holes;
  holes = undefined;
  yield first;
  for (const [n, list] of lists.entries()) {
    let before = '[';
    for await (const part of list.parts) {
      if (part.length === 0) continue;
      yield before + JSON.stringify(part).slice(1, -1);
      before = ',';
    }
    yield `${before === '[' ? '[]' : ']'}${others[n] ?? ''}`;
  }
}

/** The value with its lists whole; for tests. */
export async function whole(value: unknown): Promise<unknown> {
  let text = '';
  for await (const part of jsonText(value)) text += part;
  return JSON.parse(text);
}

const WRITE_CHARS = 65_536;

/**
 * Sends a text; one that is short gets its length. Status and headers are set. An error of a later part cuts the
 * connection, so that nobody takes a part for the whole.
 */
export async function sendText(res: ServerResponse, parts: AsyncIterable<string>): Promise<void> {
  let text = '';
  let hasBegun = false;
  for await (const part of parts) {
    text += part;
    if (text.length < WRITE_CHARS) continue;
    if (res.req.method === 'HEAD') return void res.end();
    hasBegun = true;
    const isTaken = res.write(text);
    text = '';
    if (!isTaken) await untilDrained(res);
    if (res.destroyed) return;
    await turn();
  }
  if (hasBegun) return void res.end(text);
  const bytes = Buffer.from(text);
  res.setHeader('Content-Length', bytes.length);
  res.end(bytes); // Node leaves the body away for HEAD
}

async function untilDrained(res: ServerResponse): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]).finally(() => waiting.abort());
}
