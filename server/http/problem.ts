// Errors of the REST API as application/problem+json (RFC 9457). One table has the status and title of each code.
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
  gone: { status: 410, title: 'No longer there' },
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

const INTERNAL_PROBLEM: ProblemOut = {
  type: 'about:blank',
  title: 'Internal error',
  status: 500,
  detail: 'Something went wrong. The server log has details.',
};

/** Converts anything that was thrown. Unexpected errors get a neutral text, so that no internals are sent. */
export function toProblem(error: unknown): {
  problem: ProblemOut;
  headers: Record<string, string>;
  isUnexpected: boolean;
} {
  const appError = asAppError(error);
  if (!appError) return { problem: INTERNAL_PROBLEM, headers: {}, isUnexpected: true };
  const { status, title } = PROBLEMS[appError.code];
  const headers: Record<string, string> = {};
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer';
  if (status === 429 || status === 503) headers['Retry-After'] = String(appError.retryAfter ?? 5);
  return {
    problem: {
      type: 'about:blank',
      title,
      status,
      detail: appError.message,
      ...(appError.fields && { errors: appError.fields }),
    },
    headers,
    isUnexpected: false,
  };
}

function asAppError(error: unknown): AppError | undefined {
  return asKnownFault(error) ?? fromExpress(error);
}

/**
 * Codes and texts for errors of Express, its body parsers and its file sender, by their status. Their own texts are not
 * used, so that no internals are sent.
 */
const EXPRESS_ERRORS: Record<number, [ErrorCode, string]> = {
  400: ['bad_request', 'The request is malformed.'],
  403: ['not_found', 'There is nothing at this address.'],
  404: ['not_found', 'There is nothing at this address.'],
  412: ['precondition_failed', 'The current version does not match the condition.'],
  413: ['too_large', 'The body is too large.'],
  415: ['unsupported_type', 'The encoding of the body is not supported.'],
  416: ['range_not_satisfiable', 'The range is outside the file.'],
};

function fromExpress(error: unknown): AppError | undefined {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : undefined;
  const codeAndText = status === undefined ? undefined : EXPRESS_ERRORS[status];
  return codeAndText && new AppError(...codeAndText);
}

export const UNKNOWN_FIELD = 'is not a known field';

/** Maximum number of listed errors: a list may have thousands of faults. */
const MAX_FIELD_ERRORS = 100;

/** Converts zod's issues to fields such as `tracks.0.title`. `input` is the parsed value. */
export const toFields = (error: z.ZodError, input?: unknown): FieldError[] =>
  error.issues
    .slice(0, MAX_FIELD_ERRORS)
    .flatMap((issue) => toFieldErrors(issue, input))
    .slice(0, MAX_FIELD_ERRORS);

function toFieldErrors(issue: z.core.$ZodIssue, input: unknown, parentPath: PropertyKey[] = []): FieldError[] {
  const path = [...parentPath, ...issue.path];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ field: [...path, key].join('.'), message: UNKNOWN_FIELD }));
  const branch = issue.code === 'invalid_union' ? likelyBranch(issue.errors) : undefined;
  if (branch) return branch.flatMap((innerIssue) => toFieldErrors(innerIssue, input, path));
  const receivedText = path.some((name) => SECRET_NAME.test(String(name)))
    ? undefined
    : toReceivedText(valueAt(input, path));
  return [
    {
      field: path.join('.') || 'body',
      message: issue.message,
      ...(receivedText !== undefined && { received: receivedText }),
    },
  ];
}

const SECRET_NAME = /pass|token|secret|key/i;
const MAX_RECEIVED_CHARACTERS = 60;

/** Returns the received value as text; undefined for a missing value, and for objects and lists. */
function toReceivedText(value: unknown): string | undefined {
  if (value === undefined || (typeof value === 'object' && value !== null)) return undefined;
  const text = JSON.stringify(value);
  return text.length > MAX_RECEIVED_CHARACTERS ? `${text.slice(0, MAX_RECEIVED_CHARACTERS)}…` : text;
}

/** Returns the value at a path; undefined when the path does not exist. */
export const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name)
        ? (inner as Record<PropertyKey, unknown>)[name]
        : undefined,
    value,
  );

/** Returns the issues of the most likely branch of a union: the one with the fewest unknown fields and errors. */
export function likelyBranch(branches: z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const faultScore = (issues: z.core.$ZodIssue[]): number =>
    issues.reduce(
      (sum, issue) =>
        sum + (issue.code === 'unrecognized_keys' ? 10 * issue.keys.length : issue.path.length === 0 ? 100 : 1),
      0,
    );
  return branches
    .toSorted((a, b) => faultScore(a) - faultScore(b))
    .find((issues) => issues.some((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys'));
}

/** Headers that describe the bytes that the error replaces, so they are removed. */
const CONTENT_HEADERS = [
  'ETag',
  'Last-Modified',
  'Content-Encoding',
  'Content-Disposition',
  'Content-Length',
  'Accept-Ranges',
];

function sendProblem(res: Response, error: unknown): ProblemOut {
  const { problem, headers } = toProblem(error);
  for (const name of CONTENT_HEADERS) res.removeHeader(name);
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
    const { isUnexpected, problem } = toProblem(error);
    if (isUnexpected || problem.status >= 500) res.locals['error'] = error;
    if (res.headersSent) {
      log.debug({ request_id: res.locals['requestId'] as string, err: error }, 'response cut short');
      return void req.destroy();
    }
    sendProblem(res, error);
  };
}
