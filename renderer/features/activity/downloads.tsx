// Downloads from online sources: progress, the next attempt, and errors.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { IconClose, IconDone, IconFetch, IconProblem, IconWaiting, type Icon } from '../../ui/theme/icons.ts';
import type { DownloadJobOut } from '../../api/routes.ts';
import { downloadsQuery, useCancelDownload, useRetryDownload } from '../../api/remote.ts';
import { trackQuery } from '../../api/tracks.ts';
import { detailOf } from '../../api/problem.ts';
import { Button } from '../../ui/controls/button.tsx';
import { formatAgo, formatBytes, formatDate, formatNumber } from '../../ui/format.ts';
import { ProgressBar } from '../../ui/controls/progress-bar.tsx';
import styles from './activity.module.css';

const SYMBOLS: Record<DownloadJobOut['status'], Icon> = {
  queued: IconWaiting,
  running: IconFetch,
  waiting: IconWaiting,
  succeeded: IconDone,
  failed: IconProblem,
  cancelled: IconClose,
};
const isOpen = ({ status }: DownloadJobOut) => status === 'queued' || status === 'running' || status === 'waiting';
const WATCH_MS = 1_500;

export function Downloads() {
  const { t } = useTranslation();
  const { data, error } = useQuery({
    ...downloadsQuery(),
    refetchInterval: ({ state }) => (state.data?.items.some(isOpen) ? WATCH_MS : false),
  });
  if (error && !data)
    return (
      <p role="alert" className={styles.error}>
        {detailOf(error)}
      </p>
    );
  if (!data || data.items.length === 0) return null;
  return (
    <section aria-label={t('activity.downloads')}>
      <h2 className={styles.heading}>{t('activity.downloads')}</h2>
      <ul>
        {data.items.map((download) => (
          <DownloadItem key={download.id} download={download} />
        ))}
      </ul>
    </section>
  );
}

function DownloadItem({ download }: { download: DownloadJobOut }) {
  const { t } = useTranslation();
  const track = useQuery({ ...trackQuery(download.track_id ?? 0), enabled: download.track_id !== null });
  const retry = useRetryDownload();
  const cancel = useCancelDownload();
  const Symbol = SYMBOLS[download.status];
  const name = track.data ? [track.data.title, track.data.artist_name].filter(Boolean).join(' · ') : download.source_id;
  const error = download.error ?? (retry.error ? detailOf(retry.error) : null);
  return (
    <li className={styles.job} data-status={download.status}>
      <Symbol size={20} className={styles.symbol} aria-hidden />
      <div className={styles.jobText}>
        <p>
          <strong>{name}</strong> <span className={styles.status}>{t(`status.${download.status}`)}</span>
        </p>
        <p className={styles.sub}>
          {isOpen(download) && download.bytes_total
            ? `${t('activity.doneOf', {
                done: formatBytes(download.bytes_done),
                total: formatBytes(download.bytes_total),
              })} · `
            : ''}
          <time dateTime={download.updated_at} title={formatDate(download.updated_at)}>
            {formatAgo(download.updated_at)}
          </time>
          {download.attempts > 1 &&
            ` · ${t('activity.attemptOf', {
              number: formatNumber(download.attempts),
              most: formatNumber(download.max_attempts),
            })}`}
          {download.next_attempt_at && ` · ${t('activity.next', { when: formatAgo(download.next_attempt_at) })}`}
        </p>
        {error && <p className={styles.error}>{error}</p>}
        {isOpen(download) && <ProgressBar done={download.bytes_done} total={download.bytes_total} label={name} />}
      </div>
      {isOpen(download) && (
        <Button onClick={() => cancel.mutate(download.id)} disabled={cancel.isPending}>
          {t('activity.cancel')}
        </Button>
      )}
      {(download.status === 'failed' || download.status === 'cancelled') && (
        <Button onClick={() => retry.mutate(download.id)} disabled={retry.isPending}>
          {t('activity.retry')}
        </Button>
      )}
    </li>
  );
}
