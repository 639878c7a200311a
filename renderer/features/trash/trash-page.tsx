// Deleted tracks, which the user restores or deletes permanently. Enter on a row restores its track.
import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePagedList } from '../../api/paged-list.ts';
import type { TrashedTrackOut } from '../../api/routes.ts';
import { detailOf } from '../../api/problem.ts';
import { trashPage, trashTotalQuery, useEmptyTrash, useRestoreTracks } from '../../api/trash.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CheckedTable } from '../../ui/lists/checked-table.tsx';
import { formatBytes, formatNumber } from '../../ui/format.ts';
import { IconDelete, IconTrash, IconUndo } from '../../ui/theme/icons.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';
import { MAX_SELECTED_ROWS } from '../../ui/lists/selection.ts';
import { useSelection } from '../../ui/lists/use-selection.ts';
import { trashColumns } from './trash-columns.tsx';
import tableStyles from '../../ui/lists/checked-table.module.css';
import '../../i18n/page-texts.ts';
import styles from './trash.module.css';

const PLACEHOLDERS = 12;
const BY_TIME = { id: 'deleted', descending: true };

/** Tracks to be deleted permanently after confirmation; without `ids` the whole trash. */
type DeletionRequest = { ids?: readonly number[]; count: number; title?: string };

export function TrashPage() {
  const { t } = useTranslation();
  const list = usePagedList(trashPage);
  const { data: totals } = useQuery(trashTotalQuery());
  const total = list.total ?? 0;
  const selection = useSelection({ total, item: list.item, idOf: (track) => track.id, fetchRows: list.fetchRows });
  const { tell } = useUndoNotice();
  const restoring = useRestoreTracks();
  const emptying = useEmptyTrash();
  const [deletionRequest, setAsked] = useState<DeletionRequest | null>(null);
  const count = list.total ?? PLACEHOLDERS;
  const isEverything = selection.selection.all && selection.selection.except.size === 0;

  useEffect(() => {
    if (list.total === 0) selection.clear();
  }, [list.total]);

  const showError = (error: unknown) => tell(detailOf(error));
  /** Returns the selected tracks; undefined if there are too many to list. */
  const chosenTracks = async (): Promise<TrashedTrackOut[] | undefined> => {
    if (selection.count > MAX_SELECTED_ROWS)
      return void tell(t('select.tooMany', { most: formatNumber(MAX_SELECTED_ROWS) }));
    return (await list.fetchRows(0, total - 1)).filter(({ id }) => selection.has(id));
  };
  const restore = (tracks: readonly TrashedTrackOut[]) => {
    const [firstTrack] = tracks;
    if (!firstTrack) return;
    restoring.mutate(
      tracks.map(({ id }) => id),
      {
        onSuccess: ({ restored, failed: failures }) => {
          selection.clear();
          if (restored > 0)
            tell(
              restored === 1 && tracks.length === 1
                ? t('trash.restoredOne', { title: firstTrack.title })
                : t('trash.restored', { count: restored, number: formatNumber(restored) }),
            );
          if (failures[0]) tell(t('trash.notRestored', { count: failures.length, detail: failures[0].detail }));
        },
        onError: showError,
      },
    );
  };
  const restoreChosen = () => void chosenTracks().then((tracks) => tracks && restore(tracks), showError);
  const askToDelete = (tracks: readonly TrashedTrackOut[]) => {
    const deletableTracks = tracks.filter(({ may_delete }) => may_delete);
    const [firstDeletable] = deletableTracks;
    if (!firstDeletable) return tell(t('trash.mayNot'));
    setAsked({
      ids: deletableTracks.map(({ id }) => id),
      count: deletableTracks.length,
      ...(deletableTracks.length === 1 && { title: firstDeletable.title }),
    });
  };
  const askChosen = () =>
    isEverything
      ? setAsked({ count: total })
      : void chosenTracks().then((tracks) => tracks && askToDelete(tracks), showError);
  const deleteAsked = () => {
    if (!deletionRequest) return;
    emptying.mutate(deletionRequest.ids, {
      onSuccess: ({ deleted }) => {
        selection.clear();
        tell(t('trash.gone', { count: deleted, number: formatNumber(deleted) }));
      },
      onError: showError,
      onSettled: () => setAsked(null),
    });
  };

  const columns = trashColumns({
    t,
    onRestore: (track) => restore([track]),
    onDelete: (track) => askToDelete([track]),
  });

  function body() {
    if (list.error && list.total === undefined)
      return <ErrorState detail={detailOf(list.error)} onRetry={list.retry} />;
    if (list.total === 0)
      return (
        <EmptyState icon={IconTrash} title={t('trash.emptyTitle')}>
          {t('trash.emptyHelp')}
        </EmptyState>
      );
    return (
      <CheckedTable
        lead={t('trash.lead')}
        keys={t('trash.keys')}
        chosen={selection}
        checkLabel={({ title }) => t('trash.select', { title })}
        onRemove={(track) => askToDelete([track])}
        onRemoveChosen={askChosen}
        label={t('trash.label')}
        columns={columns}
        count={count}
        item={list.item}
        sort={BY_TIME}
        onSort={() => {}}
        onRange={list.show}
        onOpen={(index) => {
          const track = list.item(index);
          if (track) restore([track]);
        }}
      />
    );
  }

  return (
    <Page
      title={t('place.trash')}
      count={totals?.total ? `${formatNumber(totals.total)} · ${formatBytes(totals.size_bytes)}` : undefined}
      tools={
        selection.count > 0 ? (
          <>
            <span className={tableStyles.chosen} aria-live="polite">
              {t('select.chosen', { count: selection.count, number: formatNumber(selection.count) })}
            </span>
            <Button variant="primary" icon={IconUndo} disabled={restoring.isPending} onClick={restoreChosen}>
              {t('trash.restore')}
            </Button>
            <Button icon={IconDelete} onClick={askChosen}>
              {t('trash.deleteNow')}
            </Button>
            <Button variant="plain" onClick={selection.clear}>
              {t('select.clear')}
            </Button>
          </>
        ) : (
          total > 0 && (
            <>
              <Button variant="plain" onClick={selection.all}>
                {t('trash.selectAll')}
              </Button>
              <Button icon={IconDelete} onClick={() => setAsked({ count: total })}>
                {t('trash.empty')}
              </Button>
            </>
          )
        )
      }
    >
      {body()}
      <Modal
        opened={deletionRequest !== null}
        onClose={() => setAsked(null)}
        title={deletionRequest?.ids ? t('trash.deleteNow') : t('trash.empty')}
        closeButtonProps={{ 'aria-label': t('trash.cancel') }}
      >
        <div className={styles.ask}>
          <p>
            {deletionRequest?.title === undefined
              ? t('trash.ask', {
                  count: deletionRequest?.count ?? 0,
                  number: formatNumber(deletionRequest?.count ?? 0),
                })
              : t('trash.askOne', { title: deletionRequest.title })}
          </p>
          <div className={styles.buttons}>
            <Button variant="plain" onClick={() => setAsked(null)}>
              {t('trash.cancel')}
            </Button>
            <Button variant="primary" data-autofocus disabled={emptying.isPending} onClick={deleteAsked}>
              {t('trash.deleteNow')}
            </Button>
          </div>
        </div>
      </Modal>
    </Page>
  );
}
