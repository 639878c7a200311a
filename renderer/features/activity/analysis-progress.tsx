// Progress of the audio analysis, and the time that it still takes.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { stateOf } from '../../api/analysis-state.ts';
import { analysisQuery } from '../../api/analysis.ts';
import { formatLength, formatNumber } from '../../ui/format.ts';
import { ProgressBar } from '../../ui/controls/progress-bar.tsx';
import '../../i18n/page-texts.ts';
import styles from './activity.module.css';

export function AnalysisProgress() {
  const { t } = useTranslation();
  const { data } = useQuery(analysisQuery());
  if (!data || data.total === 0) return null;
  const { total, steps, tracks_per_second, seconds_left } = data;
  const state = stateOf(data);
  const analyzedTracks = Math.min(total, ...steps.map((step) => step.done));
  const isOpen = state !== 'done' && state !== 'off';
  const facts = [
    t(`analysis.state.${state}`),
    t('activity.doneOf', { done: formatNumber(analyzedTracks), total: formatNumber(total) }),
    isOpen &&
      tracks_per_second !== null &&
      t('analysis.speed', { number: formatNumber(Math.round(tracks_per_second * 10) / 10) }),
    isOpen &&
      seconds_left !== null &&
      seconds_left > 0 &&
      t('analysis.left', { time: formatLength(seconds_left * 1_000) }),
  ];
  return (
    <section aria-label={t('analysis.title')} className={styles.analysis}>
      <h2 className={styles.heading}>
        <Link to="/analysis">{t('analysis.title')}</Link>
      </h2>
      <p className={styles.sub}>{facts.filter(Boolean).join(' · ')}</p>
      {isOpen && <ProgressBar label={t('analysis.title')} done={analyzedTracks} total={total} />}
    </section>
  );
}
