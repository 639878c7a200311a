import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconHistory, IconImport } from '../../ui/theme/icons.ts';
import type { HistoryOut } from '../../api/routes.ts';
import { historyQuery, useTakeBack } from '../../api/history.ts';
import { detailOf } from '../../api/problem.ts';
import { Button, ButtonLink } from '../../ui/controls/button.tsx';
import { dayOf } from '../../ui/day-range.ts';
import { daysOf, momentsOf } from '../../ui/range-days.ts';
import { formatNumber } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { RangeTools } from '../../ui/lists/range-tools.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';
import { HistoryList } from './history-list.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { historyRows } from './history-rows.ts';
import '../../i18n/page-texts.ts';
import styles from './history.module.css';

export function HistoryPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/app/listening/history' });
  const navigate = useNavigate();
  const notice = useUndoNotice();
  const [importing, setImporting] = useState(false);
  const [today, setToday] = useState(() => dayOf(new Date()));
  const days = daysOf({ ...search, range: search.range ?? 'all' }, today);
  const list = useInfiniteQuery(historyQuery(momentsOf(days)));
  const { withdraw, restore } = useTakeBack();
  /** Ids of deleted plays, hidden until the refetched list omits them. */
  const [hiddenIds, setAway] = useState<ReadonlySet<number>>(new Set());

  // Updates “today” on focus, because midnight may pass while the page is open.
  useEffect(() => {
    const updateToday = () => setToday(dayOf(new Date()));
    addEventListener('focus', updateToday);
    return () => removeEventListener('focus', updateToday);
  }, []);

  const rows = useMemo(
    () => historyRows(list.data?.pages.flatMap(({ items }) => items) ?? [], ({ id }) => hiddenIds.has(id)),
    [list.data, hiddenIds],
  );
  const total = list.data?.pages[0]?.total;

  const show = (id: number, isShown: boolean) =>
    setAway((previousIds) =>
      isShown ? new Set([...previousIds].filter((hiddenId) => hiddenId !== id)) : new Set([...previousIds, id]),
    );
  const takeBack = (play: HistoryOut) => {
    show(play.id, false);
    withdraw.mutate(play.id, {
      onSuccess: () =>
        notice.done(t('history.takenBack', { title: play.title }), () =>
          restore.mutate(play.id, {
            onSuccess: () => show(play.id, true),
            onError: (error) => notice.tell(detailOf(error)),
          }),
        ),
      onError: (error) => {
        show(play.id, true);
        notice.tell(detailOf(error));
      },
    });
  };

  function body() {
    if (list.error && !list.data)
      return <ErrorState detail={detailOf(list.error)} onRetry={() => void list.refetch()} />;
    if (!list.data)
      return Array.from({ length: 12 }, (_, i) => (
        <div key={i} className={styles.held}>
          <Skeleton height="40px" />
        </div>
      ));
    if (rows.length === 0 && search.range && search.range !== 'all') {
      return (
        <EmptyState
          icon={IconHistory}
          title={t('history.noneHere')}
          actions={
            <Button onClick={() => void navigate({ to: '/history', search: {}, replace: true })}>
              {t('history.showAll')}
            </Button>
          }
        />
      );
    }
    if (rows.length === 0) {
      return (
        <EmptyState
          icon={IconHistory}
          title={t('history.emptyTitle')}
          actions={
            <>
              <ButtonLink to="/albums" variant="primary">
                {t('history.find')}
              </ButtonLink>
              <Button icon={IconImport} onClick={() => setImporting(true)}>
                {t('history.import')}
              </Button>
            </>
          }
        >
          {t('history.empty')}
        </EmptyState>
      );
    }
    return (
      <HistoryList
        rows={rows}
        today={today}
        hasMore={list.hasNextPage}
        onEnd={() => !list.isFetchingNextPage && void list.fetchNextPage()}
        onTakeBack={takeBack}
      />
    );
  }

  return (
    <Page
      title={t('place.history')}
      count={total ? t('history.plays', { count: total, number: formatNumber(total) }) : undefined}
      tools={
        <>
          <RangeTools
            search={search}
            defaultRange="all"
            onChange={(next) => void navigate({ to: '/history', search: next, replace: true })}
          />
          <Button icon={IconImport} onClick={() => setImporting(true)}>
            {t('history.import')}
          </Button>
        </>
      }
    >
      {body()}
      <ImportDialog opened={importing} onClose={() => setImporting(false)} />
    </Page>
  );
}
