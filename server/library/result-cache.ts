// Caches query results until something they depend on is written, according to change_counts, which triggers maintain
// per topic: a like does not invalidate what only depends on tracks.
import type { Statements, Topic } from './statement-cache.ts';

export function createResultCache<T>(statements: Statements, most: number) {
  const answers = new Map<string, { version: string; answer: T }>();

  function find(topics: readonly Topic[], key: string): T | undefined {
    const kept = answers.get(key);
    if (kept === undefined || topics.includes('files') || kept.version !== statements.version(topics)) return undefined;
    answers.delete(key); // move to the end: the least recently used entry is evicted first
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
      if (!topics.includes('files')) put(key, version, answer);
      return answer;
    },
  };
}
