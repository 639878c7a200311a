import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { IconClose, IconDone, IconProblem, IconRunning, IconWaiting, type Icon } from '../../ui/theme/icons.ts';
import type { JobOut } from '../../api/routes.ts';
import { isOpen, scanResultOf, useCancelJob, useRetryJob } from '../../api/jobs.ts';
import { Button } from '../../ui/controls/button.tsx';
import { formatAgo, formatDate, formatNumber } from '../../ui/format.ts';
import { ProgressBar } from '../../ui/controls/progress-bar.tsx';
import { ScanReport } from './scan-report.tsx';
import '../../i18n/page-texts.ts';
import styles from './activity.module.css';

const SYMBOLS: Record<JobOut['status'], Icon> = {
  queued: IconWaiting,
  running: IconRunning,
  waiting: IconWaiting,
  succeeded: IconDone,
  failed: IconProblem,
  cancelled: IconClose,
};

/** A job with more attempts than this retries for days, so the number of attempts is not displayed. */
const COUNTED_ATTEMPTS = 20;

interface JobItemProps {
  job: JobOut;
  /** Number of equal earlier jobs that are not displayed. */
  equalJobs: number;
}

export function JobItem({ job, equalJobs }: JobItemProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { job: openJob } = useSearch({ from: '/app/care/activity' });
  const cancel = useCancelJob();
  const retry = useRetryJob();
  const Symbol = SYMBOLS[job.status];
  const result = scanResultOf(job);
  const name = result?.dry_run ? t('task.dryRun') : t(`task.${job.task as 'scan_local_folder'}`);
  const expanded = openJob === job.id;
  const progressOf = ({ progress }: JobOut) =>
    isOpen(job)
      ? [
          progress?.total
            ? t('activity.doneOf', { done: formatNumber(progress.done), total: formatNumber(progress.total) })
            : null,
          progress?.message,
        ]
          .filter(Boolean)
          .join(' · ')
      : '';
  const lastChange = job.finished_at ?? job.started_at ?? job.created_at;
  return (
    <li className={styles.job} data-status={job.status}>
      <Symbol size={20} className={styles.symbol} aria-hidden />
      <div className={styles.jobText}>
        <p>
          <strong>{name}</strong>{' '}
          {equalJobs > 0 && (
            <span className={styles.status}>{t('activity.times', { number: formatNumber(equalJobs + 1) })} </span>
          )}
          <span className={styles.status}>{job.is_put_aside ? t('activity.putAside') : t(`status.${job.status}`)}</span>
        </p>
        <p className={styles.sub}>
          {result
            ? t(result.dry_run ? 'scanReport.planSummary' : 'scanReport.summary', {
                added: formatNumber(result.added),
                updated: formatNumber(result.updated),
                unchanged: formatNumber(result.unchanged),
                failed: formatNumber(result.failed_count),
              })
            : progressOf(job)}
          {result || progressOf(job) ? ' · ' : ''}
          <time dateTime={lastChange} title={formatDate(lastChange)}>
            {formatAgo(lastChange)}
          </time>
          {(job.attempts > 1 || job.status === 'waiting') &&
            job.max_attempts <= COUNTED_ATTEMPTS &&
            ` · ${t('activity.attemptOf', {
              number: formatNumber(job.attempts),
              most: formatNumber(job.max_attempts),
            })}`}
          {job.next_attempt_at && ` · ${t('activity.next', { when: formatAgo(job.next_attempt_at) })}`}
        </p>
        {result?.offline.map(({ name: folder, reason }) => (
          <p key={folder} className={styles.error}>
            {reason}
          </p>
        ))}
        {job.error && <p className={styles.error}>{job.is_put_aside ? t('activity.stoppedTwice') : job.error}</p>}
        {job.status === 'running' && (
          <ProgressBar done={job.progress?.done ?? 0} total={job.progress?.total ?? null} label={name} />
        )}
      </div>
      {isOpen(job) && (
        <Button onClick={() => cancel.mutate(job.id)} disabled={cancel.isPending}>
          {t('activity.cancel')}
        </Button>
      )}
      {(job.status === 'failed' || job.status === 'cancelled') && (
        <Button onClick={() => retry.mutate(job.id)} disabled={retry.isPending || retry.isSuccess}>
          {t('activity.retry')}
        </Button>
      )}
      {result && (
        <Button
          aria-expanded={expanded}
          onClick={() => void navigate({ to: '/activity', search: expanded ? {} : { job: job.id }, replace: true })}
        >
          {t(expanded ? 'activity.less' : 'activity.details')}
        </Button>
      )}
      {expanded && result && <ScanReport jobId={job.id} />}
    </li>
  );
}
