// The visible columns of a table, their order and widths. The layout is stored in the browser, and validated on
// reading, because an older version may have written it. Pure except for the hook.
import { asJson, isRecord, storedChoice, type StoredChoice } from '../../../stored-choice.ts';
import type { Column } from '../../../ui/lists/virtual-table.tsx';

export interface ColumnLayout {
  /** Column ids in order; unlisted columns come last. */
  order: readonly string[];
  /** Visibility of the columns for which it differs from the default. */
  shown: Readonly<Record<string, boolean>>;
  /** CSS pixels. */
  widths: Readonly<Record<string, number>>;
}

export interface ChoosableColumn<T> extends Column<T> {
  /** The column is always visible, at a fixed position. */
  fixed?: boolean;
  /** The column is hidden by default. */
  extra?: boolean;
}

export const NO_LAYOUT: ColumnLayout = { order: [], shown: {}, widths: {} };

const entriesOf = <T>(value: unknown, isValid: (candidate: unknown) => candidate is T): Record<string, T> =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).filter((pair): pair is [string, T] => isValid(pair[1])),
  );
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isWidth = (value: unknown): value is number => typeof value === 'number' && value >= 40 && value <= 1_000;

export function readLayout(storedLayout: unknown): ColumnLayout | undefined {
  if (!isRecord(storedLayout)) return undefined;
  const order = Array.isArray(storedLayout['order'])
    ? storedLayout['order'].filter((id): id is string => typeof id === 'string')
    : [];
  return {
    order,
    shown: entriesOf(storedLayout['shown'], isBoolean),
    widths: entriesOf(storedLayout['widths'], isWidth),
  };
}

export const isColumnShown = (
  layout: ColumnLayout,
  { id, fixed, extra }: Pick<ChoosableColumn<never>, 'id' | 'fixed' | 'extra'>,
): boolean => fixed === true || (layout.shown[id] ?? !extra);

/** Returns all columns in order; fixed columns keep their position. */
export function inOrder<T extends Pick<ChoosableColumn<never>, 'id' | 'fixed'>>(
  columns: readonly T[],
  { order }: ColumnLayout,
): T[] {
  const place = (column: T) =>
    order.includes(column.id) ? order.indexOf(column.id) : order.length + columns.indexOf(column);
  const movable = columns.filter((column) => !column.fixed).sort((a, b) => place(a) - place(b));
  return columns.map((column) => (column.fixed ? column : movable.shift()!));
}

/** Returns the visible columns of the table, according to the layout. */
export const laidOut = <T>(columns: readonly ChoosableColumn<T>[], layout: ColumnLayout): Column<T>[] =>
  inOrder(columns, layout)
    .filter((column) => isColumnShown(layout, column))
    .map((column) => ({ ...column, width: layout.widths[column.id] ? `${layout.widths[column.id]}px` : column.width }));

export function movedColumn(
  columns: readonly Pick<ChoosableColumn<never>, 'id' | 'fixed'>[],
  layout: ColumnLayout,
  id: string,
  beforeId: string,
): ColumnLayout {
  const ids = inOrder(columns, layout)
    .filter((column) => !column.fixed)
    .map((column) => column.id);
  const from = ids.indexOf(id);
  const to = ids.indexOf(beforeId);
  if (from < 0 || to < 0) return layout;
  ids.splice(to, 0, ...ids.splice(from, 1));
  return { ...layout, order: ids };
}

const layouts = new Map<string, StoredChoice<ColumnLayout>>();
function layoutOf(name: string): StoredChoice<ColumnLayout> {
  const existingChoice = layouts.get(name);
  if (existingChoice) return existingChoice;
  const key = `tonearm.columns.${name}`;
  const layout = storedChoice<ColumnLayout>({ name: 'columns', key, initial: NO_LAYOUT, ...asJson(readLayout) });
  layouts.set(name, layout);
  return layout;
}

export function useColumnLayout(name: string) {
  const layout = layoutOf(name);
  return [layout.use(), layout.set] as const;
}
