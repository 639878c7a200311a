// How providers that speak HTTP do it: paced, guarded, answers in words that a person can read, downloads that go on
// where they stopped.
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

/**
 * `checkMs` is for asking whether it is there at all, `stallMs` is the longest silence, `downloadMs` the longest a
 * whole file may take.
 */
export interface CataloguePace {
  perSecond: number;
  checkMs: number;
  searchMs: number;
  requestMs: number;
  stallMs: number;
  downloadMs: number;
}

export interface ProviderHttpDeps {
  base: () => URL;
  userAgent: () => string;
  pace: CataloguePace;
}

const MAX_JSON_BYTES = 16e6;
const MAX_PICTURE_BYTES = 10e6;
const MAX_DOCUMENT_BYTES = 64e3;
const LONGEST_VALIDATOR = 200;

export interface SaveOptions extends DownloadOptions {
  /** As the catalogue announced it; another size is an error. */
  expectedBytes?: number | undefined;
  /** For services that send an error as a document where audio was asked for: what its text means. */
  faultIn?: (document: string) => CatalogueError;
}

export type ProviderHttp = ReturnType<typeof createProviderHttp>;

export function createProviderHttp({ base, userAgent, pace }: ProviderHttpDeps) {
  const bucket = createTokenBucket({ perSecond: pace.perSecond });
  const common = (signal: AbortSignal) => ({ base: base(), signal, stallMs: pace.stallMs });
  const headers = {
    get 'user-agent'() {
      return userAgent();
    },
  };

  /** Reads a JSON document. */
  const json = (url: URL, signal: AbortSignal): Promise<unknown> =>
    bucket.run(
      () =>
        inOurWords(async () => {
          const answer = await guardedFetch(url, {
            ...common(signal),
            timeoutMs: pace.requestMs,
            maxBytes: MAX_JSON_BYTES,
            headers: { ...headers, accept: 'application/json' },
          });
          throwUnlessOk(answer);
          try {
            return JSON.parse(Buffer.from(answer.bytes).toString('utf8')) as unknown;
          } catch (cause) {
            throw new CatalogueError('unavailable', `${answer.url.host} gave an answer that is not understood.`, {
              cause,
            });
          }
        }),
      signal,
    );

  const picture = (url: URL, signal: AbortSignal): Promise<Uint8Array> =>
    inOurWords(async () => {
      const answer = await guardedFetch(url, {
        ...common(signal),
        timeoutMs: pace.requestMs,
        maxBytes: MAX_PICTURE_BYTES,
        headers: { ...headers, accept: 'image/*' },
      });
      throwUnlessOk(answer);
      return answer.bytes;
    });

  /**
   * Puts the body into a file. One that is there already is gone on with when the server can tell that it is still the
   * same.
   */
  async function save(
    url: URL,
    path: string,
    { signal, maxBytes, onProgress, expectedBytes, faultIn }: SaveOptions,
  ): Promise<void> {
    const part = await readPart(path);
    const options: GuardedOptions = {
      ...common(signal),
      timeoutMs: pace.downloadMs,
      maxBytes,
      headers: {
        ...headers,
        'accept-encoding': 'identity',
        ...(part && { range: `bytes=${part.size}-`, 'if-range': part.validator }),
      },
    };
    if (expectedBytes !== undefined && expectedBytes > maxBytes) throw tooLarge(maxBytes);
    const answer = await bucket.run(() => inOurWords(() => guardedStream(url, options)), signal);
    try {
      await inOurWords(async () => {
        const { start, total } = placeOf(answer, part?.size ?? 0);
        if ((total ?? 0) > maxBytes) throw tooLarge(maxBytes);
        if (faultIn && isDocument(answer.headers)) throw faultIn(await readDocument(answer.body));
        await keepValidator(path, answer.headers);
        const size = await append(answer, path, { start, total, maxBytes, onProgress });
        assertWhole(answer, size, { total, expectedBytes });
      });
    } catch (error) {
      answer.body.destroy();
      if (error instanceof WrongPart) await dropPart(path);
      if (error instanceof CatalogueError && error.fault === 'too_large') throw tooLarge(maxBytes);
      throw error;
    }
  }

  return { json, picture, save };
}

/** What is on disk cannot become the file. */
class WrongPart extends CatalogueError {
  override name = 'WrongPart';
}

/** Makes the next call begin from the start. */
export async function dropPart(path: string): Promise<void> {
  await rm(path, { force: true });
  await rm(`${path}.validator`, { force: true });
}

async function readPart(path: string): Promise<{ size: number; validator: string } | undefined> {
  try {
    const { size } = await stat(path);
    const validator = await readFile(`${path}.validator`, 'utf8');
    return size > 0 && validator !== '' ? { size, validator } : undefined;
  } catch {
    return undefined; // nothing was begun
  }
}

/** Weak tags do not promise the same bytes. */
async function keepValidator(path: string, headers: Headers): Promise<void> {
  const tag = headers.get('etag');
  const validator = (tag !== null && !tag.startsWith('W/') ? tag : headers.get('last-modified')) ?? '';
  await writeFile(`${path}.validator`, validator.length > LONGEST_VALIDATOR ? '' : validator, { mode: 0o600 });
}

/** Where in the file this body begins, and how long the whole is. */
function placeOf(answer: GuardedHead, had: number): { start: number; total: number | undefined } {
  const { status, headers, url } = answer;
  if (status === 416)
    throw new WrongPart('unavailable', `${url.host} does not go on where the download stopped; it begins anew.`);
  throwUnlessOk(answer);
  if (status !== 206) return { start: 0, total: numberOrUndefined(headers.get('content-length')) };
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '') ?? [];
  if (Number(start) !== had)
    throw new WrongPart('unavailable', `${url.host} sent another part than was asked for; the download begins anew.`);
  return { start: had, total: numberOrUndefined(total === '*' ? null : (total ?? null)) };
}

/** What is told of the progress is in the file: a kill loses none of it. */
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

function assertWhole(
  { url }: GuardedHead,
  size: number,
  { total, expectedBytes }: { total: number | undefined; expectedBytes: number | undefined },
): void {
  const wanted = expectedBytes ?? total;
  if (wanted !== undefined && size !== wanted)
    throw new WrongPart('unavailable', `${url.host} sent ${size} bytes where ${wanted} were announced.`);
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
  const said = `${url.host} answered ${status}`;
  if (status === 404 || status === 410)
    throw new CatalogueError('not_found', `The catalogue does not have it any more (${said}).`);
  if (status === 401 || status === 403 || status === 451)
    throw new CatalogueError('forbidden', `The catalogue does not give it out (${said}).`);
  const retryAfterMs = secondsOf(headers.get('retry-after'));
  if (status === 429)
    throw new CatalogueError('rate_limited', `The catalogue is asked too often (${said}).`, { retryAfterMs });
  if (status >= 500 || status === 408 || status === 425)
    throw new CatalogueError('unavailable', `The catalogue is out of order for now (${said}).`, { retryAfterMs });
  throw new CatalogueError('misconfigured', `The catalogue does not take the request (${said}).`);
}

/** In seconds; a date is not worth its clock's error here. */
const secondsOf = (value: string | null): number | undefined =>
  value !== null && /^\d{1,6}$/.test(value) ? Number(value) * 1_000 : undefined;
const numberOrUndefined = (value: string | null): number | undefined =>
  value !== null && /^\d{1,15}$/.test(value) ? Number(value) : undefined;

const FAULTS: Record<OutboundError['kind'], CatalogueFault> = {
  timeout: 'timeout',
  refused: 'unavailable',
  network: 'unavailable',
  too_large: 'too_large',
  private_address: 'forbidden',
  scheme: 'forbidden',
  redirects: 'forbidden',
};

async function inOurWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause;
    throw new CatalogueError(FAULTS[cause.kind], `The catalogue could not be read: ${cause.message}.`, { cause });
  }
}

export const tooLarge = (maxBytes: number): CatalogueError =>
  new CatalogueError(
    'too_large',
    `The file is larger than ${maxBytes} bytes, the most that is fetched (MAX_UPLOAD_BYTES).`,
  );
