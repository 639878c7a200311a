import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { IconAgain } from '../../../ui/theme/icons.ts';
import type { JobOut } from '../../../api/routes.ts';
import { isOpen, jobQuery, jobsQuery, SCAN_TASK, useStartScan } from '../../../api/jobs.ts';
import { detailOf } from '../../../api/problem.ts';
import { sourcesQuery } from '../../../api/remote.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { formatDate, formatLength, formatNumber } from '../../../ui/format.ts';
import { MusicFolders } from './music-folders.tsx';
import { TagRatingsAccount } from './tag-ratings-account.tsx';
import { SettingGroup } from '../setting-row.tsx';
import { SettingList } from '../setting-list.tsx';
import styles from '../settings.module.css';

const outcomeOf = (status: JobOut['status']) => (status === 'succeeded' || status === 'cancelled' ? status : 'failed');
const COUNTS = ['files', 'added', 'updated', 'unchanged', 'missing', 'failed_count'] as const;
const REFETCH_MS = 2_000;
/** Settings that are changed in the list of music folders. */
const FIRST_FOLDER_SETTINGS = ['local_media_import_path', 'local_media_import_mode'];

export function LibrarySection() {
  return (
    <>
      <MusicFolders />
      <SettingList
        group="library"
        except={FIRST_FOLDER_SETTINGS}
        special={{ tag_ratings_account: (setting) => <TagRatingsAccount key={setting.key} setting={setting} /> }}
      />
      <LastScan />
    </>
  );
}

function LastScan() {
  const { t } = useTranslation();
  const sources = useQuery(sourcesQuery());
  const jobs = useQuery({ ...jobsQuery(), refetchInterval: REFETCH_MS });
  const start = useStartScan();
  const folder = sources.data?.find(({ name }) => name === 'local_folder');
  const isScanning = jobs.data?.items.some((job) => job.task === SCAN_TASK && isOpen(job)) ?? false;
  const { refetch } = sources;
  useEffect(() => void refetch(), [isScanning, refetch]); // a scan has started or ended
  const lastScan = folder?.last_scan;
  const job = useQuery({ ...jobQuery(lastScan?.job_id ?? 0), enabled: Boolean(lastScan) });
  return (
    <SettingGroup name="last-scan" title={t('settings.library.lastScan')}>
      <div className={styles.padded}>
        {lastScan ? (
          <>
            <p>
              {t(`settings.library.scan.${outcomeOf(lastScan.status)}`, { date: formatDate(lastScan.finished_at) })}
            </p>
            {job.data?.error && <p className={styles.fault}>{job.data.error}</p>}
            {lastScan.counts && (
              <dl className={styles.counts}>
                {COUNTS.map((name) => (
                  <div key={name}>
                    <dt>{t(`scan.${name === 'failed_count' ? 'failed' : name}`)}</dt>
                    <dd>{formatNumber(lastScan.counts![name])}</dd>
                  </div>
                ))}
                <div>
                  <dt>{t('scan.took')}</dt>
                  <dd>{formatLength(lastScan.counts.duration_ms)}</dd>
                </div>
              </dl>
            )}
          </>
        ) : (
          <p className={styles.help}>{folder?.reason ?? t('settings.library.neverScanned')}</p>
        )}
        {start.error && (
          <p role="alert" className={styles.fault}>
            {detailOf(start.error)}
          </p>
        )}
        <div className={styles.buttons}>
          <Button
            icon={IconAgain}
            disabled={isScanning || start.isPending || !folder?.enabled}
            onClick={() => start.mutate()}
          >
            {t(isScanning ? 'scan.scanning' : 'scan.start')}
          </Button>
        </div>
      </div>
    </SettingGroup>
  );
}
