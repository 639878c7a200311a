// Caches query results until something they depend on is written, according to change_counts, which triggers maintain
// per topic: a like does not invalidate what only depends on tracks. Some results are mended then.
import type { Change, Statements, Topic } from './statement-cache.ts';

/** Brings a result up to date; undefined where it has to be read again. It may change the one that it is given. */
export type Mend<T> = (kept: T, changes: readonly Change[]) => T | undefined;

export function createResultCache<T>(statements: Statements, most: number) {
  const answers = new Map<string, { version: string; answer: T }>();

  function find(topics: readonly Topic[], key: string, mend?: Mend<T>): T | undefined {
    const kept = answers.get(key);
    if (kept === undefined || topics.includes('files')) return undefined;
    if (kept.version !== statements.version(topics)) return mend && statements.atOnce(() => mended(topics, key, mend));
    answers.delete(key); // move to the end: the least recently used entry is evicted first
    answers.set(key, kept);
    return kept.answer;
  }

  function mended(topics: readonly Topic[], key: string, mend: Mend<T>): T | undefined {
    const kept = answers.get(key);
    const changes = kept && statements.changesSince(kept.version, topics);
    const answer = changes && mend(kept.answer, changes);
    if (answer !== undefined) put(key, statements.version(topics), answer);
    return answer;
  }

  function put(key: string, version: string, answer: T): void {
    answers.delete(key);
    if (answers.size >= most) answers.delete(answers.keys().next().value as string);
    answers.set(key, { version, answer });
  }

  return {
    find,
    put,
    /** There is a result, and what was written since is known, and no more than that. */
    isNearlyKnown(topics: readonly Topic[], key: string, most: number): boolean {
      const kept = answers.get(key);
      const changes = kept && statements.changesSince(kept.version, topics);
      return changes !== undefined && changes.length <= most;
    },
    get(topics: readonly Topic[], key: string, make: () => T, mend?: Mend<T>): T {
      const known = find(topics, key, mend);
      if (known !== undefined) return known;
      const version = statements.version(topics);
      const answer = make();
      if (!topics.includes('files')) put(key, version, answer);
      return answer;
    },
  };
}
