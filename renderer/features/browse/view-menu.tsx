import { Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { IconDown, IconUndo, IconUp, IconView } from '../../ui/theme/icons.ts';
import { classNames } from '../../ui/class-names.ts';
import { RadioItems } from '../../ui/controls/choice-menu.tsx';
import { chooseDensity, useDensity } from '../../ui/theme/density.ts';
import { DENSITIES } from '../../ui/lists/row-heights.ts';
import pill from '../../ui/controls/pill.module.css';
import {
  inOrder,
  isColumnShown,
  movedColumn,
  NO_LAYOUT,
  type ChoosableColumn,
  type ColumnLayout,
} from './tracks/column-layout.ts';
import '../../i18n/page-texts.ts';
import styles from './tracks/tracks-table.module.css';

interface ColumnMenuProps {
  columns: readonly Pick<ChoosableColumn<never>, 'id' | 'label' | 'fixed' | 'extra'>[];
  layout: ColumnLayout;
  onChange: (layout: ColumnLayout) => void;
}

/** Chooses the row height, and the columns and their order; Alt and the arrow keys move a column. */
export function ViewMenu({ columns, layout, onChange }: ColumnMenuProps) {
  const { t } = useTranslation();
  const density = useDensity();
  const choosable = inOrder(columns, layout).filter((column) => !column.fixed);
  const move = (index: number, step: -1 | 1) => {
    const neighbour = choosable[index + step];
    if (neighbour) onChange(movedColumn(columns, layout, choosable[index]!.id, neighbour.id));
  };
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <button type="button" className={classNames(pill.pill, styles.columns)}>
          <IconView size={16} aria-hidden />
          {t('table.view')}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('table.density')}</Menu.Label>
        <RadioItems
          value={density}
          onChange={chooseDensity}
          options={DENSITIES.map((value) => ({ value, label: t(`density.${value}`) }))}
        />
        <Menu.Divider />
        <Menu.Label>{t('table.columns')}</Menu.Label>
        {choosable.map((column, index) => (
          <Menu.CheckboxItem
            key={column.id}
            checked={isColumnShown(layout, column)}
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
                  <IconUp size={16} />
                </span>
                <span
                  onClick={(event) => {
                    event.stopPropagation();
                    move(index, 1);
                  }}
                >
                  <IconDown size={16} />
                </span>
              </span>
            }
          >
            {column.label}
          </Menu.CheckboxItem>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconUndo size={16} aria-hidden />} onClick={() => onChange(NO_LAYOUT)}>
          {t('table.resetColumns')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
