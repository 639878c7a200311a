// The thread of smart-worker.ts as the room sees it.
import { createReaderThread } from '../db/reader-thread.ts';
import type { SmartQuery } from './rules-sql.ts';
import type { SmartFound } from './smart-worker.ts';

export interface SmartThread {
  /** Throws `unavailable` when too many are waiting or the database cannot be read. */
  find(query: SmartQuery): Promise<SmartFound>;
  close(): Promise<void>;
}

export function createSmartThread(files: { workerUrl: URL; databasePath: string }): SmartThread {
  const { ask, close } = createReaderThread<SmartQuery, SmartFound>({
    ...files,
    failure: 'The smart playlist could not be worked out',
  });
  return { find: ask, close };
}
