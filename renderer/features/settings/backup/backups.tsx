// Backups: location, schedule, list, test and restore.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconConnection, IconDone, IconExport } from '../../../ui/theme/icons.ts';
import type { BackupTestOut, BackupsOut, SnapshotOut } from '../../../api/routes.ts';
import { backupsQuery, useBackUp, useCheckBackup, useTestBackup } from '../../../api/backups.ts';
import { detailOf } from '../../../api/problem.ts';
import { settingsQuery, useChangeSettings } from '../../../api/settings.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { formatBytes, formatDate, formatNumber } from '../../../ui/format.ts';
import { RestoreDialog, RestoreNote } from './restore.tsx';
import { SettingList } from '../setting-list.tsx';
import styles from '../settings.module.css';

const SHOWN_BACKUPS = 7;
/**
 * Percentage of a backup in an object store that is read in each weekly check, once a person has agreed to the
 * traffic.
 */
const CHECK_PERCENT = 8;
const WEEKS_A_MONTH = 52 / 12;

export function Backups() {
  const { t } = useTranslation();
  return (
    <SettingList group="backup" name="backups" title={t('settings.backup.title')}>
      <Snapshots />
    </SettingList>
  );
}

function Snapshots() {
  const { t } = useTranslation();
  const changedAt = useQuery(settingsQuery()).dataUpdatedAt;
  const { data, error, refetch } = useQuery(backupsQuery());
  const start = useBackUp();
  const check = useCheckBackup();
  const test = useTestBackup();
  const [chosenSnapshot, setChosen] = useState<SnapshotOut | null>(null);
  useEffect(() => {
    void refetch(); // the location may have changed
    test.reset();
  }, [changedAt, refetch]);
  const fault = [start.error, check.error, test.error, error].find(Boolean);
  const hasPlace = data !== undefined && data.target !== null;
  return (
    <div className={styles.padded}>
      {data && (
        <p className={styles.help}>
          {data.target === null
            ? t('settings.backup.nowhere')
            : data.next_at
              ? t('settings.backup.next', { date: formatDate(data.next_at) })
              : t('settings.backup.byHand')}
        </p>
      )}
      {hasPlace && data.items.length === 0 && <p className={styles.help}>{t('settings.backup.none')}</p>}
      {data && data.items.length > 0 && (
        <ul className={styles.lines} aria-label={t('settings.backup.title')}>
          {data.items.slice(0, SHOWN_BACKUPS).map((snapshot) => (
            <Snapshot key={snapshot.id} snapshot={snapshot} onRestore={() => setChosen(snapshot)} />
          ))}
        </ul>
      )}
      {data && data.items.length > 0 && <CheckResult backups={data} />}
      {data?.restore && <RestoreNote restore={data.restore} />}
      {(fault ?? data?.problem) && (
        <p role="alert" className={styles.fault}>
          {fault ? detailOf(fault) : data?.problem}
        </p>
      )}
      <p role="status" className={styles.help}>
        {start.isSuccess && t('settings.backup.started')} {check.isSuccess && t('settings.backup.checkStarted')}
      </p>
      {test.data && <TestNote result={test.data} />}
      <div className={styles.buttons}>
        <Button icon={IconExport} disabled={start.isPending || !hasPlace} onClick={() => start.mutate()}>
          {t('settings.backup.now')}
        </Button>
        <Button
          icon={IconDone}
          disabled={check.isPending || !hasPlace || data.items.length === 0}
          onClick={() => check.mutate()}
        >
          {t('settings.backup.check')}
        </Button>
        <Button icon={IconConnection} disabled={test.isPending || !hasPlace} onClick={() => test.mutate()}>
          {t(test.isPending ? 'settings.backup.testing' : 'settings.backup.test')}
        </Button>
      </div>
      <RestoreDialog snapshot={chosenSnapshot} onClose={() => setChosen(null)} />
    </div>
  );
}

function Snapshot({
  snapshot: { created_at, tracks, bytes, absent, mended, problem },
  onRestore,
}: {
  snapshot: SnapshotOut;
  onRestore: () => void;
}) {
  const { t } = useTranslation();
  const date = formatDate(created_at);
  return (
    <li>
      {date}{' '}
      <span className={problem ? styles.fault : styles.help}>
        {problem ??
          t('settings.backup.holds', { count: tracks, tracks: formatNumber(tracks), size: formatBytes(bytes) })}
      </span>{' '}
      {absent > 0 && (
        <span className={styles.fault}>
          {t('settings.backup.absent', { count: absent, files: formatNumber(absent) })}{' '}
        </span>
      )}
      {mended > 0 && <span className={styles.fault}>{t('settings.backup.repaired', { count: mended })} </span>}
      {problem === null && (
        <button
          type="button"
          className={styles.link}
          aria-label={t('settings.backup.restoreLabel', { date })}
          onClick={onRestore}
        >
          {t('settings.backup.restore')}
        </button>
      )}
    </li>
  );
}

/**
 * The date of the last backup check, the percentage that was read, and whether the backup is completely restorable.
 */
function CheckResult({ backups: { check, check_percent, is_reading_free } }: { backups: BackupsOut }) {
  const { t } = useTranslation();
  const change = useChangeSettings();
  if (!check) return <p className={styles.help}>{t('settings.backup.neverChecked')}</p>;
  const facts = [
    t('settings.backup.checked', { date: formatDate(check.at) }),
    t('settings.backup.proved', { percent: formatNumber(Math.floor(check.share * 100)) }),
    check.lost === 0 && check.faults > 0 && t('settings.backup.mended', { count: check.faults }),
  ];
  const aMonth = formatBytes(check.bytes * (CHECK_PERCENT / 100) * WEEKS_A_MONTH);
  return (
    <>
      <p className={styles.help}>{facts.filter(Boolean).join(' ')}</p>
      {check.lost > 0 && (
        <p role="alert" className={styles.fault}>
          {t('settings.backup.lost', { count: check.lost })}
        </p>
      )}
      {is_reading_free === false && check_percent === 0 && (
        <p className={styles.help}>
          {t('settings.backup.readingCosts', { size: aMonth })}{' '}
          <button
            type="button"
            className={styles.link}
            disabled={change.isPending}
            onClick={() => change.mutate({ backup_check_percent: CHECK_PERCENT })}
          >
            {t('settings.backup.readWeekly')}
          </button>
        </p>
      )}
    </>
  );
}

function TestNote({ result: { target, problem, snapshots, free_bytes } }: { result: BackupTestOut }) {
  const { t } = useTranslation();
  if (problem !== null)
    return (
      <p role="alert" className={styles.fault}>
        {problem}
      </p>
    );
  const facts = [
    t('settings.backup.tested', { target, count: snapshots ?? 0 }),
    free_bytes !== null && t('settings.backup.room', { free: formatBytes(free_bytes) }),
  ];
  return (
    <p role="status" className={styles.help}>
      {facts.filter(Boolean).join(' ')}
    </p>
  );
}
