// The thread for slow list queries: totals of filters that no table counts, and deep pages.
import { answerFromDatabase } from '../../db/reader-loop.ts';
import type { Page } from '../../http/paging.ts';
import type { NewIdList } from './list-definition.ts';
import { createIdLists, type IdPage } from './page-ids.ts';
import { createResultCache } from './result-cache.ts';
import { createStatements, TOPICS, type Params } from './statement-cache.ts';

/** A question to the thread: the page of a list, or `sql`, a statement whose first column is the answer. */
export type ListQuestion = { list: NewIdList; page: Page } | { sql: string; params: Params };
/** A page with `version`, the state of the database at which its total was counted. */
export interface VersionedPage extends IdPage {
  version: string;
}
export type ListAnswer = VersionedPage | (number | string)[];

const MAX_CACHED_QUERIES = 50;

answerFromDatabase<ListQuestion, ListAnswer>((client) => {
  const statements = createStatements(client);
  const lists = createIdLists({ statements });
  const queryResults = createResultCache<(number | string)[]>(statements, MAX_CACHED_QUERIES);
  return (question) => {
    if ('sql' in question)
      return queryResults.get(TOPICS, JSON.stringify(question), () =>
        statements.column<number | string>(question.sql, question.params),
      );
    // the version is read first, so that a write in the meantime makes it outdated
    const version = lists.versionOf(question.list);
    return { ...lists.page(question.list, question.page), version };
  };
});
