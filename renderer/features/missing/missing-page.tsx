// Tracks without a file: the user finds the file or removes the track. Enter on a row opens the search for its file.
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconAllWell, IconDelete, IconScan } from '../../ui/theme/icons.ts';
import type { TrackOut } from '../../api/routes.ts';
import { useScanProgress, useStartScan } from '../../api/jobs.ts';
import { certainQuery, MISSING_SORTS, missingPage, useRelocateCertain } from '../../api/missing.ts';
import { usePagedList } from '../../api/paged-list.ts';
import { detailOf } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CheckedTable } from '../../ui/lists/checked-table.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';
import { usePutAway } from '../../ui/controls/undoable.ts';
import { MAX_SELECTED_ROWS } from '../../ui/lists/selection.ts';
import { useSelection } from '../../ui/lists/use-selection.ts';
import { FindDialog } from './find-dialog.tsx';
import { missingColumns } from './missing-columns.tsx';
import { missingKey, undoRemovalOf, useRemoveMissing } from './use-remove-missing.ts';
import tableStyles from '../../ui/lists/checked-table.module.css';
import '../../i18n/page-texts.ts';
import styles from './missing.module.css';

const PLACEHOLDERS = 12;
/** Height for four lines: title, artist, and the proposed replacement with the reason. */
const NARROW_ROW = 88;

export function MissingPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/app/care/missing' });
  const navigate = useNavigate();
  const list = usePagedList((page) => missingPage(search, page));
  const hiddenKeys = usePutAway();
  const isLeaving = (id: number) => hiddenKeys.has(missingKey(id));
  const total = list.total ?? 0;
  const selection = useSelection({ total, item: list.item, idOf: (track) => track.id, fetchRows: list.fetchRows });
  const remove = useRemoveMissing();
  const { tell } = useUndoNotice();
  const [sought, setSought] = useState<TrackOut | null>(null);
  const [announcement, setSaid] = useState('');
  const sort = search.sort ?? 'title';
  const descending = search.order === 'desc';
  const count = list.total ?? PLACEHOLDERS;

  useEffect(() => {
    if (list.total === 0) selection.clear();
  }, [list.total]);

  const searchFile = (track: TrackOut | undefined) => track && !isLeaving(track.id) && setSought(track);
  const removeChosen = () => {
    if (selection.count > MAX_SELECTED_ROWS)
      return tell(t('select.tooMany', { most: formatNumber(MAX_SELECTED_ROWS) }));
    return void list
      .fetchRows(0, total - 1)
      .then((tracks) => {
        remove(tracks.filter(({ id }) => selection.has(id) && !isLeaving(id)));
        selection.clear();
      })
      .catch((error: unknown) => tell(detailOf(error)));
  };
  const columns = missingColumns({
    t,
    isLeaving,
    onFind: searchFile,
    onRemove: (track) => remove([track]),
    onUndo: (track) => undoRemovalOf(track.id),
  });

  const onSort = (id: string) => {
    const next = MISSING_SORTS.find((name) => name === id);
    if (!next) return;
    void navigate({
      to: '/missing',
      search: {
        ...(next !== 'title' && { sort: next }),
        ...(next === sort && !descending && { order: 'desc' as const }),
      },
      replace: true,
    });
  };

  function body() {
    if (list.error && list.total === undefined)
      return <ErrorState detail={detailOf(list.error)} onRetry={list.retry} />;
    if (list.total === 0)
      return (
        <EmptyState icon={IconAllWell} title={t('missing.emptyTitle')}>
          {t('missing.empty')}
        </EmptyState>
      );
    return (
      <CheckedTable
        lead={t('missing.lead')}
        keys={t('missing.keys')}
        chosen={selection}
        checkLabel={({ title }) => t('missing.select', { title })}
        isDisabled={({ id }) => isLeaving(id)}
        onRemove={(track) => remove([track])}
        onRemoveChosen={removeChosen}
        label={t('missing.label')}
        columns={columns}
        count={count}
        narrowRowHeight={NARROW_ROW}
        item={list.item}
        sort={{ id: sort, descending }}
        onSort={onSort}
        onRange={list.show}
        onOpen={(index) => searchFile(list.item(index))}
      >
        <RelocateCertain
          onFound={(count) => setSaid(t('missing.foundCertain', { count, number: formatNumber(count) }))}
        />
      </CheckedTable>
    );
  }

  return (
    <Page
      title={t('place.missing')}
      count={list.total ? formatNumber(list.total) : undefined}
      tools={
        <>
          {selection.count > 0 ? (
            <>
              <span className={tableStyles.chosen} aria-live="polite">
                {t('missing.chosen', { count: selection.count, number: formatNumber(selection.count) })}
              </span>
              <Button icon={IconDelete} onClick={removeChosen}>
                {t('missing.remove')}
              </Button>
              <Button variant="plain" onClick={selection.clear}>
                {t('missing.clear')}
              </Button>
            </>
          ) : (
            <>
              {total > 1 && (
                <Button variant="plain" onClick={selection.all}>
                  {t('missing.selectAll')}
                </Button>
              )}
              <ScanAgain />
            </>
          )}
        </>
      }
    >
      {body()}
      <div role="status" className="visually-hidden">
        {announcement}
      </div>
      <FindDialog
        track={sought}
        onClose={() => setSought(null)}
        onFound={(track) => setSaid(t('missing.found', { title: track.title }))}
      />
    </Page>
  );
}

/** The button that relocates all tracks whose replacement is certain. */
function RelocateCertain({ onFound }: { onFound: (foundCount: number) => void }) {
  const { t } = useTranslation();
  const total = useQuery(certainQuery()).data?.total ?? 0;
  const relocateAll = useRelocateCertain();
  if (total === 0 && !relocateAll.error) return null;
  return (
    <div className={styles.certain}>
      <p>{t('missing.certain', { count: total, number: formatNumber(total) })}</p>
      {relocateAll.error && (
        <p role="alert" className={styles.error}>
          {detailOf(relocateAll.error)}
        </p>
      )}
      <Button
        variant="primary"
        disabled={relocateAll.isPending}
        onClick={() => relocateAll.mutate(undefined, { onSuccess: (result) => onFound(result.total) })}
      >
        {t('missing.takeCertain', { count: total, number: formatNumber(total) })}
      </Button>
    </div>
  );
}

/** The button that starts a scan, which only the owner may do. */
function ScanAgain() {
  const { t } = useTranslation();
  const isOwner = useSession()?.user.is_superuser ?? false;
  const scanning = useScanProgress() !== null;
  const scan = useStartScan();
  if (!isOwner) return null;
  return (
    <>
      {scan.error && (
        <span role="alert" className={styles.error}>
          {detailOf(scan.error)}
        </span>
      )}
      <Button variant="primary" icon={IconScan} onClick={() => scan.mutate()} disabled={scan.isPending || scanning}>
        {t('missing.scan')}
      </Button>
    </>
  );
}
