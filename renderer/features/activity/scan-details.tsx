import { useTranslation } from 'react-i18next';
import type { ScanProgress } from '../../../server/scan/wire.ts';
import { useCancelJob } from '../../api/jobs.ts';
import { Button } from '../../ui/controls/button.tsx';
import { formatLength, formatNumber } from '../../ui/format.ts';
import styles from './activity.module.css';

export function ScanDetails({ scan }: { scan: ScanProgress }) {
  const { t } = useTranslation();
  const cancel = useCancelJob();
  const facts: [string, string][] = [
    [t('scan.added'), formatNumber(scan.added)],
    [t('scan.updated'), formatNumber(scan.updated)],
    [t('scan.failed'), formatNumber(scan.failed)],
    [t('scan.speed'), t('scan.perSecond', { rate: formatNumber(Math.round(scan.files_per_second)) })],
    [t('scan.left'), scan.eta_ms === null ? t('scan.unknown') : formatLength(scan.eta_ms)],
  ];
  const folders = scan.music_folders.map(({ name, files_done: done, files_seen: total }): [string, string] => [
    name,
    scan.files_total === null
      ? formatNumber(done)
      : t('scan.doneOf', { done: formatNumber(done), total: formatNumber(total) }),
  ]);
  return (
    <div className={styles.details}>
      <Facts facts={facts} />
      {folders.length > 0 && <Facts facts={folders} />}
      <p className={styles.folder} title={scan.current ?? ''}>
        {scan.current ?? ' '}
      </p>
      <Button onClick={() => cancel.mutate(scan.job_id)} disabled={cancel.isPending}>
        {t('scan.cancel')}
      </Button>
    </div>
  );
}

export function Facts({ facts }: { facts: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
