// Where backups go, when, and which there are.
import { useQuery } from '@tanstack/react-query';
import { IconDatabaseExport } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { backupsQuery, useBackUp } from '../../api/backups.ts';
import { detailOf } from '../../api/problem.ts';
import { settingsQuery } from '../../api/settings.ts';
import { Button } from '../../ui/button.tsx';
import { formatBytes, formatDate, formatNumber } from '../../ui/format.ts';
import { SettingList } from './setting-list.tsx';
import styles from './settings.module.css';

export const isForBackup = (key: string): boolean => key.startsWith('backup_');

const ADVANCED = ['backup_keep_daily', 'backup_keep_weekly', 'backup_include_keys', 'backup_include_referenced'];
const SHOWN = 7;

export function Backups() {
  const { t } = useTranslation();
  return (
    <SettingList group="storage" title={t('settings.backup.title')} advanced={ADVANCED} isShown={isForBackup}>
      <Snapshots />
    </SettingList>
  );
}

function Snapshots() {
  const { t } = useTranslation();
  const changedAt = useQuery(settingsQuery()).dataUpdatedAt;
  const { data, error, refetch } = useQuery(backupsQuery());
  useEffect(() => void refetch(), [changedAt, refetch]); // another place may have been chosen
  const start = useBackUp();
  const fault = start.error ? detailOf(start.error) : error ? detailOf(error) : data?.problem;
  return (
    <div className={styles.padded}>
      {data && <p className={styles.help}>{data.target === null ? t('settings.backup.nowhere') : data.next_at ? t('settings.backup.next', { date: formatDate(data.next_at) }) : t('settings.backup.byHand')}</p>}
      {data?.target !== null && data?.items.length === 0 && <p className={styles.help}>{t('settings.backup.none')}</p>}
      {data && data.items.length > 0 && (
        <ul className={styles.lines}>
          {data.items.slice(0, SHOWN).map(({ id, created_at, tracks, bytes, problem }) => (
            <li key={id}>{formatDate(created_at)} <span className={problem ? styles.fault : styles.help}>{problem ?? t('settings.backup.holds', { count: tracks, tracks: formatNumber(tracks), size: formatBytes(bytes) })}</span></li>
          ))}
        </ul>
      )}
      {fault && <p role="alert" className={styles.fault}>{fault}</p>}
      <p role="status" className={styles.help}>{start.isSuccess && t('settings.backup.started')}</p>
      <div className={styles.buttons}><Button icon={IconDatabaseExport} disabled={start.isPending || !data || data.target === null} onClick={() => start.mutate()}>{t('settings.backup.now')}</Button></div>
    </div>
  );
}
