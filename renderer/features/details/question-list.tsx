import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Icon } from '../../ui/theme/icons.ts';
import { detailOf } from '../../api/problem.ts';
import { Button, ButtonLink } from '../../ui/controls/button.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import '../../i18n/page-texts.ts';
import styles from './review.module.css';

interface QuestionListProps {
  list: {
    data: unknown;
    error: Error | null;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    refetch: () => unknown;
    fetchNextPage: () => unknown;
  };
  /** Whether every loaded question is answered. */
  isEmpty: boolean;
  skeletons: { count: number; height: string };
  empty: { icon: Icon; title: string; text: string };
  children: ReactNode;
}

/** A page of questions with one of four contents: error, loading, all answered, or the list. */
export function QuestionList({ list, isEmpty, skeletons, empty, children }: QuestionListProps) {
  const { t } = useTranslation();
  if (list.error && !list.data) return <ErrorState detail={detailOf(list.error)} onRetry={() => void list.refetch()} />;
  if (!list.data)
    return Array.from({ length: skeletons.count }, (_, i) => (
      <div key={i} className={styles.held}>
        <Skeleton height={skeletons.height} radius="var(--r-l)" />
      </div>
    ));
  if (isEmpty && !list.hasNextPage)
    return (
      <EmptyState icon={empty.icon} title={empty.title} actions={<ButtonLink to="/">{t('notFound.home')}</ButtonLink>}>
        {empty.text}
      </EmptyState>
    );
  return (
    <>
      {children}
      {list.hasNextPage && (
        <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t('review.more')}
        </Button>
      )}
    </>
  );
}
