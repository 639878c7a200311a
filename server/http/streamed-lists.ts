// Answers with long lists: they are read, written and sent a piece at a time, each in a turn of its own and when the
// caller has taken the one before, so that no list takes the server's time or memory.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { turn } from '../runtime/time-slices.ts';

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

/**
 * V8 keeps texts of 128 KB and more (two bytes a character) apart from what is collected at once: with parts of this
 * size too, what is written together stays below that.
 */
const WRITE_CHARS = 32_768;
/** An answer up to this length, such as a page of a list, waits for no other. */
const SHORT_CHARS = 262_144;
/** Long answers that are written at the same time: what many read in turn would be kept longer than it is needed. */
const AT_ONCE = 2;
/** Then it is another one's turn. */
const TURN_MS = 500;
/** A caller that takes longer waits for its next turn. */
const PATIENCE_MS = 100;
const places = createPlaces(AT_ONCE);

/**
 * Sends a text; one that is short gets its length. Status and headers are set. An error of a later part cuts the
 * connection, so that nobody takes a part for the whole.
 */
export async function sendText(res: ServerResponse, parts: AsyncIterable<string>): Promise<void> {
  let text = '';
  let written = 0;
  const place = places();
  try {
    for await (const part of parts) {
      text += part;
      if (text.length < WRITE_CHARS) continue;
      if (res.req.method === 'HEAD') return void res.end();
      if (res.destroyed) return; // it tells nobody that it drained or closed
      const isTaken = res.write(text);
      written += text.length;
      text = '';
      if (!isTaken) await untilDrained(res, place.leave);
      if (written < SHORT_CHARS) continue;
      await place.enter();
      await turn();
    }
  } finally {
    place.leave();
  }
  if (written > 0) return void res.end(text);
  const bytes = Buffer.from(text);
  res.setHeader('Content-Length', bytes.length);
  res.end(bytes); // Node leaves the body away for HEAD
}

async function untilDrained(res: ServerResponse, onSlow: () => void): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const timer = setTimeout(onSlow, PATIENCE_MS);
  await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]).finally(() => waiting.abort());
  clearTimeout(timer);
}

interface Place {
  /** Resolves when there is room; at once for who is in, until the time is over. */
  enter: () => Promise<void>;
  leave: () => void;
}

/** Room for some at the same time; the others wait in the order in which they came. */
function createPlaces(most: number): () => Place {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return () => {
    let until: number | undefined;
    const leave = (): void => {
      if (until === undefined) return;
      until = undefined;
      const next = waiting.shift();
      if (next) next();
      else taken -= 1;
    };
    return {
      async enter() {
        if (until !== undefined && performance.now() > until && waiting.length > 0) leave();
        if (until !== undefined) return;
        if (taken < most) taken += 1;
        else await new Promise<void>((resolve) => waiting.push(resolve));
        until = performance.now() + TURN_MS;
      },
      leave,
    };
  };
}
