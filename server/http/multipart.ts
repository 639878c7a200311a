// Reads the files of a multipart form one after the other, or a body that is one file, with back-pressure and never
// whole in memory. No input, however malformed or truncated, may crash the process, leak an open file or leave a
// request hanging.
import type { IncomingMessage } from 'node:http';
import { Writable, type Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy';
import { AppError, badRequest } from '../errors.ts';

/** A client that sends nothing for this long is gone or malicious, and is disconnected. */
const STALL_MS = 60_000;
/** Time limit for the rest of a rejected form: many clients read the response only after sending everything. */
const LINGER_MS = 30_000;
const MAX_FIELDS = 20;
const MAX_NAME_CHARACTERS = 255;

export interface FormFile {
  /** Name of the form field. */
  field: string;
  filename: string;
  /** Upper limit of the size, from the announced length of the form; undefined if the client did not announce it. */
  announcedBytes: number | undefined;
  /**
   * The content, which need not be read to the end. Reading throws `too_large` past the limit, and any other error of
   * the form.
   */
  chunks: AsyncIterable<Buffer>;
}

export interface FormOptions {
  /** Maximum number of files; with more, the form is `too_large`. */
  files: number;
  fileBytes: number;
  /** Message for a file that is larger than `fileBytes`. */
  tooLarge: string;
  stallMs?: number;
}

/**
 * Reads a form. Calls `take` for each file, and resolves when the last call has resolved. When one throws, the rest of
 * the form is rejected. Throws `unsupported_type` (not a form), `bad_request` (malformed, cut off, stalled),
 * `too_large`, or what `take` threw.
 */
export async function readForm(
  req: IncomingMessage,
  options: FormOptions,
  take: (file: FormFile) => Promise<void>,
): Promise<void> {
  const form = openForm(req, options);
  const formEnd = Promise.withResolvers<void>();
  const openStreams = new Set<Readable>();
  let failure: { error: unknown } | undefined;
  let pendingWork = Promise.resolve();
  let previousWork = pendingWork; // the work on all files but the last one, whose bytes are still arriving
  let stallTimer: NodeJS.Timeout | undefined;
  let fedBytes = 0;
  const announcedSize = (): number | undefined => {
    const length = Number(req.headers['content-length'] ?? Number.NaN);
    return Number.isNaN(length) ? undefined : Math.min(options.fileBytes, Math.max(0, length - fedBytes));
  };

  function fail(error: unknown): void {
    failure ??= { error };
    for (const stream of openStreams) stream.destroy(error instanceof Error ? error : undefined);
    formEnd.resolve();
  }
  const waitForClient = (): void => {
    clearTimeout(stallTimer);
    if (!failure) stallTimer = setTimeout(() => fail(badRequest(STALLED)), options.stallMs ?? STALL_MS).unref();
  };

  form.on('file', (field: string | undefined, stream, filename: string | undefined) => {
    // the reader of the stream handles the error; without a listener it would end the process
    stream.on('error', () => undefined);
    openStreams.add(stream);
    const announcedBytes = announcedSize();
    previousWork = pendingWork;
    pendingWork = pendingWork
      .then(() =>
        failure
          ? undefined
          : take({
              field: field ?? '',
              filename: cleanName(filename),
              announcedBytes,
              chunks: chunksOf(stream, options.tooLarge),
            }),
      )
      .catch(fail)
      .then(() => {
        openStreams.delete(stream);
        stream.resume(); // reads and drops the bytes that `take` has not read
      });
  });
  form.on('error', () => fail(malformed()));
  form.on('finish', () => formEnd.resolve());
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'])
    form.on(limit, () =>
      fail(new AppError('too_large', `A form can have at most ${options.files} files and ${MAX_FIELDS} fields.`)),
    );

  const feed = new Writable({
    write(chunk: Buffer, _encoding, done) {
      clearTimeout(stallTimer);
      const onWritten = (): void => {
        fedBytes += chunk.length;
        waitForClient();
        done();
      };
      void previousWork.then(() => runUnlessFailed(() => form.write(chunk, onWritten)));
    },
    final(done) {
      clearTimeout(stallTimer);
      runUnlessFailed(() => form.end());
      void pendingWork.then(waitForClient); // the form emits 'finish' immediately, unless its end is missing
      done();
    },
  });
  const runUnlessFailed = (step: () => void): void => {
    try {
      if (!failure) step();
    } catch {
      fail(malformed());
    }
  };
  const onClose = (): void => {
    if (!req.complete) fail(badRequest(CUT_OFF));
  };

  req.once('close', onClose);
  waitForClient();
  req.pipe(feed);
  try {
    await formEnd.promise;
    await pendingWork;
    if (failure) throw failure.error;
  } finally {
    clearTimeout(stallTimer);
    req.off('close', onClose);
    req.unpipe(feed);
    discardRest(req);
  }
}

const CUT_OFF = 'The upload was cut off.';
const STALLED = 'The upload timed out: no data arrived.';

/** Returns whether the body is a single file instead of a form or JSON. */
export const isRawFile = ({ headers }: IncomingMessage): boolean =>
  /^(?:audio|video)\/|^application\/(?:octet-stream|ogg|x-flac|mp4)\b|^binary\//i.test(headers['content-type'] ?? '');

/**
 * Reads a body that is one file, and calls `take` with it. Throws `bad_request` (empty, cut off, stalled), `too_large`
 * or what `take` threw.
 */
export async function readRawFile(
  req: IncomingMessage,
  { fileBytes, tooLarge, stallMs = STALL_MS }: Omit<FormOptions, 'files'>,
  { field, filename }: { field: string; filename: string | undefined },
  take: (file: FormFile) => Promise<void>,
): Promise<void> {
  const length = Number(req.headers['content-length'] ?? Number.NaN);
  async function* chunks(): AsyncGenerator<Buffer> {
    const requestChunks = req.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
    let bytes = 0;
    for (;;) {
      const { value, done } = await withTimeout(requestChunks.next(), stallMs);
      if (done === true) break;
      bytes += value.length;
      if (bytes > fileBytes) throw new AppError('too_large', tooLarge);
      yield value;
    }
    if (bytes === 0) throw badRequest('The body is empty.');
  }
  try {
    await take({
      field,
      filename: cleanName(filename ?? fileNameOf(req.headers['content-disposition'])),
      announcedBytes: Number.isNaN(length) ? undefined : Math.min(fileBytes, length),
      chunks: chunks(),
    });
  } finally {
    discardRest(req);
  }
}

/** Waits for the next chunk. Throws `bad_request` when the connection breaks, or nothing arrives within `ms`. */
async function withTimeout<T>(next: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(badRequest(STALLED)), ms);
  });
  const toCutOffError = (cause: unknown): never => {
    throw new AppError('bad_request', CUT_OFF, { cause });
  };
  try {
    return await Promise.race([next.catch(toCutOffError), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the file name of a Content-Disposition header (RFC 6266). */
function fileNameOf(disposition = ''): string | undefined {
  const encodedName = /;\s*filename\*\s*=\s*utf-8''([^;\s]+)/i.exec(disposition)?.[1];
  if (encodedName !== undefined)
    try {
      return decodeURIComponent(encodedName);
    } catch {
      return undefined; // the name is not UTF-8
    }
  const [, quoted, unquoted] = /;\s*filename\s*=\s*(?:"([^"]*)"|([^;\s"]+))/i.exec(disposition) ?? [];
  return quoted ?? unquoted;
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
    throw malformed(); // the header names no boundary
  }
}

async function* chunksOf(stream: BusboyFileStream, tooLarge: string): AsyncGenerator<Buffer> {
  // A reader that stops early would destroy the stream; then neither the stream nor the form would end.
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (stream.truncated) break;
    yield chunk;
  }
  if (stream.truncated) throw new AppError('too_large', tooLarge);
}

/**
 * Reads and drops the rest of the body, so that the connection can be reused. A client that takes too long is
 * disconnected.
 */
function discardRest(req: IncomingMessage): void {
  req.resume();
  if (req.readableEnded || req.destroyed) return;
  const timer = setTimeout(() => req.destroy(), LINGER_MS).unref();
  req.once('close', () => clearTimeout(timer));
}

/**
 * Removes folders, control characters and bidi marks from a file name. The name is only displayed or becomes a title.
 */
function cleanName(name = ''): string {
  const baseName = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const printable = baseName.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '').trim();
  return printable.slice(0, MAX_NAME_CHARACTERS).toWellFormed() || 'unnamed';
}
