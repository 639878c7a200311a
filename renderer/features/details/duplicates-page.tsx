// Tracks that sound the same, side by side: keep one, or say that they are not the same. Nothing goes before the time
// to take it back is up.
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconCopyCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { DuplicateGroupOut } from '../../../server/enrichment/duplicate-wire.ts';
import { detailOf } from '../../api/problem.ts';
import { duplicatesQuery, useDismissDuplicates, useMergeDuplicates } from '../../api/review.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { usePutAway } from '../../ui/undoable.ts';
import { useUndoNotice } from '../../ui/undo-notice.tsx';
import { DuplicateGroup } from './duplicate-group.tsx';
import styles from './review.module.css';

const keyOf = ({ id, tracks }: DuplicateGroupOut) => `duplicates:${id}:${tracks.map((track) => track.id).join('-')}`;

export function DuplicatesPage() {
  const { t } = useTranslation();
  const list = useInfiniteQuery(duplicatesQuery());
  const away = usePutAway();
  const notice = useUndoNotice();
  const merge = useMergeDuplicates();
  const dismiss = useDismissDuplicates();
  const groups = list.data?.pages.flatMap((page) => page.items).filter((group) => !away.has(keyOf(group))) ?? [];
  const others = ({ tracks }: DuplicateGroupOut, id: number) =>
    tracks.flatMap((track) => (track.id === id ? [] : [track.id]));

  const keep = (group: DuplicateGroupOut, id: number) =>
    notice.later({
      message: t('duplicates.merged', { title: group.tracks.find((track) => track.id === id)?.title }),
      keys: [keyOf(group)],
      run: () => merge.mutateAsync({ keep: id, merge: others(group, id) }),
    });
  const tellApart = (group: DuplicateGroupOut, id: number) =>
    notice.later({
      message: t('duplicates.toldApart'),
      keys: [keyOf(group)],
      run: () => dismiss.mutateAsync({ track_id: id, other_ids: others(group, id) }),
    });

  function body() {
    if (list.error && !list.data)
      return <ErrorState detail={detailOf(list.error)} onRetry={() => void list.refetch()} />;
    if (!list.data)
      return Array.from({ length: 3 }, (_, i) => (
        <div key={i} className={styles.held}>
          <Skeleton height="200px" radius="var(--r-l)" />
        </div>
      ));
    if (groups.length === 0 && !list.hasNextPage)
      return (
        <EmptyState
          icon={IconCopyCheck}
          title={t('duplicates.emptyTitle')}
          actions={<ButtonLink to="/">{t('notFound.home')}</ButtonLink>}
        >
          {t('duplicates.empty')}
        </EmptyState>
      );
    return (
      <>
        <p className={styles.lead}>{t('duplicates.lead')}</p>
        <ul className={styles.list} aria-label={t('nav.duplicates')}>
          {groups.map((group) => (
            <DuplicateGroup
              key={keyOf(group)}
              group={group}
              onKeep={(id) => void keep(group, id)}
              onTellApart={(id) => void tellApart(group, id)}
            />
          ))}
        </ul>
        {list.hasNextPage && (
          <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t('review.more')}
          </Button>
        )}
      </>
    );
  }

  const total = list.data?.pages[0]?.total;
  return (
    <Page title={t('nav.duplicates')} count={total ? formatNumber(total) : undefined}>
      {body()}
    </Page>
  );
}
