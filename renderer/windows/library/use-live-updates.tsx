// Updates the window with the server's events, and reports finished scans.
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { waitForServer } from '../../api/client.ts';
import { openEventStream } from '../../api/events.ts';
import { isReachable, onReachableChange } from '../../api/reachability.ts';
import type { JobOut } from '../../api/routes.ts';
import { SCAN_TASK, scanResultOf } from '../../api/jobs.ts';
import { useSession } from '../../api/session.ts';
import { formatNumber } from '../../ui/format.ts';
import { loadPictureAgain } from '../../ui/load-picture-again.ts';
import styles from './notice.module.css';

/** Shorter interruptions are not displayed. */
const SHOWN_AFTER_MS = 2_000;

/** Returns whether the server answers. */
export function useLiveUpdates(): boolean {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const router = useRouter();
  const token = useSession()?.token;
  const [isConnected, setConnected] = useState(true);

  useEffect(() => {
    if (!token) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onJobDone = (job: JobOut) => {
      if (job.task !== SCAN_TASK || job.status === 'cancelled' || foundNothing(job)) return;
      const id = `job-${job.id}`;
      const open = () => {
        notifications.hide(id);
        void router.navigate({ to: '/activity', search: { job: job.id } });
      };
      notifications.show({
        id,
        title: t(job.status === 'succeeded' ? 'scan.finished' : 'scan.stopped'),
        message: <FinishedScan job={job} onOpen={open} />,
        autoClose: 10_000,
        closeButtonProps: { 'aria-label': t('notice.close') },
      });
    };
    const stream = openEventStream({ queries, onJobDone });
    const waitForConnection = () => {
      timer = setTimeout(() => setConnected(false), SHOWN_AFTER_MS);
      void waitForServer();
    };
    const stopListening = onReachableChange(() => {
      clearTimeout(timer);
      markUnreachable(!isReachable());
      if (!isReachable()) return waitForConnection();
      setConnected(true);
      loadFailedPicturesAgain();
      stream.reconnect(); // the stream may not notice for minutes that its connection was lost
    });
    markUnreachable(!isReachable());
    if (!isReachable()) waitForConnection();
    return () => {
      clearTimeout(timer);
      markUnreachable(false);
      stopListening();
      stream.close();
    };
  }, [token, queries, router, t]);

  return isConnected;
}

/** Loads the pictures again that failed while the server could not be reached. */
function loadFailedPicturesAgain(): void {
  for (const img of document.querySelectorAll<HTMLImageElement>('img[data-broken]')) loadPictureAgain(img);
}

/** Marks the document, so that pictures which cannot be loaded are displayed as loading (ui/cover.module.css). */
const markUnreachable = (isUnreachable: boolean): void => {
  document.documentElement.toggleAttribute('data-unreachable', isUnreachable);
};

/**
 * Returns whether a scan changed nothing; such scans are not reported, because folders are also scanned automatically.
 */
function foundNothing(job: JobOut): boolean {
  const result = scanResultOf(job);
  return (
    result !== null &&
    result !== undefined &&
    result.added + result.updated + result.moved + result.missing + result.restored === 0
  );
}

function FinishedScan({ job, onOpen }: { job: JobOut; onOpen: () => void }) {
  const { t } = useTranslation();
  const result = scanResultOf(job);
  return (
    <>
      {result
        ? t('scan.finishedText', {
            count: result.failed_count,
            added: formatNumber(result.added),
            failed: formatNumber(result.failed_count),
          })
        : job.error}{' '}
      <button type="button" className={styles.link} onClick={onOpen}>
        {t('scan.details')}
      </button>
    </>
  );
}
