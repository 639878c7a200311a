import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { AvailabilityIcon } from '../../../music/availability-icon.tsx';
import type { TrackOut } from '../../../api/routes.ts';
import { LikeButton } from '../../../music/like-button.tsx';
import { Stars } from '../../../music/stars.tsx';
import type { NamedTag } from '../../../music/tag-names.ts';
import { TrackMenu } from '../../../music/track-menu.tsx';
import { FIELD_NAMES, viewOf } from '../../../music/track-fields.ts';
import { formatAgo, formatBytes, formatClock, formatFormat, formatNumber } from '../../../ui/format.ts';
import { RowLink } from '../../../ui/lists/row-link.tsx';
import type { ChoosableColumn } from './column-layout.ts';
import styles from './track-columns.module.css';

const quietText = (value: ReactNode) => <span className={styles.quiet}>{value}</span>;

/** Returns every column of the tracks table, one for each of the tags; `play` renders the start of a row. */
export function trackColumns(
  t: TFunction,
  tags: readonly NamedTag[],
  play: (track: TrackOut, index: number) => ReactNode,
): ChoosableColumn<TrackOut>[] {
  return [
    {
      id: 'title',
      label: t('sort.title'),
      width: 'minmax(0, 5fr)',
      sortable: true,
      fixed: true,
      cell: (track, index) => (
        <div className={styles.title} data-elsewhere={track.availability !== 'available' || undefined}>
          {play(track, index)}
          <span className={styles.text}>
            <span className={styles.line}>{track.title}</span>
            <span className={styles.narrowBy}>{track.artist_name ?? t('library.unknownArtist')}</span>
          </span>
          <AvailabilityIcon availability={track.availability} />
        </div>
      ),
    },
    {
      id: 'artist',
      label: t('sort.artist'),
      width: 'minmax(0, 3fr)',
      sortable: true,
      wideOnly: true,
      cell: (track) =>
        track.artist_id === null ? (
          track.artist_name
        ) : (
          <RowLink href={`/artists/${track.artist_id}`} tabIndex={-1} className={styles.quiet}>
            {track.artist_name}
          </RowLink>
        ),
    },
    {
      id: 'album',
      label: t('sort.album'),
      width: 'minmax(0, 3fr)',
      sortable: true,
      wideOnly: true,
      cell: (track) =>
        track.album_title === null ? null : (
          <RowLink href={`/albums/${track.album_id}`} tabIndex={-1} className={styles.quiet}>
            {track.album_title}
          </RowLink>
        ),
    },
    ...FIELD_NAMES.map((name): ChoosableColumn<TrackOut> => {
      const { input, width, isShown = false, isSortable = false } = viewOf(name);
      return {
        id: name,
        label: t(`field.${name}`),
        width,
        sortable: isSortable,
        wideOnly: true,
        fromWidth: 820,
        extra: !isShown,
        ...(input === 'number' && { align: 'end' }),
        cell: (track) => quietText(track[name]),
      };
    }),
    {
      id: 'genre',
      label: t('list.genre'),
      width: 'minmax(0, 2fr)',
      wideOnly: true,
      extra: true,
      cell: (track) => quietText(track.genres.join(', ')),
    },
    ...tags.map(({ name, label }): ChoosableColumn<TrackOut> => ({
      id: `tag:${name}`,
      label,
      width: 'minmax(0, 2fr)',
      wideOnly: true,
      fromWidth: 820,
      extra: true,
      cell: (track) => quietText(track.tags[name]?.join(', ')),
    })),
    {
      id: 'play_count',
      label: t('table.plays'),
      width: '64px',
      sortable: true,
      wideOnly: true,
      extra: true,
      align: 'end',
      cell: (track) => quietText(formatNumber(track.play_count)),
    },
    {
      id: 'rating',
      label: t('table.rating'),
      width: '96px',
      sortable: true,
      wideOnly: true,
      extra: true,
      cell: (track) => <Stars type="track" item={track} name={track.title} tabIndex={-1} />,
    },
    {
      id: 'last_played_at',
      label: t('table.lastPlayed'),
      width: '112px',
      sortable: true,
      wideOnly: true,
      extra: true,
      cell: (track) => quietText(track.last_played_at && formatAgo(track.last_played_at)),
    },
    {
      id: 'created_at',
      label: t('table.added'),
      width: '112px',
      sortable: true,
      wideOnly: true,
      extra: true,
      cell: (track) => quietText(formatAgo(track.created_at)),
    },
    {
      id: 'format',
      fromWidth: 860,
      label: t('track.format'),
      width: '56px',
      wideOnly: true,
      cell: (track) => <span className={styles.tag}>{track.format && formatFormat(track.format)}</span>,
    },
    {
      id: 'bitrate',
      label: t('table.bitrate'),
      width: '80px',
      wideOnly: true,
      extra: true,
      align: 'end',
      cell: (track) => quietText(track.bitrate_kbps && t('table.kbps', { rate: formatNumber(track.bitrate_kbps) })),
    },
    {
      id: 'size',
      label: t('table.size'),
      width: '72px',
      wideOnly: true,
      extra: true,
      align: 'end',
      cell: (track) => quietText(track.size_bytes && formatBytes(track.size_bytes)),
    },
    {
      id: 'duration',
      label: t('track.time'),
      width: '56px',
      sortable: true,
      align: 'end',
      cell: (track) => quietText(track.duration_ms === null ? '' : formatClock(track.duration_ms)),
    },
    {
      id: 'liked',
      label: '',
      hiddenLabel: t('like.like'),
      width: '36px',
      fixed: true,
      wideOnly: true,
      cell: (track) => <LikeButton type="track" item={track} name={track.title} size={18} tabIndex={-1} />,
    },
    {
      id: 'menu',
      label: '',
      hiddenLabel: t('table.actions'),
      width: '36px',
      fixed: true,
      cell: (track) => <TrackMenu track={track} tabIndex={-1} />,
    },
  ];
}
