import { AppError } from '../errors.ts';

/** The command line is wrong, whatever the state of the library: the exit code is 2. */
export class UsageError extends AppError {
  constructor(detail: string, options: { cause?: unknown } = {}) {
    super('bad_request', detail, options);
  }
}
