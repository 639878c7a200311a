// What smart playlists hold. An answer is kept until anything in the database changes; the same question asked twice at
// once is one.
import type { MainDb } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import { rulesQuery } from './rules-sql.ts';
import type { Rules } from './rules.ts';
import type { SmartThread } from './smart-thread.ts';
import type { SmartFound } from './smart-worker.ts';

/** Ids in all kept answers together: 16 MB. */
const MOST_KEPT = 4_000_000;
const MOST_ANSWERS = 200;
/** "In the last 7 days" means the same for a minute, so that answers can be kept. */
const MINUTE_MS = 60_000;

export interface SmartDeps {
  db: MainDb;
  thread: Pick<SmartThread, 'find'>;
  now: () => Date;
}

export type SmartLists = ReturnType<typeof createSmartLists>;

export function createSmartLists({ db, thread, now }: SmartDeps) {
  /** Another text whenever anything was written, by this connection or another. */
  const versionOf = db.$client
    .prepare<[], string>("SELECT total_changes() || ':' || (SELECT data_version FROM pragma_data_version)")
    .pluck();
  const answers = new Map<string, Promise<SmartFound>>();
  let kept = 0;
  let keptOf = '';

  function keep(key: string, version: string, answer: Promise<SmartFound>): void {
    answers.set(key, answer);
    answer.then(
      ({ ids }) => {
        if (version !== keptOf) return;
        kept += ids.length;
        if (kept > MOST_KEPT) forget(keptOf);
      },
      () => answers.delete(key),
    );
  }

  function forget(version: string): void {
    answers.clear();
    kept = 0;
    keptOf = version;
  }

  return {
    /** Ids of the tracks that fit, in order, and how long they last. `ownerId`: whose likes and plays count. */
    find(ownerId: UserId, rules: Rules): Promise<SmartFound> {
      const minute = new Date(Math.floor(now().getTime() / MINUTE_MS) * MINUTE_MS);
      const query = rulesQuery(rules, { userId: ownerId, now: minute });
      const version = versionOf.get() ?? '';
      if (version !== keptOf || answers.size >= MOST_ANSWERS) forget(version);
      const key = JSON.stringify(query);
      const known = answers.get(key);
      if (known) return known;
      const answer = thread.find(query);
      keep(key, version, answer);
      return answer;
    },
  };
}
