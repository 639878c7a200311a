// Results of the audio analysis: loudness, tempo, key.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { trackAnalysisQuery } from '../../api/analysis.ts';
import { detailOf } from '../../api/problem.ts';
import { formatNumber, formatPercent } from '../../ui/format.ts';
import { Skeleton } from '../../ui/states.tsx';
import '../../i18n/page-texts.ts';
import styles from './details.module.css';

const tenths = (value: number): string => formatNumber(Math.round(value * 10) / 10);

export function Measured({ trackId }: { trackId: number }) {
  const { t } = useTranslation();
  const { data, error } = useQuery(trackAnalysisQuery(trackId));
  const { loudness, rhythm } = data ?? {};
  const amount = (value: number | null | undefined, unit: string) => value != null && `${tenths(value)} ${unit}`;
  const facts: [string, string | false | undefined][] = [
    [t('measured.loudness'), amount(loudness?.integrated_lufs, 'LUFS')],
    [t('measured.albumLoudness'), amount(loudness?.album_integrated_lufs, 'LUFS')],
    [t('measured.range'), amount(loudness?.range_lu, 'LU')],
    [t('measured.peak'), amount(loudness?.true_peak_dbtp, 'dBTP')],
    [
      t('measured.tempo'),
      rhythm?.bpm != null &&
        t('measured.probably', {
          value: `${tenths(rhythm.bpm)} BPM`,
          share: formatPercent(rhythm.bpm_confidence ?? 0),
        }),
    ],
    [t('measured.key'), rhythm?.key != null && [rhythm.key, rhythm.camelot].filter(Boolean).join(' · ')],
    [
      t('measured.energy'),
      rhythm?.energy != null &&
        [
          t('measured.of', { value: rhythm.energy, most: 10 }),
          data?.energy_rank != null && t('measured.energyRank', { share: formatPercent(data.energy_rank) }),
        ]
          .filter(Boolean)
          .join(' · '),
    ],
    [t('measured.mood'), data?.moods.map((mood) => t(`mood.${mood}`)).join(', ')],
  ];
  const measuredFacts = facts.filter(([, value]) => value);
  const note =
    error && !data ? detailOf(error) : (data?.failure ?? (data && measuredFacts.length === 0 && t('measured.notYet')));
  return (
    <section aria-label={t('origin.measured')}>
      <h3>{t('origin.measured')}</h3>
      {!data && !error && <Skeleton height="120px" />}
      {note && <p className={styles.quiet}>{note}</p>}
      {measuredFacts.length > 0 && (
        <dl className={styles.facts}>
          {measuredFacts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
