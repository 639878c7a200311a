import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ScanResult } from '../../../server/scan/wire.ts';
import { jobQuery, scanResultOf } from '../../api/jobs.ts';
import { formatLength, formatNumber } from '../../ui/format.ts';
import { Skeleton } from '../../ui/states.tsx';
import { Facts } from './scan-details.tsx';
import styles from './activity.module.css';

/** Beyond this number, files are only counted. */
const MAX_LISTED_FILES = 500;

/** The result of a scan, and every failed file with the reason. */
export function ScanReport({ jobId }: { jobId: number }) {
  const { t } = useTranslation();
  const { data } = useQuery(jobQuery(jobId));
  const result = data && scanResultOf(data);
  if (!result)
    return (
      <div className={styles.report}>
        <Skeleton height="80px" />
      </div>
    );
  const facts: [string, string][] = [
    [t('scan.files'), formatNumber(result.files)],
    [t('scan.added'), formatNumber(result.added)],
    [t('scan.updated'), formatNumber(result.updated)],
    [t('scan.unchanged'), formatNumber(result.unchanged)],
    [t('scanReport.moved'), formatNumber(result.moved)],
    [t('scan.missing'), formatNumber(result.missing)],
    [t('scanReport.restored'), formatNumber(result.restored)],
    ...(result.playlists > 0 ? [[t('playlistFile.changed'), formatNumber(result.playlists)] as [string, string]] : []),
    [t('scan.took'), formatLength(result.duration_ms)],
  ];
  return (
    <div className={styles.report}>
      <p className={styles.folder}>{result.path}</p>
      <Facts facts={facts} />
      {result.changes && <Plan changes={result.changes} result={result} />}
      <Names
        title={t('scanReport.changingTitle', { count: result.changing_count })}
        names={result.changing}
        total={result.changing_count}
      />
      <Reasons
        title={t('scanReport.failedTitle', { count: result.failed_count })}
        lines={result.failed}
        total={result.failed_count}
      />
      <Reasons
        title={t('scanReport.skippedTitle', { count: result.skipped_count })}
        lines={result.skipped}
        total={result.skipped_count}
      />
    </div>
  );
}

/** The changes that a dry run found, by kind: the first of each kind, and their number. */
function Plan({ changes, result }: { changes: NonNullable<ScanResult['changes']>; result: ScanResult }) {
  const { t } = useTranslation();
  const kinds = ['added', 'updated', 'moved', 'missing', 'restored'] as const;
  const namesOf = (kind: (typeof kinds)[number]) =>
    kind === 'moved' ? changes.moved.map(({ from, to }) => `${from} → ${to}`) : changes[kind];
  return kinds.map((kind) => (
    <Names
      key={kind}
      title={t(`scanReport.plan.${kind}`, { count: result[kind] })}
      names={namesOf(kind)}
      total={result[kind]}
    />
  ));
}

function Names({ title, names, total }: { title: string; names: readonly string[]; total: number }) {
  const { t } = useTranslation();
  if (total === 0) return null;
  const shownNames = names.slice(0, MAX_LISTED_FILES);
  return (
    <section aria-label={title}>
      <h3 className={styles.reasonsTitle}>{title}</h3>
      <ul className={styles.reasons} tabIndex={0}>
        {shownNames.map((name) => (
          <li key={name}>
            <code>{name}</code>
          </li>
        ))}
      </ul>
      {total > shownNames.length && (
        <p className={styles.sub}>{t('scanReport.andMore', { count: total - shownNames.length })}</p>
      )}
    </section>
  );
}

function Reasons({ title, lines, total }: { title: string; lines: ScanResult['failed']; total: number }) {
  const { t } = useTranslation();
  if (total === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className={styles.reasonsTitle}>{title}</h3>
      <ul className={styles.reasons}>
        {lines.slice(0, MAX_LISTED_FILES).map((line) => (
          <li key={line.source_id}>
            <code>{line.source_id}</code>
            <span>{line.reason}</span>
          </li>
        ))}
      </ul>
      {total > MAX_LISTED_FILES && (
        <p className={styles.sub}>{t('scanReport.andMore', { count: total - MAX_LISTED_FILES })}</p>
      )}
    </section>
  );
}
