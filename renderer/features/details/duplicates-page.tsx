// Duplicates side by side: the user keeps one track, or marks the tracks as different. Nothing is deleted before the
// undo time has passed.
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { IconDuplicates } from '../../ui/theme/icons.ts';
import type { DuplicateGroupOut } from '../../api/routes.ts';
import { duplicatesQuery, useDismissDuplicates, useMergeDuplicates } from '../../api/review.ts';
import { formatNumber } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { usePutAway } from '../../ui/controls/undoable.ts';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';
import { DuplicateGroup } from './duplicate-group.tsx';
import { QuestionList } from './question-list.tsx';
import '../../i18n/page-texts.ts';
import styles from './review.module.css';

const keyOf = ({ id, tracks }: DuplicateGroupOut) => `duplicates:${id}:${tracks.map((track) => track.id).join('-')}`;

export function DuplicatesPage() {
  const { t } = useTranslation();
  const list = useInfiniteQuery(duplicatesQuery());
  const hiddenKeys = usePutAway();
  const notice = useUndoNotice();
  const merge = useMergeDuplicates();
  const dismiss = useDismissDuplicates();
  const groups = list.data?.pages.flatMap((page) => page.items).filter((group) => !hiddenKeys.has(keyOf(group))) ?? [];
  const otherIdsOf = ({ tracks }: DuplicateGroupOut, id: number) =>
    tracks.flatMap((track) => (track.id === id ? [] : [track.id]));

  const keepTrack = (group: DuplicateGroupOut, id: number) =>
    notice.later({
      message: t('duplicates.merged', { title: group.tracks.find((track) => track.id === id)?.title }),
      keys: [keyOf(group)],
      run: () => merge.mutateAsync({ keep: id, merge: otherIdsOf(group, id) }),
    });
  const tellApart = (group: DuplicateGroupOut, id: number) =>
    notice.later({
      message: t('duplicates.toldApart'),
      keys: [keyOf(group)],
      run: () => dismiss.mutateAsync({ track_id: id, other_ids: otherIdsOf(group, id) }),
    });

  const total = list.data?.pages[0]?.total;
  return (
    <Page title={t('place.duplicates')} count={total ? formatNumber(total) : undefined}>
      <QuestionList
        list={list}
        isEmpty={groups.length === 0}
        skeletons={{ count: 3, height: '200px' }}
        empty={{ icon: IconDuplicates, title: t('duplicates.emptyTitle'), text: t('duplicates.empty') }}
      >
        <p className={styles.lead}>{t('duplicates.lead')}</p>
        <ul className={styles.list} aria-label={t('place.duplicates')}>
          {groups.map((group) => (
            <DuplicateGroup
              key={keyOf(group)}
              group={group}
              onKeep={(id) => void keepTrack(group, id)}
              onTellApart={(id) => void tellApart(group, id)}
            />
          ))}
        </ul>
      </QuestionList>
    </Page>
  );
}
