// Evaluates smart playlists. Results are cached until anything in the database changes, and simultaneous equal queries
// share one evaluation.
import type { MainDb } from '../db/client.ts';
import { dataVersionOf } from '../db/data-version.ts';
import type { UserId } from '../db/ids.ts';
import { createReaderThread } from '../db/reader-thread.ts';
import { rulesQuery, type SmartQuery } from './rules-sql.ts';
import type { Rules } from './rules.ts';
import type { SmartResult } from './smart-worker.ts';

/** Maximum number of ids in all cached results together, which take 16 MB. */
const MAX_CACHED_IDS = 4_000_000;
const MAX_CACHED_ANSWERS = 200;
/** Relative times such as "in the last 7 days" are computed by the minute, so that results can be cached. */
const MINUTE_MS = 60_000;

export interface SmartThread {
  /**
   * Runs a query in the thread. Throws `unavailable` if too many queries are waiting or the database cannot be read.
   */
  find(query: SmartQuery): Promise<SmartResult>;
  close(): Promise<void>;
}

export function createSmartThread(files: { workerUrl: URL; databasePath: string }): SmartThread {
  const { ask, close } = createReaderThread<SmartQuery, SmartResult>({
    ...files,
    failure: 'The smart playlist could not be evaluated',
  });
  return { find: ask, close };
}

interface SmartDeps {
  db: MainDb;
  thread: Pick<SmartThread, 'find'>;
  now: () => Date;
}

export type SmartLists = ReturnType<typeof createSmartLists>;

export function createSmartLists({ db, thread, now }: SmartDeps) {
  const dataVersion = dataVersionOf(db.$client);
  const answers = new Map<string, Promise<SmartResult>>();
  let cachedIdCount = 0;
  let cachedVersion = '';

  function cacheAnswer(key: string, version: string, answer: Promise<SmartResult>): void {
    answers.set(key, answer);
    answer.then(
      ({ ids }) => {
        if (version !== cachedVersion) return;
        cachedIdCount += ids.length;
        if (cachedIdCount > MAX_CACHED_IDS) clearCache(cachedVersion);
      },
      () => answers.delete(key),
    );
  }

  function clearCache(version: string): void {
    answers.clear();
    cachedIdCount = 0;
    cachedVersion = version;
  }

  return {
    /**
     * Returns the matching track ids in order, and their total duration. `ownerId` is the user whose likes and plays
     * count. Throws `unavailable`.
     */
    find(ownerId: UserId, rules: Rules): Promise<SmartResult> {
      const minute = new Date(Math.floor(now().getTime() / MINUTE_MS) * MINUTE_MS);
      const query = rulesQuery(rules, { userId: ownerId, now: minute });
      const version = dataVersion.current();
      if (version !== cachedVersion || answers.size >= MAX_CACHED_ANSWERS) clearCache(version);
      const key = JSON.stringify(query);
      const cachedAnswer = answers.get(key);
      if (cachedAnswer) return cachedAnswer;
      const answer = thread.find(query);
      cacheAnswer(key, version, answer);
      return answer;
    },
  };
}
