// Selected rows of a list. Rows selected one by one are kept by id, so they stay selected while the list changes; "all"
// means everything in the list when an action runs, which also works for a million rows. Pure.

/** Selections with more rows are not looked up one by one. */
export const MAX_SELECTED_ROWS = 10_000;

export type Selection =
  | { readonly all: false; readonly ids: ReadonlySet<number> }
  /** Everything except these ids. */
  | { readonly all: true; readonly except: ReadonlySet<number> };

export const EMPTY_SELECTION: Selection = { all: false, ids: new Set() };
export const EVERYTHING: Selection = { all: true, except: new Set() };

export const isChosen = (selection: Selection, id: number): boolean =>
  selection.all ? !selection.except.has(id) : selection.ids.has(id);

export const countChosen = (selection: Selection, total: number): number =>
  selection.all ? Math.max(0, total - selection.except.size) : selection.ids.size;

export const choose = (ids: Iterable<number>): Selection => ({ all: false, ids: new Set(ids) });

/** Selects these rows (deselects them if `on` is false); the rest of the selection stays. */
export function withRows(selection: Selection, ids: Iterable<number>, isAdded: boolean): Selection {
  const markedIds = new Set(selection.all ? selection.except : selection.ids);
  const isMarked = selection.all ? !isAdded : isAdded;
  for (const id of ids) {
    if (isMarked) markedIds.add(id);
    else markedIds.delete(id);
  }
  return selection.all ? { all: true, except: markedIds } : { all: false, ids: markedIds };
}

export const toggled = (selection: Selection, id: number): Selection =>
  withRows(selection, [id], !isChosen(selection, id));
