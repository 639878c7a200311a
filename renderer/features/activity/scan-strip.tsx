// The running scan, in the side bar or above a phone's bottom bar: its progress, and details on click.
import { Popover } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconScan } from '../../ui/theme/icons.ts';
import { useScanProgress } from '../../api/jobs.ts';
import { formatNumber } from '../../ui/format.ts';
import { ProgressBar } from '../../ui/controls/progress-bar.tsx';
import { ScanDetails } from './scan-details.tsx';
import styles from './activity.module.css';

export function ScanStrip() {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  const scan = useScanProgress();
  if (!scan) return null;
  const text =
    scan.files_total === null
      ? t('scan.walking', { count: scan.files_seen, seen: formatNumber(scan.files_seen) })
      : t('scan.doneOf', { done: formatNumber(scan.files_done), total: formatNumber(scan.files_total) });
  return (
    <Popover opened={opened} onChange={setOpened} position="top-start" trapFocus>
      <Popover.Target>
        <button type="button" className={styles.strip} onClick={() => setOpened(!opened)}>
          <IconScan size={18} aria-hidden />
          <span className={styles.stripText}>
            <span>{t('scan.scanning')}</span>
            <span>{text}</span>
          </span>
          <span aria-hidden>
            <ProgressBar done={scan.files_done} total={scan.files_total} label={t('scan.scanning')} />
          </span>
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('scan.scanning')}>
        <ScanDetails scan={scan} />
      </Popover.Dropdown>
    </Popover>
  );
}
