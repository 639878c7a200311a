// Lists that clients read page by page, by offset. Rows that come and go between two pages must not push others over
// the edge of a page, so what a client was given keeps its place: the first page is remembered by its ids, and with the
// second one the rest of the list. Rows that are gone leave no gaps, since a short page means the end to clients.
import { hash } from 'node:crypto';
import type { Page } from '../http/paging.ts';
import type { Call } from './endpoint.ts';

/** A page of a list, and the total where it is known. */
export interface Ids {
  ids: readonly number[];
  total?: number;
}

interface KeptList {
  /** As far as known: all, or the first page. */
  ids: Int32Array;
  isWhole: boolean;
  /** Nothing before it moves any more. */
  given: number;
  /** Whether the first page was given: it begins a new copy. */
  isBegun: boolean;
  usedAt: number;
}

export interface ListSource {
  /** User, app and what they asked for. */
  key: string;
  read: (page: Page) => Promise<Ids>;
  /** Those of the ids that are still there, in order. */
  there: (ids: readonly number[]) => number[];
}

const KEPT_MS = 5 * 60_000;
/** Clients that read several pages at once may ask for the first one last. */
const AT_ONCE_MS = 10_000;
/** Four bytes each. */
const MOST_IDS = 2_000_000;
/** Callers name themselves, and may ask for anything. */
const MOST_LISTS = 1_000;
const ALL: Page = { limit: 10_000_000, offset: 0 };

export type SteadyLists = ReturnType<typeof createSteadyLists>;

export function createSteadyLists({ now = () => performance.now() }: { now?: () => number } = {}) {
  /** Those that were used last are at the end. */
  const lists = new Map<string, KeptList>();
  const busy = new Map<string, Promise<undefined>>();
  let forgetting: NodeJS.Timeout | undefined;

  function keep(key: string, list: KeptList): void {
    lists.delete(key);
    lists.set(key, list);
    let held = [...lists.values()].reduce((sum, { ids }) => sum + ids.length, 0);
    for (const [other, { ids, usedAt }] of lists) {
      if (held <= MOST_IDS && lists.size <= MOST_LISTS && now() - usedAt < KEPT_MS) break;
      lists.delete(other);
      held -= ids.length;
    }
    clearTimeout(forgetting);
    forgetting = setTimeout(() => lists.clear(), KEPT_MS).unref();
  }

  async function whole(known: KeptList | undefined, { read }: ListSource): Promise<KeptList> {
    const all = await read(ALL);
    const first = known?.ids ?? new Int32Array();
    const given = new Set(first);
    const ids = Int32Array.from([...first, ...all.ids.filter((id) => !given.has(id))]);
    return { ids, isWhole: true, given: first.length, isBegun: known !== undefined, usedAt: now() };
  }

  async function page(source: ListSource, { limit, offset }: Page): Promise<Ids> {
    const { key, read, there } = source;
    const found = lists.get(key);
    const known = found && now() - found.usedAt < KEPT_MS ? found : undefined;
    const isBeside = known?.isBegun === false && now() - known.usedAt < AT_ONCE_MS;
    if (limit === 0) return read({ limit, offset }); // of the kinds of a search that are not wanted
    if (offset === 0 && !isBeside) {
      const first = await read({ limit, offset });
      const ids = Int32Array.from(first.ids);
      if (ids.length === limit) keep(key, { ids, isWhole: false, given: limit, isBegun: true, usedAt: now() });
      else lists.delete(key);
      return first;
    }
    const list = known?.isWhole ? known : await whole(known, source);
    const end = offset + limit;
    for (;;) {
      const asked = [...list.ids.subarray(offset, end)];
      const left = there(asked);
      const stays = new Set(left);
      const gone = new Set(asked.filter((id) => !stays.has(id)));
      const settled = list.given;
      const isLeft = (id: number, at: number): boolean => at < settled || !gone.has(id);
      const ids = gone.size === 0 ? list.ids : list.ids.filter(isLeft);
      if (ids.length === list.ids.length) {
        list.given = Math.max(list.given, Math.min(end, ids.length));
        list.isBegun ||= offset === 0;
        list.usedAt = now();
        keep(key, list);
        return { ids: left, total: list.ids.length };
      }
      list.ids = ids;
    }
  }

  return {
    /** One page of a list after the other, in the order in which they are asked for. */
    page(source: ListSource, asked: Page): Promise<Ids> {
      const { key } = source;
      const answer = (busy.get(key) ?? Promise.resolve()).then(() => page(source, asked));
      const done = answer.then(
        () => undefined,
        () => undefined, // told to whoever asked
      );
      busy.set(key, done);
      void done.then(() => busy.get(key) === done && busy.delete(key));
      return answer;
    },
  };
}

/** Of what a caller asks for by these parameters; two phones of a person have addresses of their own. */
export const keyOf = ({ user, req, client, params }: Call, name: string, by: readonly string[]): string =>
  hash('sha256', JSON.stringify([user.id, req.ip, client, name, ...by.map((param) => params.text(param))]));
