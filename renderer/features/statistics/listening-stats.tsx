// Listening over a range of days: duration, times, and the top items.
import { useTranslation } from 'react-i18next';
import type { ListeningOut } from '../../../server/stats/wire.ts';
import { formatDay, formatHour, formatLength, formatNumber } from '../../ui/format.ts';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { BarPlot } from './bar-plot.tsx';
import { Figure } from './figure.tsx';
import { bucketDays, type Step } from './plot-data.ts';
import { ranksOf, TOP_KINDS, topTable, type Measure, type Tops } from './ranks.ts';
import { RankPlot } from './rank-plot.tsx';
import { HeatMap, weekdayName } from './heat-map.tsx';
import '../../i18n/page-texts.ts';
import styles from './statistics.module.css';

const SHOWN_RANKS = 10;
const MEASURES = ['plays', 'minutes'] as const;

interface ListeningStatsProps {
  listening: ListeningOut;
  /** The displayed days, inclusive. */
  from: string;
  to: string;
  measure: Measure;
  onMeasure: (measure: Measure) => void;
}

const bucketName = (start: string, step: Step): string =>
  formatDay(start, step === 'month' ? { year: 'numeric', month: 'short' } : { month: 'short', day: 'numeric' });

export function ListeningStats({ listening, from, to, measure, onMeasure }: ListeningStatsProps) {
  const { t } = useTranslation();
  const { step, buckets } = bucketDays(listening.days, from, to);
  const active = listening.days.length;
  const choice = (
    <Segmented
      label={t('statistics.measure')}
      value={measure}
      options={MEASURES.map((value) => ({ value, label: t(`statistics.${value}`) }))}
      onChange={onMeasure}
    />
  );
  const busiest = listening.week.reduce((busiestSoFar, cell) =>
    cell.plays > busiestSoFar.plays ? cell : busiestSoFar,
  );
  return (
    <>
      <dl className={styles.tiles}>
        <div>
          <dt>{t('statistics.plays')}</dt>
          <dd>{formatNumber(listening.plays)}</dd>
        </div>
        <div>
          <dt>{t('statistics.time')}</dt>
          <dd>{formatLength(listening.played_ms)}</dd>
        </div>
        <div>
          <dt>{t('statistics.activeDays')}</dt>
          <dd>{formatNumber(active)}</dd>
        </div>
        <div>
          <dt>{t('statistics.perDay')}</dt>
          <dd>{formatLength(listening.played_ms / Math.max(1, active))}</dd>
        </div>
      </dl>
      <Figure
        wide
        title={t('statistics.over')}
        tools={choice}
        summary={t('statistics.overSummary', {
          plays: t('history.plays', { count: listening.plays, number: formatNumber(listening.plays) }),
          count: active,
        })}
        table={{
          columns: [t(`statistics.step.${step}`), t('statistics.plays'), t('statistics.minutes')],
          rows: buckets.map((bucket) => [bucket.start, bucket.plays, bucket.minutes]),
        }}
      >
        <BarPlot
          data={buckets.map((bucket) => ({ ...bucket, label: bucketName(bucket.start, step) }))}
          value={measure}
          name={t(`statistics.${measure}`)}
          format={formatNumber}
        />
      </Figure>
      <Figure
        wide
        title={t('statistics.week')}
        summary={t('statistics.weekSummary', {
          day: weekdayName(busiest.weekday, 'long'),
          hour: formatHour(busiest.hour),
        })}
        table={{
          columns: [t('statistics.weekday'), t('statistics.hour'), t('statistics.plays'), t('statistics.minutes')],
          rows: listening.week.map((cell) => [
            weekdayName(cell.weekday, 'long'),
            formatHour(cell.hour),
            cell.plays,
            cell.minutes,
          ]),
        }}
      >
        <HeatMap week={listening.week} />
      </Figure>
      <TopFigures tops={listening} measure={measure} />
    </>
  );
}

/** The top lists; `year` is added to their titles on a page that also displays other days. */
export function TopFigures({ tops, measure, year }: { tops: Tops; measure: Measure; year?: number }) {
  const { t } = useTranslation();
  const names = {
    name: t('sort.name'),
    artist: t('sort.artist'),
    plays: t('statistics.plays'),
    minutes: t('statistics.minutes'),
  };
  return TOP_KINDS.map((kind) => {
    const ranks = ranksOf(tops, kind, measure, SHOWN_RANKS);
    if (ranks.length === 0) return null;
    const name = t(`statistics.top.${kind}`);
    const title = year === undefined ? name : t('statistics.topIn', { title: name, year });
    return (
      <Figure
        key={kind}
        title={title}
        table={topTable(tops, kind, names)}
        summary={t('statistics.topSummary', { title, name: ranks[0]?.name })}
      >
        <RankPlot
          ranks={ranks}
          format={
            measure === 'plays'
              ? (plays) => t('history.plays', { count: plays, number: formatNumber(plays) })
              : (minutes) => formatLength(minutes * 60_000)
          }
        />
      </Figure>
    );
  });
}
