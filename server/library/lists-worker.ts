// The thread that reads what lists need more than a moment for: totals over filters that no table counts, and pages far
// from the beginning.
import { answerQuestions } from '../db/reader-loop.ts';
import type { Page } from '../http/paging.ts';
import type { NewIdList } from './id-list.ts';
import { createIdLists, type IdPage } from './id-lists.ts';
import { createResultCache } from './result-cache.ts';
import { createStatements, TOPICS, type Params } from './statements.ts';

/** `ahead`: its other pages may be asked for next. `sql`: for its first column. */
export type ListQuestion = { list: NewIdList; page: Page } | { ahead: NewIdList } | { sql: string; params: Params };
/** `version`: what the total holds for. */
export interface VersionedPage extends IdPage {
  version: string;
}
export type ListAnswer = VersionedPage | number[] | undefined;

const KEEP_ASIDES = 50;
/** Nobody waits for this thread, so it only waits until it is clear that no scan is writing. */
const QUIET_MS = 200;

answerQuestions<ListQuestion, ListAnswer>((client) => {
  const statements = createStatements(client);
  const lists = createIdLists({ client, statements, quietMs: QUIET_MS });
  const asides = createResultCache<number[]>(statements, KEEP_ASIDES);
  return (question) => {
    if ('sql' in question)
      return asides.get(TOPICS, JSON.stringify(question), () =>
        statements.column<number>(question.sql, question.params),
      );
    if ('ahead' in question) {
      lists.readAhead(question.ahead);
      return undefined;
    }
    const version = lists.versionOf(question.list); // before, so that nothing newer is passed over
    return { ...lists.page(question.list, question.page), version };
  };
});
