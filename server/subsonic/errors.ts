// Errors of the Subsonic API: an envelope with one of these codes. A table maps the AppErrors of services to codes.
import { toPrintable } from './ids.ts';
import { asKnownFault, type ErrorCode } from '../errors.ts';

/**
 * Codes: 0 any other error, 10 parameter missing, 40 wrong credentials, 43 conflicting credentials, 44 wrong API key,
 * 50 not allowed, 70 not found.
 */
type FaultCode = 0 | 10 | 40 | 43 | 44 | 50 | 70;

/** An error with a code of the protocol. `status` is set if clients need another HTTP status than 200. */
export class Fault extends Error {
  override name = 'Fault';
  readonly code: FaultCode;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(
    code: FaultCode,
    message: string,
    { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.headers = headers;
  }
}

/** The error of a list of ids of which none exists; if only some exist, calls do their work for these. */
export const noneExists = (item: string, ids: readonly string[]): Fault =>
  new Fault(
    70,
    ids.length === 1
      ? `There is no ${item} ${toPrintable(ids[0] ?? '')}.`
      : `None of these ${ids.length} ids is one of a ${item} that exists.`,
  );

export const missingParameter = (name: string): Fault => new Fault(10, `The parameter ${name} is missing.`);

/**
 * Codes of the protocol by error code. Missing or unreadable audio is 0, because on 70 clients delete their copy of an
 * item.
 */
const CODES: Record<ErrorCode, FaultCode> = {
  bad_request: 0,
  unauthenticated: 40,
  forbidden: 50,
  not_found: 70,
  method_not_allowed: 0,
  conflict: 0,
  gone: 0,
  precondition_failed: 0,
  too_large: 0,
  unsupported_type: 0,
  range_not_satisfiable: 0,
  invalid: 0,
  too_many_requests: 0,
  queue_unavailable: 0,
  unavailable: 0,
  storage_full: 0,
};

/**
 * HTTP statuses other than 200. Clients take any such status for a server that is down, so only ranges and rate limits
 * have one.
 */
const STATUSES: Partial<Record<ErrorCode, number>> = { range_not_satisfiable: 416, too_many_requests: 429 };

/** Converts an error; returns undefined for unexpected errors, which have to be logged. */
export function toFault(error: unknown): Fault | undefined {
  if (error instanceof Fault) return error;
  const appError = asKnownFault(error);
  if (!appError) return undefined;
  const headers: Record<string, string> =
    appError.retryAfter === undefined ? {} : { 'Retry-After': String(appError.retryAfter) };
  return new Fault(CODES[appError.code], appError.message, { status: STATUSES[appError.code] ?? 200, headers });
}
