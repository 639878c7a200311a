import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { IconActivity, IconPreview, IconScan } from '../../ui/theme/icons.ts';
import type { JobOut } from '../../api/routes.ts';
import { isOpen, jobsQuery, scanResultOf, useStartScan } from '../../api/jobs.ts';
import { useHasCatalogue } from '../../api/remote.ts';
import { detailOf } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { AnalysisProgress } from './analysis-progress.tsx';
import { Downloads } from './downloads.tsx';
import { JobItem } from './job-item.tsx';
import '../../i18n/page-texts.ts';
import styles from './activity.module.css';

export function ActivityPage() {
  const { t } = useTranslation();
  const jobs = useQuery(jobsQuery());
  const scan = useStartScan();
  const dryRun = useStartScan({ dryRun: true });
  const hasCatalogue = useHasCatalogue();
  const isOwner = useSession()?.user.is_superuser === true;
  const error = scan.error ?? dryRun.error;
  const open = jobs.data?.items.filter(isOpen) ?? [];
  const finished = jobs.data?.items.filter((job) => !isOpen(job)) ?? [];
  const preview = (
    <Button icon={IconPreview} onClick={() => dryRun.mutate()} disabled={dryRun.isPending}>
      {t('scan.preview')}
    </Button>
  );
  const start = (
    <Button variant="primary" icon={IconScan} onClick={() => scan.mutate()} disabled={scan.isPending}>
      {t('scan.start')}
    </Button>
  );

  function body() {
    if (jobs.error && !jobs.data)
      return <ErrorState detail={detailOf(jobs.error)} onRetry={() => void jobs.refetch()} />;
    if (!jobs.data)
      return Array.from({ length: 4 }, (_, i) => (
        <div key={i} className={styles.job}>
          <Skeleton height="44px" />
        </div>
      ));
    if (jobs.data.items.length === 0)
      return (
        <EmptyState icon={IconActivity} title={t('activity.emptyTitle')} actions={start}>
          {t('activity.empty')}
        </EmptyState>
      );
    return (
      <>
        {open.length > 0 && <JobList title={t('activity.open')} jobs={open} />}
        {finished.length > 0 && <JobList title={t('activity.finished')} jobs={finished} isGrouped />}
      </>
    );
  }

  return (
    <Page
      title={t('place.activity')}
      tools={
        jobs.data &&
        jobs.data.items.length > 0 && (
          <>
            {preview}
            {start}
          </>
        )
      }
    >
      {error && (
        <p role="alert" className={styles.error}>
          {detailOf(error)}
        </p>
      )}
      {isOwner && <AnalysisProgress />}
      {hasCatalogue && <Downloads />}
      {body()}
    </Page>
  );
}

/** Groups consecutive successful jobs that differ in nothing visible into one line. */
function groupsOf(jobs: readonly JobOut[]): JobOut[][] {
  const groups: JobOut[][] = [];
  for (const job of jobs) {
    const lastGroup = groups.at(-1);
    const belongsToGroup =
      lastGroup?.[0]?.task === job.task && lastGroup[0].status === job.status && job.status === 'succeeded';
    if (lastGroup && belongsToGroup && scanResultOf(job) === null) lastGroup.push(job);
    else groups.push([job]);
  }
  return groups;
}

interface JobListProps {
  title: string;
  jobs: readonly JobOut[];
  isGrouped?: boolean;
}

function JobList({ title, jobs, isGrouped = false }: JobListProps) {
  const groups = isGrouped ? groupsOf(jobs) : jobs.map((job) => [job]);
  return (
    <section aria-label={title}>
      <h2 className={styles.heading}>{title}</h2>
      <ul>
        {groups.map(([job, ...equalJobs]) => job && <JobItem key={job.id} job={job} equalJobs={equalJobs.length} />)}
      </ul>
    </section>
  );
}
