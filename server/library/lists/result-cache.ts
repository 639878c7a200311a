// Caches query results until data that they depend on is written, according to change_counts, which triggers maintain
// per topic: a like does not invalidate what only depends on tracks.
import type { Statements, Topic } from './statement-cache.ts';

export function createResultCache<T>(statements: Statements, maxEntries: number) {
  const answers = new Map<string, { version: string; answer: T }>();

  function findFresh(topics: readonly Topic[], key: string): T | undefined {
    const entry = answers.get(key);
    if (entry === undefined || topics.includes('files') || entry.version !== statements.version(topics))
      return undefined;
    answers.delete(key); // moves the entry to the end: the least recently used entry is evicted first
    answers.set(key, entry);
    return entry.answer;
  }

  function putResult(key: string, version: string, answer: T): void {
    answers.delete(key);
    if (answers.size >= maxEntries) answers.delete(answers.keys().next().value as string);
    answers.set(key, { version, answer });
  }

  return {
    find: findFresh,
    put: putResult,
    get(topics: readonly Topic[], key: string, compute: () => T): T {
      const cachedAnswer = findFresh(topics, key);
      if (cachedAnswer !== undefined) return cachedAnswer;
      const version = statements.version(topics);
      const answer = compute();
      if (!topics.includes('files')) putResult(key, version, answer);
      return answer;
    },
  };
}
