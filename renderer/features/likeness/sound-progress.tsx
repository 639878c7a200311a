// How many tracks can be compared by their sound, on the pages that need it.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { likenessQuery } from '../../api/likeness.ts';
import { useSession } from '../../api/session.ts';
import { ButtonLink } from '../../ui/controls/button.tsx';
import { ProgressBar } from '../../ui/controls/progress-bar.tsx';
import { formatNumber } from '../../ui/format.ts';
import { IconAnalysis } from '../../ui/theme/icons.ts';
import { EmptyState } from '../../ui/states.tsx';
import '../../i18n/page-texts.ts';
import styles from './likeness.module.css';

/** Says what the page needs before it can be used, and how far the analysis is. */
export function NotAnalyzed({ title, children }: { title: string; children: string }) {
  return (
    <EmptyState icon={IconAnalysis} title={title} actions={<AnalysisLink />}>
      {children}
      <SoundProgress />
    </EmptyState>
  );
}

/** The number of analyzed tracks, with a bar. Absent before the server has counted them. */
function SoundProgress() {
  const { t } = useTranslation();
  const { data } = useQuery(likenessQuery());
  if (!data || data.total === 0) return null;
  return (
    <span className={styles.progress}>
      <ProgressBar label={t('analysis.title')} done={data.analyzed} total={data.total} />
      {t('radio.analyzed', { done: formatNumber(data.analyzed), total: formatNumber(data.total) })}
    </span>
  );
}

/** Only administrators see and control the analysis. */
export function AnalysisLink() {
  const { t } = useTranslation();
  const isOwner = useSession()?.user.is_superuser ?? false;
  return isOwner && <ButtonLink to="/analysis">{t('analysis.title')}</ButtonLink>;
}
