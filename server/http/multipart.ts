// Files that come as a multipart form: one after the other, held back as long as the one before is not done with, never
// whole in memory. Nothing a client sends, leaves out or breaks off may end the process, keep a file open or leave a
// request hanging.
import type { IncomingMessage } from 'node:http';
import { Writable, type Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy';
import { AppError, badRequest } from '../errors.ts';

/** Nothing came for this long: the client is gone, or keeps us waiting on purpose. */
const STALL_MS = 60_000;
/** How long the rest of a refused form may take, so that a client that sends before it listens sees the answer. */
const LINGER_MS = 30_000;
const MAX_FIELDS = 20;
const MAX_NAME = 255;

export interface FormFile {
  /** Name of the form field. */
  field: string;
  filename: string;
  /** The bytes. Throws `too_large` past the limit, and what else ended the form. Need not be read to the end. */
  chunks: AsyncIterable<Buffer>;
}

export interface FormOptions {
  /** Files in one form; more are `too_large`. */
  files: number;
  fileBytes: number;
  /** Sentence for a file that is larger. */
  tooLarge: string;
  stallMs?: number;
}

/**
 * Gives each file of the form to `take`; resolves when the last one is done with. When `take` throws, the form is
 * refused. Throws `unsupported_type` (no form), `bad_request` (malformed, broken off, stalled), `too_large`, or what
 * `take` threw.
 */
export async function readForm(
  req: IncomingMessage,
  options: FormOptions,
  take: (file: FormFile) => Promise<void>,
): Promise<void> {
  const form = openForm(req, options);
  const ended = Promise.withResolvers<void>();
  const open = new Set<Readable>();
  let failure: { error: unknown } | undefined;
  let work = Promise.resolve();
  let earlier = work; // all files but the newest, whose bytes are still coming
  let stall: NodeJS.Timeout | undefined;

  function fail(error: unknown): void {
    failure ??= { error };
    for (const stream of open) stream.destroy(error instanceof Error ? error : undefined);
    ended.resolve();
  }
  const waitForClient = (): void => {
    clearTimeout(stall);
    if (!failure)
      stall = setTimeout(
        () => fail(badRequest('Nothing came for too long; the form was given up.')),
        options.stallMs ?? STALL_MS,
      ).unref();
  };

  form.on('file', (field: string | undefined, stream, filename: string | undefined) => {
    stream.on('error', () => undefined); // told to whoever reads it; without a listener it would end the process
    open.add(stream);
    earlier = work;
    work = work
      .then(() =>
        failure
          ? undefined
          : take({ field: field ?? '', filename: cleanName(filename), chunks: chunksOf(stream, options.tooLarge) }),
      )
      .catch(fail)
      .then(() => {
        open.delete(stream);
        stream.resume(); // what nobody read
      });
  });
  form.on('error', () => fail(malformed()));
  form.on('finish', () => ended.resolve());
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'])
    form.on(limit, () =>
      fail(new AppError('too_large', `A form may hold ${options.files} files and ${MAX_FIELDS} fields at most.`)),
    );

  const feed = new Writable({
    write(chunk: Buffer, _encoding, done) {
      clearTimeout(stall);
      const taken = (): void => {
        waitForClient();
        done();
      };
      void earlier.then(() => guarded(() => form.write(chunk, taken)));
    },
    final(done) {
      clearTimeout(stall);
      guarded(() => form.end());
      void work.then(waitForClient); // the end follows at once, unless the parser lost its way
      done();
    },
  });
  const guarded = (step: () => void): void => {
    try {
      if (!failure) step();
    } catch {
      fail(malformed());
    }
  };
  const closed = (): void => {
    if (!req.complete) fail(badRequest('The form was broken off.'));
  };

  req.once('close', closed);
  waitForClient();
  req.pipe(feed);
  try {
    await ended.promise;
    await work;
    if (failure) throw failure.error;
  } finally {
    clearTimeout(stall);
    req.off('close', closed);
    req.unpipe(feed);
    discardRest(req);
  }
}

const malformed = (): AppError => badRequest('The form is malformed or ends too early.');

function openForm({ headers }: IncomingMessage, { files, fileBytes }: FormOptions): InstanceType<typeof Busboy> {
  if (!/^multipart\/form-data\s*;/i.test(headers['content-type'] ?? ''))
    throw new AppError('unsupported_type', 'Send files as a form (multipart/form-data).');
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: {
        files,
        fileSize: fileBytes,
        fields: MAX_FIELDS,
        fieldSize: 10_000,
        parts: files + MAX_FIELDS,
        headerPairs: 20,
        headerSize: 16_384,
      },
    });
  } catch {
    throw malformed(); // no boundary
  }
}

async function* chunksOf(stream: BusboyFileStream, tooLarge: string): AsyncGenerator<Buffer> {
  // a reader that stops early must not destroy the stream, or the form would wait for its end forever
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (stream.truncated) break;
    yield chunk;
  }
  if (stream.truncated) throw new AppError('too_large', tooLarge);
}

/** The connection can only be used again once the rest was taken; a client that goes on for long loses it. */
function discardRest(req: IncomingMessage): void {
  req.resume();
  if (req.readableEnded || req.destroyed) return;
  const timer = setTimeout(() => req.destroy(), LINGER_MS).unref();
  req.once('close', () => clearTimeout(timer));
}

/**
 * A name is only ever shown or becomes a title; folders, control characters and changes of direction in it mean
 * nothing.
 */
function cleanName(name = ''): string {
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const plain = last.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '').trim();
  return plain.slice(0, MAX_NAME).toWellFormed() || 'unnamed';
}
