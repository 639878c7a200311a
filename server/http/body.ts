// Bodies of requests. JSON is parsed at once and therefore small, except for long lists of ids, which are taken out of
// the text before and read in slices.
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { MAX_ID } from '../db/ids.ts';
import { AppError, badRequest, invalid } from '../errors.ts';
import { turn } from '../runtime/time-slices.ts';

/** Of JSON without its long lists. */
export const MOST_JSON_BYTES = 512 << 10;
/** Half a million ids of 15 digits. */
const MOST_LIST_BYTES = 10 << 20;
/** Objects, lists and what they hold: checking one takes microseconds. */
const MOST_VALUES = 30_000;
const DEEPEST = 50;
const SLICE_BYTES = 32 << 10;

/**
 * Rejects with `too_large`, which names the limit, or with `bad_request` when the connection breaks. What comes after
 * the limit is read and dropped, so that the response can be sent.
 */
export function readBytes(req: IncomingMessage, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    const fail = (error: AppError): void => {
      chunks = [];
      reject(error);
    };
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > most) fail(tooLarge(most));
      else chunks.push(chunk);
    });
    req.once('end', () => resolve(Buffer.concat(chunks)));
    req.once('error', (cause) => fail(new AppError('bad_request', 'The request ended before its body.', { cause })));
    req.once('close', () => fail(new AppError('bad_request', 'The request ended before its body.')));
  });
}

const tooLarge = (most: number): AppError =>
  new AppError('too_large', `The body may have at most ${most} bytes; this one has more.`);

/** `longLists` are fields of the body that may hold many ids. */
export async function readJson(req: IncomingMessage, longLists: readonly string[] = []): Promise<unknown> {
  const bytes = await readBytes(req, longLists.length > 0 ? MOST_LIST_BYTES : MOST_JSON_BYTES);
  if (bytes.length === 0) throw badRequest('A JSON body is required (Content-Type: application/json).');
  const { rest, lists } = await takeOut(bytes, longLists);
  if (rest.length > MOST_JSON_BYTES) throw tooLarge(MOST_JSON_BYTES);
  const value = parse(rest);
  assertSmall(value, longLists);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) Object.assign(value, lists);
  return value;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new AppError('bad_request', 'The body is no JSON.', { cause });
  }
}

/** Long lists of ids, and the text without them. */
async function takeOut(
  bytes: Buffer,
  names: readonly string[],
): Promise<{ rest: Buffer; lists: Record<string, number[]> }> {
  const lists: Record<string, number[]> = {};
  let rest = bytes;
  for (const name of bytes.length > MOST_JSON_BYTES ? names : []) {
    const at = rest.indexOf(`"${name}"`);
    const head = at < 0 ? null : /^"\w+"\s{0,20}:\s{0,20}\[/.exec(rest.toString('latin1', at, at + 200));
    if (!head) continue;
    const [start, end] = [at + head[0].length, rest.indexOf(']', at)];
    const ids = end < 0 ? undefined : await readIds(rest.subarray(start, end));
    if (!ids) continue;
    lists[name] = ids;
    rest = Buffer.concat([rest.subarray(0, start), rest.subarray(end)]);
  }
  return { rest, lists };
}

/** Undefined for anything but whole numbers between commas. */
async function readIds(text: Buffer): Promise<number[] | undefined> {
  const ids: number[] = [];
  for (let at = 0; at < text.length;) {
    const comma = text.indexOf(',', Math.min(text.length, at + SLICE_BYTES));
    const end = comma < 0 ? text.length : comma;
    if (end - at > 2 * SLICE_BYTES) return undefined;
    const part = text.toString('latin1', at, end);
    if (!/^\s*\d{1,15}\s*(?:,\s*\d{1,15}\s*)*$/.test(part)) return undefined;
    for (const id of part.split(',')) ids.push(Number(id));
    at = end + 1;
    await turn();
  }
  return ids;
}

/** Before the rules look at it, which takes longer the more there is. */
function assertSmall(body: unknown, longLists: readonly string[]): void {
  const rest: { value: unknown; depth: number }[] = [{ value: body, depth: 0 }];
  let count = 0;
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string' && !value.isWellFormed())
      throw badRequest('The body has a text that is no Unicode: half of a surrogate pair.');
    if (typeof value !== 'object' || value === null) continue;
    if (depth > DEEPEST) throw badRequest(`The body may be ${DEEPEST} levels deep at most.`);
    const entries = Object.entries(value).filter(([name]) => depth > 0 || !longLists.includes(name));
    count += entries.length;
    if (count > MOST_VALUES)
      throw invalid([{ field: 'body', message: `may hold at most ${MOST_VALUES} values, and this one holds more` }]);
    for (const [, inner] of entries) rest.push({ value: inner, depth: depth + 1 });
  }
}

/** A list of ids that may be long: checked in one go, and described as what it is. */
export function idList<Id extends number>(
  most: number,
  { least = 0, description = `at most ${most} ids` }: { least?: number; description?: string } = {},
) {
  const isId = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= MAX_ID;
  const fault = (value: unknown): string | undefined => {
    if (!Array.isArray(value)) return 'must be a list of ids';
    if (value.length > most) return `may hold at most ${most} ids, and this one holds ${value.length}`;
    if (value.length < least) return `must hold at least ${least}`;
    const wrong = value.findIndex((id) => !isId(id));
    return wrong < 0 ? undefined : `must hold positive whole numbers; number ${wrong + 1} is none`;
  };
  const list = z
    .custom<Id[]>((value) => fault(value) === undefined, { error: ({ input }) => fault(input) ?? 'is wrong' })
    .meta({
      description,
      type: 'array',
      items: { type: 'integer', minimum: 1, maximum: MAX_ID },
      minItems: least,
      maxItems: most,
    });
  return list as unknown as z.ZodType<Id[], number[]>; // ids come as plain numbers
}
