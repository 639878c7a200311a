// Reads bodies of requests. JSON is parsed as a whole and therefore limited, except for long lists of ids, which are
// taken out of the text first and read in slices.
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { MAX_ID } from '../db/ids.ts';
import { AppError, badRequest, invalid } from '../errors.ts';
import { waitForTurn } from '../runtime/time-slices.ts';

/** Maximum size of JSON without its long lists. */
export const MAX_JSON_BYTES = 512 << 10;
/** Maximum size of a long list: half a million ids of 15 digits. */
const MAX_LIST_BYTES = 10 << 20;
/** Maximum number of values in a body; validating one takes microseconds. */
const MAX_VALUES = 30_000;
const MAX_DEPTH = 50;
const SLICE_BYTES = 32 << 10;

/**
 * Reads a body. Rejects with `too_large`, or with `bad_request` when the connection breaks. Bytes after the limit are
 * read and dropped, so that the response can be sent.
 */
export function readBytes(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    const fail = (error: AppError): void => {
      chunks = [];
      reject(error);
    };
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) fail(tooLarge(maxBytes));
      else chunks.push(chunk);
    });
    req.once('end', () => resolve(Buffer.concat(chunks)));
    req.once('error', (cause) => fail(new AppError('bad_request', 'The request ended before its body.', { cause })));
    req.once('close', () => fail(new AppError('bad_request', 'The request ended before its body.')));
  });
}

const tooLarge = (maxBytes: number): AppError =>
  new AppError('too_large', `The body may have at most ${maxBytes} bytes; this one has more.`);

/** Reads a JSON body. `longLists` are the fields that may contain very many ids. */
export async function readJson(req: IncomingMessage, longLists: readonly string[] = []): Promise<unknown> {
  const bytes = await readBytes(req, longLists.length > 0 ? MAX_LIST_BYTES : MAX_JSON_BYTES);
  if (bytes.length === 0) throw badRequest('A JSON body is required (Content-Type: application/json).');
  const { rest: remainder, lists } = await extractLists(bytes, longLists);
  if (remainder.length > MAX_JSON_BYTES) throw tooLarge(MAX_JSON_BYTES);
  const value = parse(remainder);
  assertSmall(value, longLists);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) Object.assign(value, lists);
  return value;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new AppError('bad_request', 'The body is not JSON.', { cause });
  }
}

/** Returns the long lists of ids, and the text without these lists. */
async function extractLists(
  bytes: Buffer,
  names: readonly string[],
): Promise<{ rest: Buffer; lists: Record<string, number[]> }> {
  const lists: Record<string, number[]> = {};
  let remainder = bytes;
  for (const name of bytes.length > MAX_JSON_BYTES ? names : []) {
    const nameStart = remainder.indexOf(`"${name}"`);
    const head =
      nameStart < 0 ? null : /^"\w+"\s{0,20}:\s{0,20}\[/.exec(remainder.toString('latin1', nameStart, nameStart + 200));
    if (!head) continue;
    const [start, end] = [nameStart + head[0].length, remainder.indexOf(']', nameStart)];
    const ids = end < 0 ? undefined : await readIds(remainder.subarray(start, end));
    if (!ids) continue;
    lists[name] = ids;
    remainder = Buffer.concat([remainder.subarray(0, start), remainder.subarray(end)]);
  }
  return { rest: remainder, lists };
}

/** Reads a list of ids. Returns undefined for anything but whole numbers between commas. */
async function readIds(text: Buffer): Promise<number[] | undefined> {
  const ids: number[] = [];
  for (let position = 0; position < text.length;) {
    const comma = text.indexOf(',', Math.min(text.length, position + SLICE_BYTES));
    const end = comma < 0 ? text.length : comma;
    if (end - position > 2 * SLICE_BYTES) return undefined;
    const part = text.toString('latin1', position, end);
    if (!/^\s*\d{1,15}\s*(?:,\s*\d{1,15}\s*)*$/.test(part)) return undefined;
    for (const id of part.split(',')) ids.push(Number(id));
    position = end + 1;
    await waitForTurn();
  }
  return ids;
}

/** Throws for a body with too many values before it is validated, which takes time in proportion. */
function assertSmall(body: unknown, longLists: readonly string[]): void {
  const queue: { value: unknown; depth: number }[] = [{ value: body, depth: 0 }];
  let count = 0;
  for (let item = queue.pop(); item; item = queue.pop()) {
    const { value, depth } = item;
    if (typeof value === 'string' && !value.isWellFormed())
      throw badRequest('The body has a text that is not valid Unicode: half of a surrogate pair.');
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_DEPTH) throw badRequest(`The body may be ${MAX_DEPTH} levels deep at most.`);
    const entries = Object.entries(value).filter(([name]) => depth > 0 || !longLists.includes(name));
    count += entries.length;
    if (count > MAX_VALUES)
      throw invalid([{ field: 'body', message: `may hold at most ${MAX_VALUES} values, and this one holds more` }]);
    for (const [, innerValue] of entries) queue.push({ value: innerValue, depth: depth + 1 });
  }
}

/** Returns the schema of a list of ids that may be long: it is validated in one pass instead of item by item. */
export function idList<Id extends number>(
  max: number,
  { least: min = 0, description = `at most ${max} ids` }: { least?: number; description?: string } = {},
) {
  const isId = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= MAX_ID;
  const fault = (value: unknown): string | undefined => {
    if (!Array.isArray(value)) return 'must be a list of ids';
    if (value.length > max) return `may hold at most ${max} ids, and this one holds ${value.length}`;
    if (value.length < min) return `must hold at least ${min}`;
    const invalidIndex = value.findIndex((id) => !isId(id));
    return invalidIndex < 0 ? undefined : `must hold positive whole numbers; number ${invalidIndex + 1} is none`;
  };
  const list = z
    .custom<Id[]>((value) => fault(value) === undefined, { error: ({ input }) => fault(input) ?? 'is wrong' })
    .meta({
      description,
      type: 'array',
      items: { type: 'integer', minimum: 1, maximum: MAX_ID },
      minItems: min,
      maxItems: max,
    });
  return list as unknown as z.ZodType<Id[], number[]>; // only the type has branded ids, requests have plain numbers
}
