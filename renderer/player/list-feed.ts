// Continues the queue with a list of any length: rows are fetched before those in the queue run out.
import { newOf, orNull, queryOf, rowsWanted, type ListRows } from './list-rest.ts';
import type { ListRest, PlayerState, QueueEntry, QueueTrack } from './player.ts';

interface ListFeedOptions {
  getState: () => PlayerState;
  update: (change: Pick<PlayerState, 'queue' | 'index' | 'rest'>) => void;
  toEntries: (tracks: readonly QueueTrack[]) => QueueEntry[];
  fetchRows: (query: object, rows: ListRows) => Promise<QueueTrack[]>;
}

export class ListFeed {
  readonly #options: ListFeedOptions;
  #going: Promise<boolean> | undefined;

  constructor(options: ListFeedOptions) {
    this.#options = options;
  }

  /** Fetches more rows if they are needed; resolves to true if the queue has more entries afterwards. */
  goOn(isForced = false): Promise<boolean> {
    const state = this.#options.getState();
    const nextRows = state.rest && rowsWanted(state, state.rest, isForced);
    if (!state.rest || !nextRows) return Promise.resolve(false);
    this.#going ??= this.#addRows(state.rest, nextRows).finally(() => {
      this.#going = undefined;
    });
    return this.#going;
  }

  async #addRows(requestedRest: ListRest, wantedRows: NonNullable<ReturnType<typeof rowsWanted>>): Promise<boolean> {
    const { getState, update, toEntries, fetchRows } = this.#options;
    const { rest, isBefore, offset, limit } = wantedRows;
    const rows = await fetchRows(queryOf(rest), { offset, limit }).catch(() => null);
    const { rest: now, queue, index } = getState();
    // another list is playing now, or the server was not reached: the next track fetches again
    if (
      rows === null ||
      !now ||
      now.query !== requestedRest.query ||
      now.seed !== requestedRest.seed ||
      now.next !== requestedRest.next
    )
      return false;
    const end = isBefore || rows.length === limit ? rest.end : offset + rows.length;
    const remainingList = {
      ...rest,
      without: now.without,
      end,
      ...(isBefore ? { first: offset } : { next: offset + limit }),
    };
    const entries = toEntries(newOf(rows, queue, remainingList));
    const lowest = Math.min(...queue.map(({ order }) => order));
    update({
      queue: isBefore
        ? [...entries.map((entry, i) => ({ ...entry, order: lowest - entries.length + i })), ...queue]
        : [...queue, ...entries],
      index: isBefore ? index + entries.length : index,
      rest: orNull(remainingList),
    });
    return entries.length > 0 && !isBefore;
  }
}
