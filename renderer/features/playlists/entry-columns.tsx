import type { TFunction } from 'i18next';
import { AvailabilityIcon } from '../../music/availability-icon.tsx';
import type { PlaylistEntryOut } from '../../api/routes.ts';
import { LikeButton } from '../../music/like-button.tsx';
import { PlayCover } from '../../music/play-cover.tsx';
import { TrackMenu } from '../../music/track-menu.tsx';
import { formatAgo, formatClock } from '../../ui/format.ts';
import { RowLink } from '../../ui/lists/row-link.tsx';
import type { Column } from '../../ui/lists/virtual-table.tsx';
import styles from './playlists.module.css';

export function entryColumns(t: TFunction, onPlay: (index: number) => void): Column<PlaylistEntryOut>[] {
  return [
    {
      id: 'position',
      label: t('table.number'),
      width: '40px',
      align: 'end',
      wideOnly: true,
      cell: (_, index) => <span className={styles.quiet}>{index + 1}</span>,
    },
    {
      id: 'title',
      label: t('sort.title'),
      width: 'minmax(0, 5fr)',
      cell: ({ track }, index) => (
        <div className={styles.title} data-elsewhere={track.availability !== 'available' || undefined}>
          <PlayCover track={track} onPlay={() => onPlay(index)} />
          <span className={styles.text}>
            <span>{track.title}</span>
            <span>
              {track.artist_id === null ? (
                (track.artist_name ?? t('library.unknownArtist'))
              ) : (
                <RowLink href={`/artists/${track.artist_id}`} tabIndex={-1}>
                  {track.artist_name}
                </RowLink>
              )}
            </span>
          </span>
          <AvailabilityIcon availability={track.availability} />
        </div>
      ),
    },
    {
      id: 'album',
      label: t('sort.album'),
      width: 'minmax(0, 3fr)',
      wideOnly: true,
      cell: ({ track }) =>
        track.album_title === null ? null : (
          <RowLink href={`/albums/${track.album_id}`} tabIndex={-1} className={styles.quiet}>
            {track.album_title}
          </RowLink>
        ),
    },
    {
      id: 'added',
      label: t('table.added'),
      width: '112px',
      wideOnly: true,
      cell: ({ added_at }) => <span className={styles.quiet}>{formatAgo(added_at)}</span>,
    },
    {
      id: 'duration',
      label: t('track.time'),
      width: '56px',
      align: 'end',
      cell: ({ track }) => (
        <span className={styles.quiet}>{track.duration_ms === null ? '' : formatClock(track.duration_ms)}</span>
      ),
    },
    {
      id: 'liked',
      label: '',
      hiddenLabel: t('like.like'),
      width: '36px',
      wideOnly: true,
      cell: ({ track }) => <LikeButton type="track" item={track} name={track.title} size={18} tabIndex={-1} />,
    },
    {
      id: 'menu',
      label: '',
      hiddenLabel: t('table.actions'),
      width: '36px',
      cell: ({ track }) => <TrackMenu track={track} tabIndex={-1} />,
    },
  ];
}
