// Puts a job on hold that was running when the process ended twice in a row without an ordinary stop: the job may be
// the cause, and would end the process again at every start.
import type { jobs } from '../db/schema.ts';

export const MAX_CRASHES = 2;

/** The error of a job that was put on hold. */
export const PUT_ASIDE_MESSAGE =
  'This job is on hold because it crashed the server twice. It will not restart automatically.';

export const isPutAside = ({ status, crashes }: Pick<typeof jobs.$inferSelect, 'status' | 'crashes'>): boolean =>
  status === 'failed' && crashes >= MAX_CRASHES;
