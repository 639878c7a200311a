import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import type { TrackOut } from '../../../server/library/wire.ts';
import { formatClock, formatFormat } from '../../ui/format.ts';
import type { Column } from '../../ui/virtual-table.tsx';
import { TrackMenu } from './track-menu.tsx';
import styles from './track-columns.module.css';

/** The columns of the tracks table; `play` draws what starts a row. */
export function trackColumns(t: TFunction, play: (track: TrackOut, index: number) => ReactNode): Column<TrackOut>[] {
  return [
    {
      id: 'title', label: t('sort.title'), width: 'minmax(0, 5fr)', sortable: true,
      cell: (track, index) => (
        <div className={styles.title}>
          {play(track, index)}
          <span className={styles.text}>
            <span className={styles.line}>{track.title}</span>
            <span className={styles.narrowBy}>{track.artist_name ?? t('library.unknownArtist')}</span>
          </span>
        </div>
      ),
    },
    {
      id: 'artist', label: t('sort.artist'), width: 'minmax(0, 3fr)', sortable: true, wideOnly: true,
      cell: (track) => (track.artist_id === null ? track.artist_name : <Link to="/artists/$artistId" params={{ artistId: track.artist_id }} tabIndex={-1} className={styles.quiet}>{track.artist_name}</Link>),
    },
    {
      id: 'album', label: t('sort.album'), width: 'minmax(0, 3fr)', sortable: true, wideOnly: true,
      cell: (track) => (track.album_id === null ? null : <Link to="/albums/$albumId" params={{ albumId: track.album_id }} tabIndex={-1} className={styles.quiet}>{track.album_title}</Link>),
    },
    { id: 'year', label: t('sort.year'), width: '48px', sortable: true, wideOnly: true, align: 'end', cell: (track) => <span className={styles.quiet}>{track.year}</span> },
    { id: 'format', label: t('track.format'), width: '56px', wideOnly: true, cell: (track) => <span className={styles.tag}>{track.format && formatFormat(track.format)}</span> },
    { id: 'duration', label: t('track.time'), width: '56px', sortable: true, align: 'end', cell: (track) => <span className={styles.quiet}>{track.duration_ms === null ? '' : formatClock(track.duration_ms)}</span> },
    { id: 'menu', label: '', width: '36px', cell: (track) => <TrackMenu track={track} tabIndex={-1} /> },
  ];
}
