// Sends responses with long lists: they are read, written and sent piece by piece, each in its own turn and after the
// client has taken the previous piece, so that no list takes the server's time or memory.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { Gzip } from 'node:zlib';
import { acceptsGzip, compressInto, compressShort, stopCompressing } from './compression.ts';
import { waitForTurn } from '../runtime/time-slices.ts';

/** A list in a response that is read while the response is sent. */
export class Pieces<T> {
  readonly parts: AsyncIterable<readonly T[]> | Iterable<readonly T[]>;
  constructor(parts: AsyncIterable<readonly T[]> | Iterable<readonly T[]>) {
    this.parts = parts;
  }

  /** Called by JSON.stringify. Returns a placeholder, and adds the list to the pending lists. */
  toJSON(): string {
    pendingLists?.push(this);
    return PLACEHOLDER;
  }
}

/** The type of a response in which lists may be `Pieces`. */
export type InPieces<T> =
  | T
  | (T extends readonly (infer Item)[]
      ? Pieces<Item>
      : T extends object
        ? { [Key in keyof T]: InPieces<T[Key]> }
        : never);

/** A text that no library contains. */
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

/** Reads all lists of a value completely, for tests. */
export async function readWhole(value: unknown): Promise<unknown> {
  let text = '';
  for await (const part of jsonText(value)) text += part;
  return JSON.parse(text);
}

/**
 * Number of characters that are written together. V8 keeps texts of 128 KB and more (two bytes a character) outside of
 * the young generation; with parts of this size, texts stay below that.
 */
const WRITE_CHARS = 32_768;
/** A response up to this length, such as a page of a list, does not wait for others. */
const MAX_SHORT_CHARS = 262_144;
/**
 * Maximum number of long responses that are written concurrently; with more of them, each would keep its memory for
 * longer.
 */
const MAX_LONG_ANSWERS = 2;
/** After this time a response gives its slot to the next waiting one. */
const TURN_MS = 500;
/** If the client takes longer to read, its response loses the slot until its next turn. */
const MAX_DRAIN_MS = 100;
/** Number of bytes that may wait to be compressed, so that the next rows of a page of 500 songs are read meanwhile. */
const MAX_QUEUED_BYTES = 524_288;
const takeSlot = createAnswerSlots(MAX_LONG_ANSWERS);

/**
 * Sends a text, compressed if the client accepts that; a short text gets a Content-Length. Status and headers must be
 * set already. An error of a later part closes the connection, so that no client takes a part for the whole.
 * `mayCompress` is false for texts with secrets (docs/SECURITY.md).
 */
export async function sendText(
  res: ServerResponse,
  parts: AsyncIterable<string>,
  { mayCompress = true }: { mayCompress?: boolean } = {},
): Promise<void> {
  if (mayCompress) res.setHeader('Vary', 'Accept-Encoding');
  const isHead = res.req.method === 'HEAD';
  const compresses = mayCompress && !isHead && acceptsGzip(res.req.headers['accept-encoding']);
  /** The beginning of a response that is compressed, until it turns out to be a long one. */
  const uncompressed: Buffer[] = [];
  let gzip: Gzip | undefined;
  let text = '';
  let writtenChars = 0;
  const slot = takeSlot();
  try {
    for await (const part of parts) {
      text += part;
      if (text.length < WRITE_CHARS) continue;
      if (isHead) return void res.end();
      if (res.destroyed) return; // a destroyed response emits neither drain nor close
      if (compresses && writtenChars + text.length < MAX_SHORT_CHARS) {
        uncompressed.push(Buffer.from(text));
        writtenChars += text.length;
        text = '';
        continue;
      }
      if (compresses && !gzip) {
        gzip = compressInto(res);
        gzip.write(Buffer.concat(uncompressed));
      }
      const hasRoom = gzip ? gzip.write(text) || gzip.writableLength < MAX_QUEUED_BYTES : res.write(text);
      writtenChars += text.length;
      text = '';
      if (!hasRoom) await untilDrained(res, gzip ?? res, slot.leave);
      if (writtenChars < MAX_SHORT_CHARS) continue;
      await slot.enter();
      await waitForTurn();
    }
  } catch (error) {
    if (gzip) stopCompressing(res, gzip);
    throw error;
  } finally {
    slot.leave();
  }
  if (gzip || (writtenChars > 0 && !compresses)) return void (gzip ?? res).end(text);
  const body = Buffer.concat([...uncompressed, Buffer.from(text)]);
  const bytes = compresses ? compressShort(res, body) : body;
  res.setHeader('Content-Length', bytes.length);
  res.end(bytes); // Node omits the body for HEAD
}

/** Resolves when `target`, whose bytes go to the response, has room again, or when the response is closed. */
async function untilDrained(res: ServerResponse, target: Writable, onSlow: () => void): Promise<void> {
  const waitEnd = new AbortController();
  const { signal } = waitEnd;
  const timer = setTimeout(onSlow, MAX_DRAIN_MS);
  await Promise.race([once(target, 'drain', { signal }), once(res, 'close', { signal })]).finally(() =>
    waitEnd.abort(),
  );
  clearTimeout(timer);
}

interface AnswerSlot {
  /** Resolves when the response has a slot; immediately while its turn lasts. */
  enter: () => Promise<void>;
  leave: () => void;
}

/** Limits how many long responses are written at the same time; the others wait in order. */
function createAnswerSlots(max: number): () => AnswerSlot {
  const waitingCallbacks: (() => void)[] = [];
  let takenCount = 0;
  return () => {
    let turnEndMs: number | undefined;
    const leave = (): void => {
      if (turnEndMs === undefined) return;
      turnEndMs = undefined;
      const resumeNext = waitingCallbacks.shift();
      if (resumeNext) resumeNext();
      else takenCount -= 1;
    };
    return {
      async enter() {
        if (turnEndMs !== undefined && performance.now() > turnEndMs && waitingCallbacks.length > 0) leave();
        if (turnEndMs !== undefined) return;
        if (takenCount < max) takenCount += 1;
        else await new Promise<void>((resolve) => waitingCallbacks.push(resolve));
        turnEndMs = performance.now() + TURN_MS;
      },
      leave,
    };
  };
}
