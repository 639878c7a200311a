import type { TFunction } from 'i18next';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import type { TrashedTrackOut } from '../../api/routes.ts';
import { classNames } from '../../ui/class-names.ts';
import { formatAgo, formatBytes, formatDate } from '../../ui/format.ts';
import { IconDelete } from '../../ui/theme/icons.ts';
import { notAStop } from '../../ui/lists/checked-table.tsx';
import rows from '../../ui/lists/rows.module.css';
import type { Column } from '../../ui/lists/virtual-table.tsx';
import tableStyles from '../../ui/lists/checked-table.module.css';
import styles from './trash.module.css';

interface TrashActions {
  t: TFunction;
  onRestore: (track: TrashedTrackOut) => void;
  onDelete: (track: TrashedTrackOut) => void;
}

export function trashColumns({ t, onRestore, onDelete }: TrashActions): Column<TrashedTrackOut>[] {
  return [
    {
      id: 'title',
      label: t('sort.title'),
      width: 'minmax(0, 3fr)',
      cell: (track) => (
        <div className={tableStyles.lines}>
          <span className={rows.title}>{track.title}</span>
          <span className={classNames(rows.line, tableStyles.narrow)}>
            {track.artist_name ?? t('library.unknownArtist')} · {formatAgo(track.deleted_at)}
          </span>
        </div>
      ),
    },
    {
      id: 'artist',
      label: t('sort.artist'),
      width: 'minmax(0, 2fr)',
      wideOnly: true,
      cell: ({ artist_name }) => <span className={rows.line}>{artist_name}</span>,
    },
    {
      id: 'album',
      label: t('sort.album'),
      width: 'minmax(0, 2fr)',
      wideOnly: true,
      fromWidth: 900,
      cell: ({ album_title }) => <span className={rows.line}>{album_title}</span>,
    },
    {
      id: 'deleted',
      label: t('trash.deleted'),
      width: '132px',
      wideOnly: true,
      cell: ({ deleted_at }) => (
        <time className={rows.line} dateTime={deleted_at} title={formatDate(deleted_at)}>
          {formatAgo(deleted_at)}
        </time>
      ),
    },
    {
      id: 'by',
      label: t('trash.by'),
      width: 'minmax(0, 1fr)',
      wideOnly: true,
      cell: ({ deleted_by_name }) => <span className={rows.line}>{deleted_by_name}</span>,
    },
    {
      id: 'size',
      label: t('trash.size'),
      width: '72px',
      align: 'end',
      wideOnly: true,
      cell: ({ size_bytes }) => size_bytes !== null && formatBytes(size_bytes),
    },
    {
      id: 'expires',
      label: t('trash.expires'),
      width: '112px',
      wideOnly: true,
      cell: ({ expires_at }) => <time dateTime={expires_at}>{formatAgo(expires_at)}</time>,
    },
    {
      id: 'actions',
      label: '',
      hiddenLabel: t('table.actions'),
      width: '132px',
      align: 'end',
      cell: (track) => (
        <span className={tableStyles.actions}>
          <Button
            {...notAStop}
            aria-label={t('trash.restoreLabel', { title: track.title })}
            onClick={() => onRestore(track)}
          >
            {t('trash.restore')}
          </Button>
          <IconButton
            {...notAStop}
            className={track.may_delete ? undefined : styles.hidden}
            disabled={!track.may_delete}
            label={t('trash.deleteLabel', { title: track.title })}
            icon={IconDelete}
            iconSize={18}
            onClick={() => onDelete(track)}
          />
        </span>
      ),
    },
  ];
}
