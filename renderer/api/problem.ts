// The error of a request: problem+json (RFC 9457) from the server, or status 0 if the server was not reached.

interface FieldError {
  field: string;
  message: string;
}

export class ApiError extends Error {
  readonly status: number;
  /** A message for the user. */
  readonly detail: string;
  readonly fields: readonly FieldError[];

  constructor(status: number, detail: string, fields: readonly FieldError[] = []) {
    super(detail);
    this.name = 'ApiError';
    this.status = status;
    this.detail = detail;
    this.fields = fields;
  }

  field(name: string): string | undefined {
    return this.fields.find((error) => error.field === name)?.message;
  }
}

export const isUnreachable = (error: unknown): boolean => error instanceof ApiError && error.status === 0;

/** Returns the message of any error. */
export const detailOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export function parseProblem(status: number, statusText: string, body: unknown): ApiError {
  const problem = (typeof body === 'object' && body !== null ? body : {}) as {
    title?: unknown;
    detail?: unknown;
    errors?: unknown;
  };
  const words = [problem.detail, problem.title, statusText].find((text) => typeof text === 'string' && text !== '');
  const fields = Array.isArray(problem.errors) ? problem.errors.filter(isFieldError) : [];
  return new ApiError(status, typeof words === 'string' ? words : String(status), fields);
}

const isFieldError = (value: unknown): value is FieldError =>
  typeof value === 'object' &&
  value !== null &&
  'field' in value &&
  'message' in value &&
  typeof value.field === 'string' &&
  typeof value.message === 'string';

/** Returns whether the server does not have the requested item. */
export const isAbsent = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
