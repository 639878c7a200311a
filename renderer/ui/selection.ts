// Which rows of a list are chosen. Chosen one by one they are known by their ids, so they stay chosen while the list
// changes under them; "all" is everything that the list holds at the time something is done with it, which also works
// for a million rows. Pure.

export type Selection =
  | { readonly all: false; readonly ids: ReadonlySet<number> }
  /** Everything but these. */
  | { readonly all: true; readonly except: ReadonlySet<number> };

export const NOTHING: Selection = { all: false, ids: new Set() };
export const EVERYTHING: Selection = { all: true, except: new Set() };

export const isChosen = (selection: Selection, id: number): boolean =>
  selection.all ? !selection.except.has(id) : selection.ids.has(id);

export const countChosen = (selection: Selection, total: number): number =>
  selection.all ? Math.max(0, total - selection.except.size) : selection.ids.size;

export const choose = (ids: Iterable<number>): Selection => ({ all: false, ids: new Set(ids) });

/** These as well (or, with `on` false, these not); everything else stays as it is. */
export function withRows(selection: Selection, ids: Iterable<number>, on: boolean): Selection {
  const marked = new Set(selection.all ? selection.except : selection.ids);
  const isMarked = selection.all ? !on : on;
  for (const id of ids) {
    if (isMarked) marked.add(id);
    else marked.delete(id);
  }
  return selection.all ? { all: true, except: marked } : { all: false, ids: marked };
}

export const toggled = (selection: Selection, id: number): Selection =>
  withRows(selection, [id], !isChosen(selection, id));
