import '@mantine/charts/styles.layer.css';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { IconStatistics } from '../../ui/theme/icons.ts';
import { detailOf } from '../../api/problem.ts';
import { listeningQuery, storageQuery } from '../../api/stats.ts';
import { ButtonLink } from '../../ui/controls/button.tsx';
import { ChoiceMenu } from '../../ui/controls/choice-menu.tsx';
import { dayOf } from '../../ui/day-range.ts';
import { Page } from '../../ui/page.tsx';
import { RangeTools } from '../../ui/lists/range-tools.tsx';
import { daysOf } from '../../ui/range-days.ts';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { LibraryStats } from './library-stats.tsx';
import { ListeningStats } from './listening-stats.tsx';
import { YearReview } from './year-review.tsx';
import '../../i18n/page-texts.ts';
import styles from './statistics.module.css';

const YEARS_BACK = 20;

export function StatisticsPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/app/listening/statistics' });
  const navigate = useNavigate();
  const today = dayOf(new Date());
  const thisYear = Number(today.slice(0, 4));
  const days = daysOf({ ...search, range: search.range ?? 'year' }, today);
  const listening = useQuery(listeningQuery(days));
  const storage = useQuery(storageQuery());
  const measure = search.measure ?? 'plays';
  const year = search.year ?? thisYear;
  const changeSearch = (next: typeof search) =>
    void navigate({ to: '/statistics', search: next, replace: true, resetScroll: false });
  const { range: _range, from: _from, to: _to, ...otherParams } = search;

  function listened() {
    const { data, error } = listening;
    if (error && !data) return <ErrorState detail={detailOf(error)} onRetry={() => void listening.refetch()} />;
    if (!data)
      return (
        <div className={styles.skeletons}>
          {[56, 300, 280].map((height) => (
            <Skeleton key={height} height={`${height}px`} radius="var(--r-l)" />
          ))}
        </div>
      );
    const from = days.from ?? data.days[0]?.day;
    if (data.plays === 0 || !from) {
      return (
        <div data-wide>
          <EmptyState
            icon={IconStatistics}
            title={t('statistics.emptyTitle')}
            actions={
              <ButtonLink to="/albums" variant="primary">
                {t('history.find')}
              </ButtonLink>
            }
          >
            {t('statistics.empty')}
          </EmptyState>
        </div>
      );
    }
    return (
      <ListeningStats
        listening={data}
        from={from}
        to={days.to ?? today}
        measure={measure}
        onMeasure={(next) =>
          changeSearch(
            next === 'plays'
              ? Object.fromEntries(Object.entries(search).filter(([name]) => name !== 'measure'))
              : { ...search, measure: next },
          )
        }
      />
    );
  }

  return (
    <Page
      title={t('nav.statistics')}
      tools={
        <RangeTools
          search={search}
          defaultRange="year"
          onChange={(next) => changeSearch({ ...otherParams, ...next })}
        />
      }
    >
      <div className={styles.page} aria-busy={listening.isPlaceholderData}>
        {listened()}
        <div className={styles.part}>
          <h2>{t('statistics.review')}</h2>
          <ChoiceMenu
            label={t('sort.year')}
            value={String(year)}
            options={Array.from({ length: YEARS_BACK }, (_, i) => ({
              value: String(thisYear - i),
              label: String(thisYear - i),
            }))}
            onChange={(next) => changeSearch({ ...search, year: Number(next) })}
          />
        </div>
        <YearReview year={year} measure={measure} />
        <div className={styles.part}>
          <h2>{t('statistics.library')}</h2>
        </div>
        {storage.error && !storage.data && (
          <ErrorState detail={detailOf(storage.error)} onRetry={() => void storage.refetch()} />
        )}
        {storage.data ? (
          <LibraryStats storage={storage.data} />
        ) : (
          !storage.error && (
            <div className={styles.skeletons}>
              <Skeleton height="240px" radius="var(--r-l)" />
            </div>
          )
        )}
      </div>
    </Page>
  );
}
