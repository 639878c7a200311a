import type { TestServer } from './server.ts';

/** Runs `ask` while the job queue takes no jobs. */
export async function whileQueueIsDown<T>({ app: { db } }: TestServer, ask: () => Promise<T>): Promise<T> {
  db.$client.exec('ALTER TABLE jobs RENAME TO hidden');
  try {
    return await ask();
  } finally {
    db.$client.exec('ALTER TABLE hidden RENAME TO jobs');
  }
}
