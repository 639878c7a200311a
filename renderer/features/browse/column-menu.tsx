import { Menu } from '@mantine/core';
import { IconArrowBackUp, IconChevronDown, IconChevronUp, IconColumns3 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { classNames } from '../../ui/class-names.ts';
import pill from '../../ui/pill.module.css';
import { inOrder, isShown, movedColumn, NO_LAYOUT, type ChoosableColumn, type ColumnLayout } from './column-layout.ts';
import styles from './tracks-table.module.css';

interface ColumnMenuProps {
  columns: readonly Pick<ChoosableColumn<never>, 'id' | 'label' | 'fixed' | 'extra'>[];
  layout: ColumnLayout;
  onChange: (layout: ColumnLayout) => void;
}

/** Shows, hides and reorders columns; Alt and the arrow keys move an item. */
export function ColumnMenu({ columns, layout, onChange }: ColumnMenuProps) {
  const { t } = useTranslation();
  const choosable = inOrder(columns, layout).filter((column) => !column.fixed);
  const move = (index: number, step: -1 | 1) => {
    const other = choosable[index + step];
    if (other) onChange(movedColumn(columns, layout, choosable[index]!.id, other.id));
  };
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <button type="button" className={classNames(pill.pill, styles.columns)}>
          <IconColumns3 size={16} aria-hidden />
          {t('table.columns')}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('table.columnsHelp')}</Menu.Label>
        {choosable.map((column, index) => (
          <Menu.CheckboxItem
            key={column.id}
            checked={isShown(layout, column)}
            onChange={(checked) => onChange({ ...layout, shown: { ...layout.shown, [column.id]: checked } })}
            onKeyDown={(event) => {
              const step = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined;
              if (!step || !event.altKey) return;
              event.preventDefault();
              event.stopPropagation();
              move(index, step);
            }}
            rightSection={
              <span className={styles.order} aria-hidden>
                <span
                  onClick={(event) => {
                    event.stopPropagation();
                    move(index, -1);
                  }}
                >
                  <IconChevronUp size={16} />
                </span>
                <span
                  onClick={(event) => {
                    event.stopPropagation();
                    move(index, 1);
                  }}
                >
                  <IconChevronDown size={16} />
                </span>
              </span>
            }
          >
            {column.label}
          </Menu.CheckboxItem>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconArrowBackUp size={16} aria-hidden />} onClick={() => onChange(NO_LAYOUT)}>
          {t('table.resetColumns')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
