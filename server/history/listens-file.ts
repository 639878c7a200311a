// Reads the plays in a file of another service. The format of the file is detected from its first characters.
import { createReadStream } from 'node:fs';
import { AppError } from '../errors.ts';
import { TEXT_LIMITS } from '../runtime/text-limits.ts';
import { jsonItems } from './json-items.ts';
import { csvHeader, csvListen, toListen, type CsvColumns, type Listen } from './listen-shapes.ts';
import { csvRows, lines } from './text-rows.ts';

/** Number of characters by which the format is detected; enough for the first line of each format. */
const PEEK_CHARS = 64 * 1024;
const { entries: MAX_ENTRIES } = TEXT_LIMITS.history;

/**
 * Yields the plays of a file, and undefined for an entry that is not a play. Throws `unsupported_type` for an unknown
 * format, and `too_large` with the place for a file that exceeds a limit.
 */
export async function* readListens(path: string, onBytes: (done: number) => void): AsyncGenerator<Listen | undefined> {
  const stream = createReadStream(path, { encoding: 'utf8' });
  try {
    const { head, chunks } = await peek(reportBytes(stream, onBytes));
    yield* limitEntries(entriesOf(head, chunks));
  } finally {
    stream.destroy();
  }
}

async function* limitEntries<T>(entries: AsyncIterable<T>): AsyncGenerator<T> {
  let count = 0;
  for await (const entry of entries) {
    if (++count > MAX_ENTRIES)
      throw new AppError(
        'too_large',
        `The file has more than ${MAX_ENTRIES} entries. Those were imported; split the file to import the others.`,
      );
    yield entry;
  }
}

async function* reportBytes(
  stream: ReturnType<typeof createReadStream>,
  onBytes: (done: number) => void,
): AsyncGenerator<string> {
  for await (const chunk of stream as AsyncIterable<string>) {
    onBytes(stream.bytesRead);
    yield chunk;
  }
}

async function peek(chunks: AsyncIterable<string>): Promise<{ head: string; chunks: AsyncIterable<string> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head = '';
  while (head.length < PEEK_CHARS) {
    const next = await iterator.next();
    if (next.done) break;
    head += next.value;
  }
  head = head.replace(/^\ufeff/, '');
  return {
    head,
    chunks: (async function* allChunks() {
      yield head;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    })(),
  };
}

async function* entriesOf(head: string, chunks: AsyncIterable<string>): AsyncGenerator<Listen | undefined> {
  const trimmedHead = head.trimStart();
  if (trimmedHead.startsWith('PK\u0003\u0004'))
    throw unsupported('It is a ZIP archive. Unpack it and import the files in it.');
  if (trimmedHead.startsWith('{') && isListen(parse(trimmedHead.split('\n', 1)[0]))) {
    for await (const line of lines(chunks)) yield toListen(parse(line));
  } else if (trimmedHead.startsWith('{') || trimmedHead.startsWith('[')) {
    for await (const item of jsonItems(chunks)) yield item === undefined ? undefined : toListen(parse(item));
  } else if (/[,;\t]/.test(trimmedHead.split('\n', 1)[0] ?? '') && !trimmedHead.includes('\0')) {
    yield* csvEntries(trimmedHead, chunks);
  } else {
    throw unsupported('It is not an export of ListenBrainz (JSON, JSONL) or Last.fm (JSON, CSV).');
  }
}

const unsupported = (reason: string): AppError =>
  new AppError('unsupported_type', `The file cannot be imported. ${reason}`);
const isListen = (entry: unknown): boolean => toListen(entry) !== undefined;

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

async function* csvEntries(head: string, chunks: AsyncIterable<string>): AsyncGenerator<Listen | undefined> {
  const line = head.split('\n', 1)[0] ?? '';
  const count = (separator: string): number => line.split(separator).length;
  const separator = [',', ';', '\t'].reduce((bestSeparator, candidate) =>
    count(candidate) > count(bestSeparator) ? candidate : bestSeparator,
  );
  let columns: CsvColumns | undefined;
  let isFirst = true;
  for await (const row of csvRows(chunks, separator)) {
    if (isFirst) columns = csvHeader(row);
    if (!isFirst || columns === undefined) yield csvListen(row, columns);
    isFirst = false;
  }
}
