import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { IconConnection } from '../../../ui/theme/icons.ts';
import { testStore } from '../../../api/backups.ts';
import { detailOf } from '../../../api/problem.ts';
import { settingsQuery } from '../../../api/settings.ts';
import { storageQuery } from '../../../api/stats.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { formatBytes, formatNumber } from '../../../ui/format.ts';
import { ProgressBar } from '../../../ui/controls/progress-bar.tsx';
import { Backups } from './backups.tsx';
import { SettingGroup } from '../setting-row.tsx';
import { SettingList } from '../setting-list.tsx';
import { Transfer } from './transfer.tsx';
import styles from '../settings.module.css';

export function StorageSection() {
  const { t } = useTranslation();
  return (
    <>
      <DiskUse />
      <SettingList group="storage" title={t('settings.storage.where')}>
        <StoreTest />
      </SettingList>
      <Backups />
      <Transfer />
    </>
  );
}

/**
 * Tests the store: writes, reads and deletes a small object with the saved settings, including those that need a
 * restart.
 */
function StoreTest() {
  const { t } = useTranslation();
  const { data, dataUpdatedAt } = useQuery(settingsQuery());
  const test = useMutation({ mutationFn: testStore });
  useEffect(() => test.reset(), [dataUpdatedAt]);
  if (!data?.can_test_storage) return null;
  const problem = test.error ? detailOf(test.error) : test.data?.problem;
  return (
    <div className={styles.padded}>
      {problem && (
        <p role="alert" className={styles.fault}>
          {problem}
        </p>
      )}
      <p role="status" className={styles.help}>
        {test.data?.problem === null && t('settings.storage.works')}
      </p>
      <div className={styles.buttons}>
        <Button icon={IconConnection} disabled={test.isPending} onClick={() => test.mutate()}>
          {t(test.isPending ? 'settings.storage.testing' : 'settings.storage.test')}
        </Button>
      </div>
    </div>
  );
}

function DiskUse() {
  const { t } = useTranslation();
  const { data } = useQuery(storageQuery());
  if (!data) return null;
  const { disk } = data;
  return (
    <SettingGroup name="storage-space" title={t('settings.storage.used')}>
      <div className={styles.padded}>
        <p>
          {t('settings.storage.library', {
            count: data.tracks,
            tracks: formatNumber(data.tracks),
            size: formatBytes(data.size_bytes),
          })}
        </p>
        {disk && (
          <>
            <ProgressBar label={t('settings.storage.disk')} done={disk.used_bytes} total={disk.total_bytes} />
            <p className={styles.help}>
              {t('settings.storage.free', { free: formatBytes(disk.free_bytes), total: formatBytes(disk.total_bytes) })}
            </p>
          </>
        )}
      </div>
    </SettingGroup>
  );
}
