// Pages of lists without keeping anybody waiting: what takes a moment is read here, anything else by a thread with a
// connection of its own (lists-worker.ts). Both run id-lists.ts; what it keeps in memory for deep pages is kept over
// there.
import type { Sqlite } from '../db/client.ts';
import { createReaderThread } from '../db/reader-thread.ts';
import type { Page } from '../http/paging.ts';
import type { NewIdList } from './id-list.ts';
import { createIdLists, type IdPage } from './id-lists.ts';
import type { ListAnswer, ListQuestion, VersionedPage } from './lists-worker.ts';
import type { Params, Statements } from './statements.ts';

/** The first column of what a statement finds. */
export type ReadAside = (sql: string, params: Params) => Promise<number[]>;

export type ListThread = ReturnType<typeof createListThread>;

/** What it keeps in memory goes with it. */
const IDLE_MS = 5 * 60_000;

/** All throw `unavailable`. */
export function createListThread(files: { workerUrl: URL; databasePath: string }) {
  const { ask, close } = createReaderThread<ListQuestion, ListAnswer>({
    ...files,
    failure: 'The list could not be read',
    idleMs: IDLE_MS,
  });
  return {
    page: async (list: NewIdList, page: Page): Promise<VersionedPage> => (await ask({ list, page })) as VersionedPage,
    /** Its other pages may be asked for next. */
    readAhead: async (list: NewIdList): Promise<void> => void (await ask({ ahead: list })),
    readAside: (async (sql, params) => (await ask({ sql, params })) as number[]) satisfies ReadAside,
    close,
  };
}

export interface ListingDeps {
  client: Sqlite;
  statements: Statements;
  /** Without one everything is read here. */
  thread?: Pick<ListThread, 'page' | 'readAhead'> | undefined;
  cheapUs?: number;
}

/** Lists of which it is remembered that the thread was told of them. */
const KEEP_TOLD = 20;

export function createListing({ thread, ...deps }: ListingDeps) {
  const lists = createIdLists(deps);
  const told = new Map<string, string>();

  async function page(list: NewIdList, page: Page): Promise<IdPage> {
    if (!thread) return lists.page(list, page);
    const near = lists.near(list, page);
    if (near) {
      if (lists.isLong(list, near.total)) tell(list);
      return near;
    }
    const { version, ...found } = await thread.page(list, page);
    lists.noteTotal(list, version, found.total);
    return found;
  }

  /** Somebody looks at its beginning, and may want its middle next. */
  function tell({ itemType, userId, order }: NewIdList): void {
    const list: NewIdList = { itemType, userId, order, filters: [] };
    const key = JSON.stringify(list);
    const version = deps.statements.version();
    if (told.get(key) === version) return;
    if (told.size >= KEEP_TOLD) told.clear();
    told.set(key, version);
    thread?.readAhead(list).catch(() => told.delete(key)); // it is read when it is asked for
  }

  return { page };
}
