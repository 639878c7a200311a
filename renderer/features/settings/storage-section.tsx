import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { storageQuery } from '../../api/stats.ts';
import { formatBytes, formatNumber } from '../../ui/format.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { Backups, isForBackup } from './backups.tsx';
import { SettingGroup } from './setting-row.tsx';
import { SettingList } from './setting-list.tsx';
import styles from './settings.module.css';

const ADVANCED = ['max_upload_bytes', 'transcode_processes', 'transcode_cache_bytes', 'verify_days'];
const FOR_LOCAL = ['storage_root'];

export function StorageSection() {
  const { t } = useTranslation();
  return (
    <>
      <DiskUse />
      <SettingList group="storage" title={t('settings.storage.where')} advanced={ADVANCED}
        isShown={(key, valueOf) => {
          if (isForBackup(key)) return false;
          const isRemote = valueOf('storage_backend') === 's3';
          return isRemote ? !FOR_LOCAL.includes(key) : !key.startsWith('s3_');
        }} />
      <Backups />
    </>
  );
}

function DiskUse() {
  const { t } = useTranslation();
  const { data } = useQuery(storageQuery());
  if (!data) return null;
  const { disk } = data;
  return (
    <SettingGroup title={t('settings.storage.used')}>
      <div className={styles.padded}>
        <p>{t('settings.storage.library', { count: data.tracks, tracks: formatNumber(data.tracks), size: formatBytes(data.size_bytes) })}</p>
        {disk && (
          <>
            <ProgressBar label={t('settings.storage.disk')} done={disk.used_bytes} total={disk.total_bytes} />
            <p className={styles.help}>{t('settings.storage.free', { free: formatBytes(disk.free_bytes), total: formatBytes(disk.total_bytes) })}</p>
          </>
        )}
      </div>
    </SettingGroup>
  );
}
