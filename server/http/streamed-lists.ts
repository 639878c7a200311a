// Responses with long lists are read, written and sent piece by piece, each in its own turn and after the client has
// taken the previous one, so that no list takes the server's time or memory.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { waitForTurn } from '../runtime/time-slices.ts';

/** Stands for a list that is read while the response is sent. */
export class Pieces<T> {
  readonly parts: AsyncIterable<readonly T[]> | Iterable<readonly T[]>;
  constructor(parts: AsyncIterable<readonly T[]> | Iterable<readonly T[]>) {
    this.parts = parts;
  }

  /** Called by JSON.stringify: leaves a placeholder, and adds itself to the pending lists. */
  toJSON(): string {
    pendingLists?.push(this);
    return PLACEHOLDER;
  }
}

/** A response in which lists may be `Pieces`. */
export type InPieces<T> =
  | T
  | (T extends readonly (infer Item)[]
      ? Pieces<Item>
      : T extends object
        ? { [Key in keyof T]: InPieces<T[Key]> }
        : never);

/** A text that occurs in no library. */
const PLACEHOLDER = `\u0001${crypto.randomUUID()}`;
const PLACEHOLDER_JSON = JSON.stringify(PLACEHOLDER);
let pendingLists: Pieces<unknown>[] | undefined;

/** Yields the JSON of a value piece by piece. */
export async function* jsonText(value: unknown): AsyncGenerator<string> {
  pendingLists = [];
  const [firstText = '', ...otherTexts] = JSON.stringify(value).split(PLACEHOLDER_JSON);
  const lists = pendingLists;
  pendingLists = undefined;
  yield firstText;
  for (const [n, list] of lists.entries()) {
    let separator = '[';
    for await (const part of list.parts) {
      if (part.length === 0) continue;
      yield separator + JSON.stringify(part).slice(1, -1);
      separator = ',';
    }
    yield `${separator === '[' ? '[]' : ']'}${otherTexts[n] ?? ''}`;
  }
}

/** Reads the lists of a value completely; for tests. */
export async function readWhole(value: unknown): Promise<unknown> {
  let text = '';
  for await (const part of jsonText(value)) text += part;
  return JSON.parse(text);
}

/**
 * V8 keeps texts of 128 KB and more (two bytes a character) outside of the young generation; texts that are written
 * together stay below that, also with parts of this size.
 */
const WRITE_CHARS = 32_768;
/** A response up to this length, such as a page of a list, waits for no other. */
const MAX_SHORT_CHARS = 262_144;
/** Long responses that are written concurrently; with more of them, each would keep its memory for longer. */
const MAX_LONG_ANSWERS = 2;
/** After this time the next waiting response gets the slot. */
const TURN_MS = 500;
/** A client that takes longer loses the slot until its next turn. */
const MAX_DRAIN_MS = 100;
const takeSlot = createAnswerSlots(MAX_LONG_ANSWERS);

/**
 * Sends a text; a short one gets its length. Status and headers must be set already. An error of a later part closes
 * the connection, so that no client takes a part for the whole.
 */
export async function sendText(res: ServerResponse, parts: AsyncIterable<string>): Promise<void> {
  let text = '';
  let written = 0;
  const slot = takeSlot();
  try {
    for await (const part of parts) {
      text += part;
      if (text.length < WRITE_CHARS) continue;
      if (res.req.method === 'HEAD') return void res.end();
      if (res.destroyed) return; // a destroyed response emits neither drain nor close
      const hasRoom = res.write(text);
      written += text.length;
      text = '';
      if (!hasRoom) await untilDrained(res, slot.leave);
      if (written < MAX_SHORT_CHARS) continue;
      await slot.enter();
      await waitForTurn();
    }
  } finally {
    slot.leave();
  }
  if (written > 0) return void res.end(text);
  const bytes = Buffer.from(text);
  res.setHeader('Content-Length', bytes.length);
  res.end(bytes); // Node omits the body for HEAD
}

async function untilDrained(res: ServerResponse, onSlow: () => void): Promise<void> {
  const waitEnd = new AbortController();
  const { signal } = waitEnd;
  const timer = setTimeout(onSlow, MAX_DRAIN_MS);
  await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]).finally(() => waitEnd.abort());
  clearTimeout(timer);
}

interface AnswerSlot {
  /** Resolves when there is a slot; at once for a response that still has its turn. */
  enter: () => Promise<void>;
  leave: () => void;
}

/** Limits how many long responses are written at the same time; others wait in order. */
function createAnswerSlots(max: number): () => AnswerSlot {
  const waiting: (() => void)[] = [];
  let takenCount = 0;
  return () => {
    let turnEndMs: number | undefined;
    const leave = (): void => {
      if (turnEndMs === undefined) return;
      turnEndMs = undefined;
      const resumeNext = waiting.shift();
      if (resumeNext) resumeNext();
      else takenCount -= 1;
    };
    return {
      async enter() {
        if (turnEndMs !== undefined && performance.now() > turnEndMs && waiting.length > 0) leave();
        if (turnEndMs !== undefined) return;
        if (takenCount < max) takenCount += 1;
        else await new Promise<void>((resolve) => waiting.push(resolve));
        turnEndMs = performance.now() + TURN_MS;
      },
      leave,
    };
  };
}
