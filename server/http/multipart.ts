// Reads the files of a multipart form one after the other, or a body that is one file, with back-pressure and never
// whole in memory. Whatever a client sends, omits or cuts off must not crash the process, leak an open file or leave a
// request hanging.
import type { IncomingMessage } from 'node:http';
import { Writable, type Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy';
import { AppError, badRequest } from '../errors.ts';

/** A client that sends nothing for this long is gone, or attacks. */
const STALL_MS = 60_000;
/** How long the rest of a rejected form may take: many clients read the response only when all is sent. */
const LINGER_MS = 30_000;
const MAX_FIELDS = 20;
const MAX_NAME = 255;

export interface FormFile {
  /** Name of the form field. */
  field: string;
  filename: string;
  /** The most that it has, by the announced length of the form; undefined when the client did not say it. */
  announcedBytes: number | undefined;
  /** Throws `too_large` past the limit, and any other error of the form. Need not be read to the end. */
  chunks: AsyncIterable<Buffer>;
}

export interface FormOptions {
  /** Maximum number of files; more are `too_large`. */
  files: number;
  fileBytes: number;
  /** Message for a file over `fileBytes`. */
  tooLarge: string;
  stallMs?: number;
}

/**
 * Calls `take` for each file; resolves when the last call has. When one throws, the rest of the form is rejected.
 * Throws `unsupported_type` (not a form), `bad_request` (malformed, cut off, stalled), `too_large`, or what `take`
 * threw.
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
  let earlier = work; // all files but the last one, whose bytes are still arriving
  let stall: NodeJS.Timeout | undefined;
  let fedBytes = 0;
  const announced = (): number | undefined => {
    const length = Number(req.headers['content-length'] ?? Number.NaN);
    return Number.isNaN(length) ? undefined : Math.min(options.fileBytes, Math.max(0, length - fedBytes));
  };

  function fail(error: unknown): void {
    failure ??= { error };
    for (const stream of open) stream.destroy(error instanceof Error ? error : undefined);
    ended.resolve();
  }
  const waitForClient = (): void => {
    clearTimeout(stall);
    if (!failure) stall = setTimeout(() => fail(badRequest(STALLED)), options.stallMs ?? STALL_MS).unref();
  };

  form.on('file', (field: string | undefined, stream, filename: string | undefined) => {
    stream.on('error', () => undefined); // its reader gets it; without a listener it would end the process
    open.add(stream);
    const announcedBytes = announced();
    earlier = work;
    work = work
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
        open.delete(stream);
        stream.resume(); // discards what was not read
      });
  });
  form.on('error', () => fail(malformed()));
  form.on('finish', () => ended.resolve());
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'])
    form.on(limit, () =>
      fail(new AppError('too_large', `A form can have at most ${options.files} files and ${MAX_FIELDS} fields.`)),
    );

  const feed = new Writable({
    write(chunk: Buffer, _encoding, done) {
      clearTimeout(stall);
      const taken = (): void => {
        fedBytes += chunk.length;
        waitForClient();
        done();
      };
      void earlier.then(() => guarded(() => form.write(chunk, taken)));
    },
    final(done) {
      clearTimeout(stall);
      guarded(() => form.end());
      void work.then(waitForClient); // 'finish' follows at once, unless the form has no proper end
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
    if (!req.complete) fail(badRequest(CUT_OFF));
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

const CUT_OFF = 'The upload was cut off.';
const STALLED = 'The upload timed out: no data arrived.';

/** Returns whether the body is one file, and no form or JSON. */
export const isRawFile = ({ headers }: IncomingMessage): boolean =>
  /^(?:audio|video)\/|^application\/(?:octet-stream|ogg|x-flac|mp4)\b|^binary\//i.test(headers['content-type'] ?? '');

/** Calls `take` with the body as a file. Throws `bad_request` (empty, cut off, stalled), `too_large` or its error. */
export async function readRawFile(
  req: IncomingMessage,
  { fileBytes, tooLarge, stallMs = STALL_MS }: Omit<FormOptions, 'files'>,
  { field, filename }: { field: string; filename: string | undefined },
  take: (file: FormFile) => Promise<void>,
): Promise<void> {
  const length = Number(req.headers['content-length'] ?? Number.NaN);
  async function* chunks(): AsyncGenerator<Buffer> {
    const arriving = req.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
    let bytes = 0;
    for (;;) {
      const { value, done } = await inTime(arriving.next(), stallMs);
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
      filename: cleanName(filename ?? nameIn(req.headers['content-disposition'])),
      announcedBytes: Number.isNaN(length) ? undefined : Math.min(fileBytes, length),
      chunks: chunks(),
    });
  } finally {
    discardRest(req);
  }
}

/** Throws `bad_request` when the connection breaks, or nothing comes for so long. */
async function inTime<T>(next: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const stalled = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(badRequest(STALLED)), ms);
  });
  const cutOff = (cause: unknown): never => {
    throw new AppError('bad_request', CUT_OFF, { cause });
  };
  try {
    return await Promise.race([next.catch(cutOff), stalled]);
  } finally {
    clearTimeout(timer);
  }
}

/** The file name of a Content-Disposition header (RFC 6266). */
function nameIn(disposition = ''): string | undefined {
  const exact = /;\s*filename\*\s*=\s*utf-8''([^;\s]+)/i.exec(disposition)?.[1];
  if (exact !== undefined)
    try {
      return decodeURIComponent(exact);
    } catch {
      return undefined; // no UTF-8
    }
  const [, quoted, plain] = /;\s*filename\s*=\s*(?:"([^"]*)"|([^;\s"]+))/i.exec(disposition) ?? [];
  return quoted ?? plain;
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
  // destroyed by a reader that stops early, the stream would never end, and neither would the form
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (stream.truncated) break;
    yield chunk;
  }
  if (stream.truncated) throw new AppError('too_large', tooLarge);
}

/** A connection can be reused only after the rest of the body; a client that takes too long is disconnected. */
function discardRest(req: IncomingMessage): void {
  req.resume();
  if (req.readableEnded || req.destroyed) return;
  const timer = setTimeout(() => req.destroy(), LINGER_MS).unref();
  req.once('close', () => clearTimeout(timer));
}

/** Names are only displayed, or become titles: without folders, control characters and bidi marks. */
function cleanName(name = ''): string {
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const plain = last.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '').trim();
  return plain.slice(0, MAX_NAME).toWellFormed() || 'unnamed';
}
