import { AppError } from '../errors.ts';

/** Thrown when the command line is wrong, whatever the state of the library. The exit code is 2. */
export class UsageError extends AppError {
  constructor(detail: string, options: { cause?: unknown } = {}) {
    super('bad_request', detail, options);
  }
}
