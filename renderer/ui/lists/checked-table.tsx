// A table whose rows have a checkbox and can be removed. Keys on a row: Enter opens the row, Space selects it, Delete
// removes the selected rows, or the row if none is selected; Ctrl+A selects all rows, Escape deselects all.
import type { KeyboardEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChosenRows } from './use-selection.ts';
import { VirtualTable, type Column, type VirtualTableProps } from './virtual-table.tsx';
import styles from './checked-table.module.css';

/** Only rows are tab stops; their controls are reached by keys on the row. */
export const notAStop = { tabIndex: -1 } as const;

interface CheckedTableProps<T> extends Omit<VirtualTableProps<T>, 'isCurrent'> {
  lead: string;
  /** A text that explains the keys. */
  keys: string;
  chosen: ChosenRows;
  checkLabel: (item: T) => string;
  isDisabled?: (item: T) => boolean;
  onRemove: (item: T) => void;
  onRemoveChosen: () => void;
  /** Content above the table. */
  children?: ReactNode;
}

export function CheckedTable<T extends { id: number }>({
  lead,
  keys,
  chosen,
  checkLabel,
  isDisabled = () => false,
  onRemove,
  onRemoveChosen,
  children,
  ...table
}: CheckedTableProps<T>) {
  const { t } = useTranslation();
  const select = (index: number, range: boolean) => (range ? chosen.extend(index, true) : chosen.toggle(index));
  const checks: Column<T> = {
    id: 'select',
    label: '',
    hiddenLabel: t('select.label'),
    width: '24px',
    cell: (item, index) => (
      <label className={styles.check}>
        <input
          type="checkbox"
          {...notAStop}
          aria-label={checkLabel(item)}
          checked={chosen.has(item.id)}
          disabled={isDisabled(item)}
          onChange={({ nativeEvent }) => select(index, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
        />
      </label>
    ),
  };

  /** Handles the keys that the table itself does not handle. */
  const onKeyDown = (event: KeyboardEvent) => {
    const control = event.ctrlKey || event.metaKey;
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
    const index = Number(row?.dataset['index']);
    const item = row === event.target ? table.item(index) : undefined;
    if (control && event.key === 'a') chosen.all();
    else if (control || event.altKey || !item) return;
    else if (event.key === ' ') select(index, event.shiftKey);
    else if (event.key === 'Escape') chosen.clear();
    else if (event.key !== 'Delete' && event.key !== 'Backspace') return;
    else if (chosen.count > 0) onRemoveChosen();
    else if (!isDisabled(item)) onRemove(item);
    event.preventDefault();
  };

  return (
    <>
      <p className={styles.lead}>{lead}</p>
      <p className={styles.keys}>{keys}</p>
      {children}
      <div onKeyDown={onKeyDown} className={styles.list}>
        <VirtualTable {...table} columns={[checks, ...table.columns]} isCurrent={() => false} />
      </div>
    </>
  );
}
