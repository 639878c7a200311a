// A list of uncertain matches. Arrow keys move, Enter applies the match, D dismisses it, U undoes the last decision.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { IconReview } from '../../ui/theme/icons.ts';
import type { ReviewOut } from '../../api/routes.ts';
import { detailOf } from '../../api/problem.ts';
import { reviewQuery, useApplyMatch, useDismissReview, useUndoEnrichment } from '../../api/review.ts';
import { formatNumber } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { moveAmongRows } from '../../ui/lists/row-keys.ts';
import { usePutAway } from '../../ui/controls/undoable.ts';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';
import { ReviewItem } from './review-item.tsx';
import { QuestionList } from './question-list.tsx';
import '../../i18n/page-texts.ts';
import styles from './review.module.css';

const keyOf = ({ track, created_at }: ReviewOut) => `review:${track.id}:${created_at}`;

export function ReviewPage() {
  const { t } = useTranslation();
  const list = useInfiniteQuery(reviewQuery());
  const hiddenKeys = usePutAway();
  const notice = useUndoNotice();
  const apply = useApplyMatch();
  const dismiss = useDismissReview();
  const undo = useUndoEnrichment();
  const latestUndo = useRef<(() => void) | null>(null);
  const rows = useRef<HTMLUListElement>(null);
  const items = list.data?.pages.flatMap((page) => page.items).filter((item) => !hiddenKeys.has(keyOf(item))) ?? [];

  // The keys apply to the whole page, because after the last question no element of the list can have the focus.
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const isElsewhere =
        event.target instanceof HTMLElement &&
        event.target.closest('input, textarea, [role="dialog"], [role="menu"]') !== null;
      if (event.key !== 'u' || event.ctrlKey || event.metaKey || event.altKey || isElsewhere || !latestUndo.current)
        return;
      event.preventDefault();
      latestUndo.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  /** Focuses the next question. */
  const focusNext = (item: ReviewOut) => {
    const itemIndex = items.indexOf(item);
    requestAnimationFrame(() => {
      const stops = rows.current?.querySelectorAll<HTMLElement>('[data-stop]') ?? [];
      stops[Math.min(itemIndex, stops.length - 1)]?.focus();
    });
  };

  const applyMatch = (item: ReviewOut) => {
    const applyRequest = apply.mutateAsync({ trackId: item.track.id, n: item.match.n });
    // The U key must work at once, because the row may be gone before the response arrives.
    const back = () => {
      latestUndo.current = null;
      const undone = applyRequest.then(
        () => undo.mutateAsync(item.track.id),
        () => undefined, // the error is displayed below
      );
      undone.catch((error: unknown) => notice.tell(detailOf(error)));
    };
    latestUndo.current = back;
    applyRequest.then(
      () => {
        if (latestUndo.current !== back) return; // the decision was undone or another one was made
        notice.done(t('review.applied', { title: item.match.title ?? item.track.title }), back);
        focusNext(item);
      },
      (error: unknown) => {
        if (latestUndo.current === back) latestUndo.current = null;
        notice.tell(detailOf(error));
      },
    );
  };
  const dismissItem = (item: ReviewOut) => {
    latestUndo.current = notice.later({
      message: t('review.dismissed', { title: item.track.title }),
      keys: [keyOf(item)],
      run: () => dismiss.mutateAsync(item.track.id),
      onUndo: () => {
        latestUndo.current = null;
      },
    });
    focusNext(item);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLUListElement>) => {
    moveAmongRows(event);
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const item = items.find(
      ({ track }) =>
        String(track.id) === (event.target as HTMLElement).closest<HTMLElement>('[data-stop]')?.dataset['track'],
    );
    const isRow = (event.target as HTMLElement).hasAttribute('data-stop');
    const action =
      item && event.key === 'd'
        ? () => dismissItem(item)
        : item && isRow && event.key === 'Enter'
          ? () => applyMatch(item)
          : undefined;
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };

  const total = list.data?.pages[0]?.total;
  return (
    <Page title={t('place.review')} count={total ? formatNumber(total) : undefined}>
      <QuestionList
        list={list}
        isEmpty={items.length === 0}
        skeletons={{ count: 4, height: '148px' }}
        empty={{ icon: IconReview, title: t('review.emptyTitle'), text: t('review.empty') }}
      >
        <p className={styles.lead}>
          {t('review.lead')} <span className={styles.keys}>{t('review.keys')}</span>
        </p>
        <ul ref={rows} className={styles.list} onKeyDown={onKeyDown} aria-label={t('place.review')}>
          {items.map((item, i) => (
            <ReviewItem
              key={keyOf(item)}
              item={item}
              isFirst={i === 0}
              disabled={apply.isPending}
              onApply={() => applyMatch(item)}
              onDismiss={() => dismissItem(item)}
            />
          ))}
        </ul>
      </QuestionList>
    </Page>
  );
}
