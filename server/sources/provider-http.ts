// HTTP for catalogues: rate limits, guarded requests, errors with messages for users, and resumable downloads.
import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import {
  guardedFetch,
  guardedStream,
  type GuardedHead,
  type GuardedOptions,
  type GuardedStream,
} from '../outbound/guarded-fetch.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import { createTokenBucket } from '../outbound/token-bucket.ts';
import { CatalogueError, type CatalogueFault, type DownloadOptions } from './catalogue.ts';
import { parseLimitedJson } from '../runtime/text-limits.ts';

/** Rate and time limits: `checkMs` of the status check, `stallMs` without data, `downloadMs` of a whole file. */
export interface CataloguePace {
  perSecond: number;
  checkMs: number;
  searchMs: number;
  requestMs: number;
  stallMs: number;
  downloadMs: number;
}

interface ProviderHttpDeps {
  base: () => URL;
  userAgent: () => string;
  pace: CataloguePace;
}

const MAX_JSON_BYTES = 16e6;
const MAX_PICTURE_BYTES = 10e6;
const MAX_DOCUMENT_BYTES = 64e3;
const MAX_VALIDATOR_CHARACTERS = 200;

interface SaveOptions extends DownloadOptions {
  /** Size announced by the catalogue; a download with a different size is an error. */
  expectedBytes?: number | undefined;
  /** Converts an error document that some services send instead of audio. */
  faultIn?: (document: string) => CatalogueError;
}

export function createProviderHttp({ base, userAgent, pace }: ProviderHttpDeps) {
  const bucket = createTokenBucket({ perSecond: pace.perSecond });
  const commonOptions = (signal: AbortSignal) => ({ base: base(), signal, stallMs: pace.stallMs });
  const headers = {
    get 'user-agent'() {
      return userAgent();
    },
  };

  /** Reads a JSON document. */
  const json = (url: URL, signal: AbortSignal): Promise<unknown> =>
    bucket.run(
      () =>
        withCatalogueErrors(async () => {
          const answer = await guardedFetch(url, {
            ...commonOptions(signal),
            timeoutMs: pace.requestMs,
            maxBytes: MAX_JSON_BYTES,
            headers: { ...headers, accept: 'application/json' },
          });
          throwUnlessOk(answer);
          try {
            return parseLimitedJson(Buffer.from(answer.bytes).toString('utf8'));
          } catch (cause) {
            throw new CatalogueError('unavailable', `The response of ${answer.url.host} is invalid.`, {
              cause,
            });
          }
        }),
      signal,
    );

  const picture = (url: URL, signal: AbortSignal): Promise<Uint8Array> =>
    withCatalogueErrors(async () => {
      const answer = await guardedFetch(url, {
        ...commonOptions(signal),
        timeoutMs: pace.requestMs,
        maxBytes: MAX_PICTURE_BYTES,
        headers: { ...headers, accept: 'image/*' },
      });
      throwUnlessOk(answer);
      return answer.bytes;
    });

  /** Downloads into a file. Resumes an existing file if the server confirms that the content is still the same. */
  async function save(
    url: URL,
    path: string,
    { signal, maxBytes, onProgress, expectedBytes, faultIn }: SaveOptions,
  ): Promise<void> {
    const partialFile = await readPartialFile(path);
    const options: GuardedOptions = {
      ...commonOptions(signal),
      timeoutMs: pace.downloadMs,
      maxBytes,
      headers: {
        ...headers,
        'accept-encoding': 'identity',
        ...(partialFile && { range: `bytes=${partialFile.size}-`, 'if-range': partialFile.validator }),
      },
    };
    if (expectedBytes !== undefined && expectedBytes > maxBytes) throw tooLarge(maxBytes);
    const answer = await bucket.run(() => withCatalogueErrors(() => guardedStream(url, options)), signal);
    try {
      await withCatalogueErrors(async () => {
        const { start, total } = rangeOf(answer, partialFile?.size ?? 0);
        if ((total ?? 0) > maxBytes) throw tooLarge(maxBytes);
        if (faultIn && isDocument(answer.headers)) throw faultIn(await readDocument(answer.body));
        await storeValidator(path, answer.headers);
        const size = await append(answer, path, { start, total, maxBytes, onProgress });
        assertComplete(answer, size, { total, expectedBytes });
      });
    } catch (error) {
      answer.body.destroy();
      if (error instanceof UnusablePartialFile) await deletePartialFile(path);
      if (error instanceof CatalogueError && error.fault === 'too_large') throw tooLarge(maxBytes);
      throw error;
    }
  }

  return { json, picture, save };
}

/** Thrown when the partial file on disk cannot be resumed. */
class UnusablePartialFile extends CatalogueError {
  override name = 'WrongPart';
}

/** Deletes a partial download, so that the next call starts over. */
export async function deletePartialFile(path: string): Promise<void> {
  await rm(path, { force: true });
  await rm(`${path}.validator`, { force: true });
}

async function readPartialFile(path: string): Promise<{ size: number; validator: string } | undefined> {
  try {
    const { size } = await stat(path);
    const validator = await readFile(`${path}.validator`, 'utf8');
    return size > 0 && validator !== '' ? { size, validator } : undefined;
  } catch {
    return undefined; // there is nothing to resume
  }
}

/**
 * Stores the validator for resuming: the ETag, or `Last-Modified` if there is no ETag or only a weak one. Weak ETags do
 * not guarantee equal bytes.
 */
async function storeValidator(path: string, headers: Headers): Promise<void> {
  const tag = headers.get('etag');
  const validator = (tag !== null && !tag.startsWith('W/') ? tag : headers.get('last-modified')) ?? '';
  await writeFile(`${path}.validator`, validator.length > MAX_VALIDATOR_CHARACTERS ? '' : validator, { mode: 0o600 });
}

/** Returns the offset of this body in the file, and the total size. */
function rangeOf(answer: GuardedHead, existingBytes: number): { start: number; total: number | undefined } {
  const { status, headers, url } = answer;
  if (status === 416)
    throw new UnusablePartialFile('unavailable', `${url.host} cannot resume the download; it is restarted.`);
  throwUnlessOk(answer);
  if (status !== 206) return { start: 0, total: numberOrUndefined(headers.get('content-length')) };
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '') ?? [];
  if (Number(start) !== existingBytes)
    throw new UnusablePartialFile(
      'unavailable',
      `${url.host} sent the wrong part of the file; the download is restarted.`,
    );
  return { start: existingBytes, total: numberOrUndefined(total === '*' ? null : (total ?? null)) };
}

/**
 * Appends the body to the file. Bytes are reported as received only after they are written, so that a crash does not
 * lose reported progress.
 */
async function append(
  { body }: GuardedStream,
  path: string,
  {
    start,
    total,
    maxBytes,
    onProgress,
  }: { start: number; total: number | undefined } & Pick<DownloadOptions, 'maxBytes' | 'onProgress'>,
): Promise<number> {
  const file = await open(path, start > 0 ? 'a' : 'w', 0o600);
  try {
    let size = start;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (size + chunk.length > maxBytes) throw tooLarge(maxBytes);
      await file.appendFile(chunk);
      size += chunk.length;
      onProgress(size, total ?? null);
    }
    return size;
  } finally {
    await file.close();
  }
}

function assertComplete(
  { url }: GuardedHead,
  size: number,
  { total, expectedBytes }: { total: number | undefined; expectedBytes: number | undefined },
): void {
  const expectedSize = expectedBytes ?? total;
  if (expectedSize !== undefined && size !== expectedSize)
    throw new UnusablePartialFile('unavailable', `${url.host} sent ${size} bytes instead of ${expectedSize}.`);
}

const isDocument = (headers: Headers): boolean => /\b(json|xml|html)\b/i.test(headers.get('content-type') ?? '');

async function readDocument(body: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of body) {
    text += chunk.toString('utf8');
    if (text.length > MAX_DOCUMENT_BYTES) break;
  }
  return text;
}

function throwUnlessOk({ status, url, headers }: GuardedHead): void {
  if (status >= 200 && status < 300) return;
  const statusText = `${url.host} answered ${status}`;
  if (status === 404 || status === 410)
    throw new CatalogueError('not_found', `The catalogue no longer has it (${statusText}).`);
  if (status === 401 || status === 403 || status === 451)
    throw new CatalogueError('forbidden', `The catalogue denies access (${statusText}).`);
  const retryAfterMs = secondsOf(headers.get('retry-after'));
  if (status === 429)
    throw new CatalogueError('rate_limited', `Too many requests to the catalogue (${statusText}).`, { retryAfterMs });
  if (status >= 500 || status === 408 || status === 425)
    throw new CatalogueError('unavailable', `The catalogue is temporarily unavailable (${statusText}).`, {
      retryAfterMs,
    });
  throw new CatalogueError('misconfigured', `The catalogue rejected the request (${statusText}).`);
}

/** Parses a wait time in seconds; a date would depend on the other machine's clock. */
const secondsOf = (value: string | null): number | undefined =>
  value !== null && /^\d{1,6}$/.test(value) ? Number(value) * 1_000 : undefined;
const numberOrUndefined = (value: string | null): number | undefined =>
  value !== null && /^\d{1,15}$/.test(value) ? Number(value) : undefined;

const FAULTS_BY_KIND: Record<OutboundError['kind'], CatalogueFault> = {
  timeout: 'timeout',
  refused: 'unavailable',
  network: 'unavailable',
  too_large: 'too_large',
  private_address: 'forbidden',
  scheme: 'forbidden',
  redirects: 'forbidden',
};

/** Runs work and converts errors of outgoing requests to errors of a catalogue. */
export async function withCatalogueErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause;
    throw new CatalogueError(FAULTS_BY_KIND[cause.kind], `The catalogue could not be read: ${cause.message}.`, {
      cause,
    });
  }
}

export const tooLarge = (maxBytes: number): CatalogueError =>
  new CatalogueError(
    'too_large',
    `The file is larger than ${maxBytes} bytes, the limit of downloads (MAX_UPLOAD_BYTES).`,
  );
