// A year of listening on one screen.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { yearQuery } from '../../api/stats.ts';
import { detailOf } from '../../api/problem.ts';
import { formatDay, formatLength, formatNumber } from '../../ui/format.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { BarPlot } from './bar-plot.tsx';
import { Figure } from './figure.tsx';
import { RankPlot } from './rank-plot.tsx';
import { topTrackCover, type Measure } from './ranks.ts';
import { YearPicture } from './year-picture.tsx';
import { TopFigures } from './listening-stats.tsx';
import '../../i18n/page-texts.ts';
import styles from './statistics.module.css';

const dayName = (day: string) => formatDay(day, { day: 'numeric', month: 'long' });
const monthName = (month: number) => formatDay(`2024-${String(month).padStart(2, '0')}-01`, { month: 'short' });

export function YearReview({ year, measure }: { year: number; measure: Measure }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(yearQuery(year));
  if (error && !data) return <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <div className={styles.skeletons}>
        <Skeleton height="220px" radius="var(--r-l)" />
      </div>
    );
  if (data.plays === 0) return <p className={styles.none}>{t('statistics.noYear', { year })}</p>;
  const discoveries = data.discoveries.map((discovery, i) => ({
    key: i,
    name: discovery.title,
    by: discovery.artist_name,
    value: discovery.plays,
    cover: topTrackCover(discovery, 64),
    ...(discovery.album_id !== null && {
      to: { to: '/albums/$albumId' as const, params: { albumId: discovery.album_id } },
    }),
  }));
  const plays = (count: number) => t('history.plays', { count, number: formatNumber(count) });
  return (
    <>
      <YearPicture review={data} />
      <dl className={styles.tiles}>
        <div>
          <dt>{t('statistics.time')}</dt>
          <dd>{formatLength(data.played_ms)}</dd>
        </div>
        <div>
          <dt>{t('statistics.plays')}</dt>
          <dd>{formatNumber(data.plays)}</dd>
        </div>
        <div>
          <dt>{t('statistics.activeDays')}</dt>
          <dd>{formatNumber(data.active_days)}</dd>
        </div>
        {data.longest_streak && (
          <div>
            <dt>{t('statistics.streak')}</dt>
            <dd>{t('statistics.days', { count: data.longest_streak.days })}</dd>
            <dd>
              {dayName(data.longest_streak.from)} – {dayName(data.longest_streak.to)}
            </dd>
          </div>
        )}
        {data.busiest_day && (
          <div>
            <dt>{t('statistics.busiest')}</dt>
            <dd>{dayName(data.busiest_day.day)}</dd>
            <dd>{plays(data.busiest_day.plays)}</dd>
          </div>
        )}
        <div>
          <dt>{t('statistics.newArtists')}</dt>
          <dd>{formatNumber(data.new_artists)}</dd>
        </div>
        <div>
          <dt>{t('statistics.newTracks')}</dt>
          <dd>{formatNumber(data.new_tracks)}</dd>
        </div>
      </dl>
      <Figure
        wide
        title={t('statistics.months', { year })}
        summary={t('statistics.overSummary', { plays: plays(data.plays), count: data.active_days })}
        table={{
          columns: [t('statistics.step.month'), t('statistics.plays'), t('statistics.minutes')],
          rows: data.months.map((month) => [monthName(month.month), month.plays, month.minutes]),
        }}
      >
        <BarPlot
          data={data.months.map((month) => ({
            plays: month.plays,
            minutes: month.minutes,
            label: monthName(month.month),
          }))}
          value={measure}
          name={t(`statistics.${measure}`)}
          format={formatNumber}
          height={180}
        />
      </Figure>
      <TopFigures tops={data} measure={measure} year={year} />
      {discoveries.length > 0 && (
        <Figure
          title={t('statistics.discoveries')}
          summary={t('statistics.topSummary', { title: t('statistics.discoveries'), name: discoveries[0]?.name })}
          table={{
            columns: [t('sort.title'), t('sort.artist'), t('statistics.plays'), t('statistics.minutes')],
            rows: data.discoveries.map((discovery) => [
              discovery.title,
              discovery.artist_name ?? '',
              discovery.plays,
              discovery.minutes,
            ]),
          }}
        >
          <RankPlot ranks={discoveries.slice(0, 10)} format={plays} />
        </Figure>
      )}
    </>
  );
}
