// Errors of the REST API: application/problem+json (RFC 9457). One table has the status and title of each code.
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { AppError, asKnownFault, type ErrorCode, type FieldError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import './value-words.ts';

export const ProblemOut = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    errors: z
      .array(
        z.object({
          field: z.string(),
          message: z.string(),
          received: z.string().optional().meta({ description: 'what came, as JSON and cut short' }),
        }),
      )
      .optional(),
  })
  .meta({ id: 'Problem' });
export type ProblemOut = z.output<typeof ProblemOut>;

export const PROBLEMS: Record<ErrorCode, { status: number; title: string }> = {
  bad_request: { status: 400, title: 'Malformed request' },
  unauthenticated: { status: 401, title: 'Not signed in' },
  forbidden: { status: 403, title: 'Not allowed' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  conflict: { status: 409, title: 'Conflict' },
  gone: { status: 410, title: 'Audio is missing' },
  precondition_failed: { status: 412, title: 'Precondition failed' },
  too_large: { status: 413, title: 'Too large' },
  unsupported_type: { status: 415, title: 'Unsupported type' },
  range_not_satisfiable: { status: 416, title: 'Range not satisfiable' },
  invalid: { status: 422, title: 'Invalid value' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  queue_unavailable: { status: 503, title: 'Job queue unavailable' },
  unavailable: { status: 503, title: 'Unavailable' },
  storage_full: { status: 507, title: 'Disk full' },
};

const NEUTRAL: ProblemOut = {
  type: 'about:blank',
  title: 'Internal error',
  status: 500,
  detail: 'Something went wrong. The server log has details.',
};

/** Of anything thrown; unexpected errors get a neutral text, so that nothing internal is sent. */
export function toProblem(error: unknown): {
  problem: ProblemOut;
  headers: Record<string, string>;
  unexpected: boolean;
} {
  const known = asAppError(error);
  if (!known) return { problem: NEUTRAL, headers: {}, unexpected: true };
  const { status, title } = PROBLEMS[known.code];
  const headers: Record<string, string> = {};
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer';
  if (status === 429 || status === 503) headers['Retry-After'] = String(known.retryAfter ?? 5);
  return {
    problem: {
      type: 'about:blank',
      title,
      status,
      detail: known.message,
      ...(known.fields && { errors: known.fields }),
    },
    headers,
    unexpected: false,
  };
}

function asAppError(error: unknown): AppError | undefined {
  return asKnownFault(error) ?? fromExpress(error);
}

/**
 * Errors that Express, its body parsers and its file sender throw carry a status. Their texts are ours, so that none of
 * theirs leaks.
 */
const FROM_EXPRESS: Record<number, [ErrorCode, string]> = {
  400: ['bad_request', 'The request is malformed.'],
  403: ['not_found', 'There is nothing at this address.'],
  404: ['not_found', 'There is nothing at this address.'],
  412: ['precondition_failed', 'What is here now is not what the condition asks for.'],
  413: ['too_large', 'The body is too large.'],
  415: ['unsupported_type', 'The encoding of the body is not supported.'],
  416: ['range_not_satisfiable', 'The range lies outside of what is here.'],
};

function fromExpress(error: unknown): AppError | undefined {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : undefined;
  const known = status === undefined ? undefined : FROM_EXPRESS[status];
  return known && new AppError(...known);
}

export const UNKNOWN_FIELD = 'is not a known field';

/** Of a list with thousands of faults, enough to see what is wrong. */
const MOST_FIELDS = 100;

/** zod's issues as fields: `tracks.0.title`. `given` is what was parsed. */
export const toFields = (error: z.ZodError, given?: unknown): FieldError[] =>
  error.issues
    .slice(0, MOST_FIELDS)
    .flatMap((issue) => toFieldErrors(issue, given))
    .slice(0, MOST_FIELDS);

function toFieldErrors(issue: z.core.$ZodIssue, given: unknown, at: PropertyKey[] = []): FieldError[] {
  const path = [...at, ...issue.path];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ field: [...path, key].join('.'), message: UNKNOWN_FIELD }));
  const meant = issue.code === 'invalid_union' ? meantBranch(issue.errors) : undefined;
  if (meant) return meant.flatMap((inner) => toFieldErrors(inner, given, path));
  const received = path.some((name) => SECRET.test(String(name))) ? undefined : shown(valueAt(given, path));
  return [{ field: path.join('.') || 'body', message: issue.message, ...(received !== undefined && { received }) }];
}

const SECRET = /pass|token|secret|key/i;
const MOST_SHOWN = 60;

/** Undefined for what did not come, and for all that is more than a value. */
function shown(value: unknown): string | undefined {
  if (value === undefined || (typeof value === 'object' && value !== null)) return undefined;
  const text = JSON.stringify(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/** What is there in what came; undefined when nothing is. */
export const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name)
        ? (inner as Record<PropertyKey, unknown>)[name]
        : undefined,
    value,
  );

/** The issues of the union's branch that was probably meant: the one with the fewest unknown fields and errors. */
export function meantBranch(branches: z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const faults = (issues: z.core.$ZodIssue[]): number =>
    issues.reduce(
      (sum, issue) =>
        sum + (issue.code === 'unrecognized_keys' ? 10 * issue.keys.length : issue.path.length === 0 ? 100 : 1),
      0,
    );
  return branches
    .toSorted((a, b) => faults(a) - faults(b))
    .find((issues) => issues.some((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys'));
}

/** What was said already of the bytes that were to come. */
const OF_CONTENT = [
  'ETag',
  'Last-Modified',
  'Content-Encoding',
  'Content-Disposition',
  'Content-Length',
  'Accept-Ranges',
];

function sendProblem(res: Response, error: unknown): ProblemOut {
  const { problem, headers } = toProblem(error);
  for (const name of OF_CONTENT) res.removeHeader(name);
  res
    .status(problem.status)
    .set({ 'Cache-Control': 'no-store', ...headers })
    .type('application/problem+json')
    .end(JSON.stringify(problem));
  return problem;
}

export const notFoundHandler: RequestHandler = (req) => {
  throw new AppError('not_found', `There is nothing at ${req.path}.`);
};

export function errorHandler(log: Log) {
  return (error: unknown, req: Request, res: Response, _next: NextFunction): void => {
    const { unexpected, problem } = toProblem(error);
    if (unexpected || problem.status >= 500) res.locals['error'] = error;
    if (res.headersSent) {
      log.debug({ request_id: res.locals['requestId'] as string, err: error }, 'response cut short');
      return void req.destroy();
    }
    sendProblem(res, error);
  };
}
