// Tracks that were merged in the last 30 days, with undo.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { IconDuplicates, IconUndo } from '../../ui/theme/icons.ts';
import type { MergeOut } from '../../api/routes.ts';
import { detailOf } from '../../api/problem.ts';
import { mergesQuery, useUndoMerge } from '../../api/review.ts';
import { useSession } from '../../api/session.ts';
import { trackCover } from '../../api/urls.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Cover } from '../../ui/cover.tsx';
import { formatDate, formatNumber } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';
import { QuestionList } from './question-list.tsx';
import '../../i18n/page-texts.ts';
import styles from './review.module.css';

export function MergesPage() {
  const { t } = useTranslation();
  const list = useInfiniteQuery(mergesQuery());
  const undo = useUndoMerge();
  const { tell } = useUndoNotice();
  const canEdit = useSession()?.user.can_edit ?? false;
  const merges = list.data?.pages.flatMap((page) => page.items) ?? [];
  const total = list.data?.pages[0]?.total;
  const separate = ({ id, title }: MergeOut) =>
    undo.mutate(id, {
      onSuccess: () => tell(t('merges.separated', { title })),
      onError: (error) => tell(detailOf(error)),
    });

  return (
    <Page title={t('place.merges')} count={total ? formatNumber(total) : undefined}>
      <QuestionList
        list={list}
        isEmpty={merges.length === 0}
        skeletons={{ count: 4, height: '96px' }}
        empty={{ icon: IconDuplicates, title: t('merges.emptyTitle'), text: t('merges.empty') }}
      >
        <p className={styles.lead}>{t('merges.lead')}</p>
        <ul className={styles.list} aria-label={t('place.merges')}>
          {merges.map((merge) => (
            <Merge
              key={merge.id}
              merge={merge}
              onUndo={canEdit ? () => separate(merge) : undefined}
              isBusy={undo.isPending}
            />
          ))}
        </ul>
      </QuestionList>
    </Page>
  );
}

function Merge({ merge, onUndo, isBusy }: { merge: MergeOut; onUndo: (() => void) | undefined; isBusy: boolean }) {
  const { t } = useTranslation();
  const { into } = merge;
  const by = [merge.artist_name ?? t('library.unknownArtist'), merge.album_title].filter(Boolean).join(' · ');
  return (
    <li className={styles.merge} aria-label={merge.title}>
      <Cover src={into && trackCover(into, 64)} alt="" className={styles.mergeCover} />
      <div className={styles.text}>
        <p className={styles.title}>{merge.title}</p>
        <p className={styles.by}>{by}</p>
        <p className={styles.by}>
          <code>{placeOf(merge)}</code>
        </p>
        <p className={styles.by}>
          <code>
            {into
              ? t(merge.reason === 'replaced' ? 'merges.replacedBy' : 'merges.into', { path: placeOf(into) })
              : t('merges.intoDeleted')}
          </code>
        </p>
        <p className={styles.reason}>
          {t(`merges.reason.${merge.reason}`)} ·{' '}
          {merge.merged_by_name === null
            ? t('merges.byScan', { date: formatDate(merge.merged_at) })
            : t('merges.by', { name: merge.merged_by_name, date: formatDate(merge.merged_at) })}{' '}
          · {t('merges.until', { date: formatDate(merge.expires_at) })}
        </p>
      </div>
      {onUndo && (
        <div className={styles.buttons}>
          <Button
            icon={IconUndo}
            disabled={isBusy}
            onClick={onUndo}
            aria-label={t('merges.undoLabel', { title: merge.title })}
          >
            {t('merges.undo')}
          </Button>
        </div>
      )}
    </li>
  );
}

/** Returns the path of a scanned file, or the title, since uploads and catalogue tracks have no path. */
const placeOf = ({ source, source_id: path, title }: Pick<MergeOut, 'source' | 'source_id' | 'title'>): string =>
  source === 'local_folder' ? path : title;
