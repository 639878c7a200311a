import type { TFunction } from 'i18next';
import { AvailabilityIcon } from '../../music/availability-icon.tsx';
import type { PlaylistEntryOut } from '../../api/routes.ts';
import { LikeButton } from '../../music/like-button.tsx';
import { PlayCover } from '../../music/play-cover.tsx';
import { TrackMenu } from '../../music/track-menu.tsx';
import { formatAgo, formatClock, formatNumber } from '../../ui/format.ts';
import { RowLink } from '../../ui/lists/row-link.tsx';
import type { Column } from '../../ui/lists/virtual-table.tsx';
import styles from './playlists.module.css';

/** Widths in pixels of a digit, and of the least that the column of numbers needs. */
const NUMBER_WIDTH = { digit: 9, minimum: 40 };

/** Returns the width of the column of numbers in a list with this number of rows. */
export const numberWidth = (count: number): string =>
  `${Math.max(NUMBER_WIDTH.minimum, formatNumber(count).length * NUMBER_WIDTH.digit)}px`;

/** Returns the columns of a list with this number of rows. */
export function entryColumns(t: TFunction, count: number, onPlay: (index: number) => void): Column<PlaylistEntryOut>[] {
  return [
    {
      id: 'position',
      label: t('table.number'),
      width: numberWidth(count),
      align: 'end',
      wideOnly: true,
      cell: ({ position }) => <span className={styles.quiet}>{formatNumber(position + 1)}</span>,
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
