// Reads pages of lists without blocking the event loop: cheap pages in the calling thread, all others in a thread with
// its own connection (lists-worker.ts). Both threads run page-ids.ts; the worker keeps the ids of lists whose pages are
// slow.
import { createReaderThread } from '../../db/reader-thread.ts';
import type { Page } from '../../http/paging.ts';
import type { NewIdList } from './list-definition.ts';
import { createIdLists, type IdPage } from './page-ids.ts';
import type { ListAnswer, ListQuestion, VersionedPage } from './lists-worker.ts';
import type { Params, Statements } from './statement-cache.ts';

/** Runs a statement in the thread and returns the first column. */
export type ReadAside = <T extends number | string = number>(sql: string, params: Params) => Promise<T[]>;

export type ListThread = ReturnType<typeof createListThread>;

/** An idle thread ends after this time and frees its caches. */
const IDLE_MS = 5 * 60_000;

/** Every method throws `unavailable` when the thread does not answer. */
export function createListThread(files: { workerUrl: URL; databasePath: string }) {
  const { ask, close } = createReaderThread<ListQuestion, ListAnswer>({
    ...files,
    failure: 'The list could not be read',
    idleMs: IDLE_MS,
  });
  return {
    page: async (list: NewIdList, page: Page): Promise<VersionedPage> => (await ask({ list, page })) as VersionedPage,
    readAside: (async <T extends number | string = number>(sql: string, params: Params) =>
      (await ask({ sql, params })) as T[]) satisfies ReadAside,
    close,
  };
}

interface ListingDeps {
  statements: Statements;
  /** Without a thread, all pages are read by the caller. */
  thread?: Pick<ListThread, 'page'> | undefined;
  cheapUs?: number;
}

export function createListing({ thread, ...deps }: ListingDeps) {
  const lists = createIdLists(deps);

  async function page(list: NewIdList, page: Page): Promise<IdPage> {
    if (!thread) return lists.page(list, page);
    const cheapPage = lists.readIfCheap(list, page);
    if (cheapPage) return cheapPage;
    const { version, ...idPage } = await thread.page(list, page);
    lists.noteTotal(list, version, idPage.total);
    return idPage;
  }

  return { page };
}
