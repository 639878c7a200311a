// Answers that took work, kept until something is written that they depend on. Whether that happened is read from
// change_counts, which triggers keep: a like does not take back what is known of the tracks.
import type { Statements, Topic } from './statements.ts';

export type ResultCache<T> = ReturnType<typeof createResultCache<T>>;

export function createResultCache<T>(statements: Statements, most: number) {
  const answers = new Map<string, { version: string; answer: T }>();

  function find(topics: readonly Topic[], key: string): T | undefined {
    const kept = answers.get(key);
    if (kept === undefined || kept.version !== statements.version(topics)) return undefined;
    answers.delete(key); // to the end: the one that was not asked for longest goes first
    answers.set(key, kept);
    return kept.answer;
  }

  function put(key: string, version: string, answer: T): void {
    answers.delete(key);
    if (answers.size >= most) answers.delete(answers.keys().next().value as string);
    answers.set(key, { version, answer });
  }

  return {
    find,
    put,
    get(topics: readonly Topic[], key: string, make: () => T): T {
      const known = find(topics, key);
      if (known !== undefined) return known;
      const version = statements.version(topics);
      const answer = make();
      put(key, version, answer);
      return answer;
    },
  };
}
