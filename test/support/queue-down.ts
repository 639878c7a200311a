import type { TestServer } from './server.ts';

/** Runs a request while the job queue accepts no jobs. */
export async function whileQueueIsDown<T>({ app: { db } }: TestServer, request: () => Promise<T>): Promise<T> {
  db.$client.exec("CREATE TEMP TRIGGER refuse_jobs BEFORE INSERT ON jobs BEGIN SELECT raise(ABORT, 'no jobs'); END");
  try {
    return await request();
  } finally {
    db.$client.exec('DROP TRIGGER refuse_jobs');
  }
}
