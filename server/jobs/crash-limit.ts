// A job that was running at two ends of the process in a row, neither of which was an ordinary stop, is put aside: it
// may be what ended it, and would end it again at every start.
import type { jobs } from '../db/schema.ts';

export const MAX_CRASHES = 2;

/** The error of such a job. */
export const PUT_ASIDE_MESSAGE =
  'This job is on hold because it crashed the server twice. It will not restart automatically.';

export const isPutAside = ({ status, crashes }: Pick<typeof jobs.$inferSelect, 'status' | 'crashes'>): boolean =>
  status === 'failed' && crashes >= MAX_CRASHES;
