// Requests JSON from a service: with a rate limit, retries while the service is busy, and a circuit breaker while it is
// down. The caller interprets the answer.
import { gzipSync } from 'node:zlib';
import type { Breaker } from './breaker.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { OutboundError } from './outbound-error.ts';
import type { TokenBucket, Wait } from './token-bucket.ts';
import { trimEnd } from '../runtime/trim-text.ts';
import { parseLimitedJson } from '../runtime/text-limits.ts';

/**
 * `busy`: the service says so, or has an internal error. `unreachable`: no answer, or an answer from something else.
 * `refused`: the service will never accept this request. `misconfigured`: it accepts no request until a setting is
 * changed.
 */
type ServiceFault = 'busy' | 'unreachable' | 'refused' | 'misconfigured';

/** A failed request; `message` is a sentence for people. */
export class ServiceError extends Error {
  override name = 'ServiceError';
  readonly fault: ServiceFault;
  constructor(fault: ServiceFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

/** Returns whether a later attempt may succeed. */
export const isPassing = (error: unknown): boolean => error instanceof ServiceError && error.fault !== 'refused';

interface ServiceRequest {
  /** Path of the request, relative to the base URL. */
  path: string;
  /** Fields of a gzipped form that is sent with POST; without fields, the request is a GET. */
  form?: Record<string, string>;
}

interface ServiceAnswer {
  status: number;
  body: unknown;
}

interface ServiceClientDeps {
  /** The service's name in messages, such as `The identification service`. */
  name: string;
  baseUrl: () => string;
  userAgent: () => string;
  bucket: TokenBucket;
  breaker: Breaker;
  /** Detects a busy service that reports it in the body of another status. */
  saysBusy?: (body: unknown) => boolean;
  wait: Wait;
  timeoutMs?: number | undefined;
}

export type ServiceClient = ReturnType<typeof createServiceClient>;

const REQUEST_TIMEOUT_MS = 10_000;
/** Maximum size of an answer: it has to allow a well-known recording, which is on hundreds of releases. */
const MAX_ANSWER_BYTES = 8 << 20;
const MAX_ATTEMPTS = 3;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 10_000;

export function createServiceClient({
  name,
  baseUrl,
  userAgent,
  bucket,
  breaker,
  saysBusy = () => false,
  wait,
  timeoutMs = REQUEST_TIMEOUT_MS,
}: ServiceClientDeps) {
  const unreachable = (): ServiceError => new ServiceError('unreachable', `${name} cannot be reached right now.`);

  /** Returns an answer with a status below 500 and a JSON body. Throws a ServiceError or the reason of `signal`. */
  return async function ask(question: ServiceRequest, signal: AbortSignal): Promise<ServiceAnswer> {
    for (let attempt = 1; ; attempt++) {
      let isUnderWay = false;
      if (!breaker.mayAsk()) throw unreachable();
      try {
        const answer = await bucket.run(() => {
          if (!breaker.enter()) throw unreachable(); // the breaker opened while this request waited
          isUnderWay = true;
          return once(question, signal);
        }, signal);
        breaker.noteSuccess();
        return answer;
      } catch (error) {
        if (!isUnderWay) throw error;
        const isFault = error instanceof ServiceError && !signal.aborted;
        const isFinal = !isFault || error.fault !== 'busy' || attempt === MAX_ATTEMPTS;
        if (isFault && isFinal) breaker.noteFailure();
        else breaker.noteAbandoned();
        if (isFinal) throw error;
      }
      await wait(FIRST_WAIT_MS * 2 ** (attempt - 1), signal);
    }
  };

  async function once({ path, form }: ServiceRequest, signal: AbortSignal): Promise<ServiceAnswer> {
    const base = new URL(baseUrl());
    const answer = await guardedFetch(new URL(`${trimEnd(base.href, /\//)}${path}`), {
      base,
      timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
      signal,
      headers: {
        'user-agent': userAgent(),
        accept: 'application/json',
        ...(form && { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'gzip' }),
      },
      ...(form && { method: 'POST', body: gzipSync(new URLSearchParams(form).toString()) }),
    }).catch((error: unknown) => {
      if (signal.aborted || !(error instanceof OutboundError)) throw error;
      throw new ServiceError('unreachable', `${name} cannot be reached: ${error.message}`, error);
    });
    const body = parse(answer.bytes);
    if (answer.status === 429 || answer.status >= 500 || saysBusy(body)) {
      const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
      if (answer.status === 429 || Number.isFinite(seconds))
        bucket.pause(Math.min(MAX_WAIT_MS, Math.max(FIRST_WAIT_MS, (seconds || 0) * 1_000)));
      throw new ServiceError('busy', `${name} is busy or has an internal error (${answer.status}).`);
    }
    if (body === undefined) throw new ServiceError('unreachable', `${name} sent an invalid answer (${answer.status}).`);
    return { status: answer.status, body };
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return parseLimitedJson(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
