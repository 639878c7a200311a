import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ScanResult } from '../../../server/ingest/wire.ts';
import { jobQuery, scanResultOf } from '../../api/jobs.ts';
import { formatLength, formatNumber } from '../../ui/format.ts';
import { Skeleton } from '../../ui/states.tsx';
import styles from './activity.module.css';

/** More lines than this are counted, not listed. */
const LISTED = 500;

/** What a finished scan did, and every file it could not take with the reason. */
export function ScanReport({ jobId }: { jobId: number }) {
  const { t } = useTranslation();
  const { data } = useQuery(jobQuery(jobId));
  const result = data && scanResultOf(data);
  if (!result) return <div className={styles.report}><Skeleton height="80px" /></div>;
  const facts: [string, string][] = [
    [t('scan.files'), formatNumber(result.files)],
    [t('scan.added'), formatNumber(result.added)],
    [t('scan.updated'), formatNumber(result.updated)],
    [t('scan.unchanged'), formatNumber(result.unchanged)],
    [t('scan.missing'), formatNumber(result.missing)],
    [t('scan.took'), formatLength(result.duration_ms)],
  ];
  return (
    <div className={styles.report}>
      <p className={styles.folder}>{result.path}</p>
      <dl className={styles.facts}>{facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
      <Reasons title={t('scan.failedTitle', { count: result.failed_count })} lines={result.failed} total={result.failed_count} />
      <Reasons title={t('scan.skippedTitle', { count: result.skipped_count })} lines={result.skipped} total={result.skipped_count} />
    </div>
  );
}

function Reasons({ title, lines, total }: { title: string; lines: ScanResult['failed']; total: number }) {
  const { t } = useTranslation();
  if (total === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className={styles.reasonsTitle}>{title}</h3>
      <ul className={styles.reasons}>
        {lines.slice(0, LISTED).map((line) => <li key={line.source_id}><code>{line.source_id}</code><span>{line.reason}</span></li>)}
      </ul>
      {total > LISTED && <p className={styles.sub}>{t('scan.andMore', { count: total - LISTED })}</p>}
    </section>
  );
}
