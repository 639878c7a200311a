import { useTranslation } from 'react-i18next';
import { IconUndo } from '../../ui/theme/icons.ts';
import type { PlaylistOut } from '../../api/routes.ts';
import { usePagedList } from '../../api/paged-list.ts';
import { usePutBack, versionEntryPage, type VersionEntry } from '../../api/playlists.ts';
import { detailOf } from '../../api/problem.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';
import { VirtualTable, type Column } from '../../ui/lists/virtual-table.tsx';
import { formatNumber } from '../../ui/format.ts';
import { numberWidth } from './entry-columns.tsx';
import styles from './playlists.module.css';

const doNothing = () => {};

/** The tracks of an earlier version, and a button that restores the version. */
export function VersionEntries({
  playlist,
  version,
  isOwnPlaylist,
  onBack,
}: {
  playlist: PlaylistOut;
  version: number;
  isOwnPlaylist: boolean;
  onBack: () => void;
}) {
  const { t } = useTranslation();
  const notice = useUndoNotice();
  const putBack = usePutBack();
  const list = usePagedList((page) => versionEntryPage(playlist.id, version, page));
  const restore = () =>
    putBack.mutate(
      { id: playlist.id, version },
      {
        onSuccess: ({ missing }) => {
          onBack();
          const missingText = missing.length === 0 ? '' : ` ${t('version.missing', { count: missing.length })}`;
          notice.done(t('version.restored') + missingText, () =>
            putBack.mutate({ id: playlist.id, version: playlist.version }),
          );
        },
        onError: (error) => notice.tell(detailOf(error)),
      },
    );
  const columns: Column<VersionEntry>[] = [
    {
      id: 'position',
      label: t('table.number'),
      width: numberWidth(list.total ?? 0),
      align: 'end',
      cell: (_, index) => <span className={styles.quiet}>{formatNumber(index + 1)}</span>,
    },
    {
      id: 'title',
      label: t('sort.title'),
      width: 'minmax(0, 3fr)',
      cell: (entry) => <span data-gone={entry.track_id === null || undefined}>{entry.title}</span>,
    },
    {
      id: 'artist',
      label: t('sort.artist'),
      width: 'minmax(0, 2fr)',
      cell: (entry) => <span className={styles.quiet}>{entry.artist_name}</span>,
    },
    {
      id: 'gone',
      label: '',
      hiddenLabel: t('table.state'),
      width: '120px',
      wideOnly: true,
      cell: (entry) => entry.track_id === null && <span className={styles.quiet}>{t('version.gone')}</span>,
    },
  ];
  if (list.error && list.total === undefined) return <ErrorState detail={detailOf(list.error)} onRetry={list.retry} />;
  return (
    <>
      <div className={styles.banner} role="status">
        <p>{t('version.looking', { version })}</p>
        {isOwnPlaylist && !playlist.is_smart && (
          <Button variant="primary" icon={IconUndo} disabled={putBack.isPending} onClick={restore}>
            {t('version.bringBack')}
          </Button>
        )}
        <Button onClick={onBack}>{t('version.back')}</Button>
      </div>
      {list.total === 0 ? (
        <p className={styles.keys}>{t('version.empty')}</p>
      ) : (
        <VirtualTable
          label={t('version.label', { version })}
          columns={columns}
          count={list.total ?? 10}
          item={list.item}
          sort={{ id: '', descending: false }}
          onSort={doNothing}
          onRange={list.show}
          onOpen={doNothing}
          isCurrent={() => false}
        />
      )}
    </>
  );
}
