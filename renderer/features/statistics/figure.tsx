// A plot with its table. The plot can be saved as PNG, the table as CSV.
import { Menu } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconMore, IconPlot, IconSavePicture, IconSaveTable, IconTable } from '../../ui/theme/icons.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { toCsv, type Table } from './plot-data.ts';
import { fileName, saveFile, savePng } from './export-plot.ts';
import styles from './statistics.module.css';

interface FigureProps {
  title: string;
  table: Table;
  /** The plot in one sentence, for screen readers. */
  summary: string;
  tools?: ReactNode;
  /** Exactly one SVG. */
  children: ReactNode;
  wide?: boolean;
}

export function Figure({ title, table, summary, tools, children, wide = false }: FigureProps) {
  const { t } = useTranslation();
  const [asTable, setAsTable] = useState(false);
  const plot = useRef<HTMLDivElement>(null);
  const size = { size: 16, 'aria-hidden': true };
  const saveCsv = () =>
    saveFile(fileName(title, 'csv'), new Blob(['\uFEFF', toCsv(table)], { type: 'text/csv;charset=utf-8' }));
  const saveAsPng = () => {
    const svg = plot.current?.querySelector('svg');
    if (svg) void savePng(svg, title);
  };
  return (
    <section className={styles.figure} data-wide={wide || undefined} aria-label={title}>
      <header className={styles.head}>
        <h2>{title}</h2>
        {tools}
        <Menu position="bottom-end">
          <Menu.Target>
            <IconButton label={t('statistics.menu', { title })} icon={IconMore} size="small" iconSize={18} />
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              leftSection={asTable ? <IconPlot {...size} /> : <IconTable {...size} />}
              onClick={() => setAsTable(!asTable)}
            >
              {t(asTable ? 'statistics.showPlot' : 'statistics.showTable')}
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item leftSection={<IconSavePicture {...size} />} onClick={saveAsPng} disabled={asTable}>
              {t('statistics.savePng')}
            </Menu.Item>
            <Menu.Item leftSection={<IconSaveTable {...size} />} onClick={saveCsv}>
              {t('statistics.saveCsv')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </header>
      {asTable ? (
        <DataTable table={table} label={title} />
      ) : (
        <div ref={plot} role="group" aria-label={summary}>
          {children}
        </div>
      )}
    </section>
  );
}

function DataTable({ table: { columns, rows }, label }: { table: Table; label: string }) {
  return (
    <div className={styles.tableBox} tabIndex={0} role="region" aria-label={label}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j} data-number={typeof cell === 'number' || undefined}>
                  {typeof cell === 'number' && j > 0 ? formatNumber(cell) : cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
