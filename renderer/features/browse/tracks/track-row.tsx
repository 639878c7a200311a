import { useTranslation } from 'react-i18next';
import { IconPause, IconPlay } from '../../../ui/theme/icons.ts';
import type { TrackOut } from '../../../api/routes.ts';
import { trackCover } from '../../../api/urls.ts';
import { currentEntry, isSounding } from '../../../player/player.ts';
import { usePlayer, usePlayerCommands } from '../../../player/use-player.ts';
import { classNames } from '../../../ui/class-names.ts';
import { Cover } from '../../../ui/cover.tsx';
import { formatClock, formatFormat, formatNumber } from '../../../ui/format.ts';
import { RowLink } from '../../../ui/lists/row-link.tsx';
import { useIsPutAway } from '../../../ui/controls/undoable.ts';
import { SoundBars } from '../../../ui/sound-bars.tsx';
import { LikeButton } from '../../../music/like-button.tsx';
import { markItems } from '../../../music/item-marks.ts';
import { trackItems } from '../../../music/items.ts';
import { endTrackDrag, oneTrack } from '../../../music/track-drag.ts';
import { Stars } from '../../../music/stars.tsx';
import { TrackMenu } from '../../../music/track-menu.tsx';
import '../../../i18n/page-texts.ts';
import rows from '../../../ui/lists/rows.module.css';
import styles from './track-list.module.css';

interface TrackRowProps {
  track: TrackOut;
  /** The track number, or the cover in lists with tracks of several albums. */
  lead: 'number' | 'cover';
  /** Displayed instead of the title, such as the name of a movement; the title is its tooltip. */
  name?: string | undefined;
  /** The side of a record, displayed before the track number. */
  side?: string | undefined;
  /** False if the heading of the page already names the artist. */
  withArtist: boolean;
  /** True if the tracks of the list have different formats. */
  withFormat: boolean;
  /** True if the row shows how often its track was played. */
  withPlays?: boolean;
  /** True if the row has the rating of its track. */
  withStars?: boolean;
  onPlay: () => void;
}

export function TrackRow({
  track,
  name,
  lead,
  side = '',
  withArtist,
  withFormat,
  withPlays = false,
  withStars = false,
  onPlay,
}: TrackRowProps) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const isCurrent = usePlayer((state) => currentEntry(state)?.track.id === track.id);
  const sounding = usePlayer((state) => isCurrent && isSounding(state));
  const isAway = useIsPutAway(`track:${track.id}`);
  if (isAway) return null;
  const start = () => (isCurrent ? player.toggle() : onPlay());
  const { availability } = track;
  const absence = availability !== 'available' && availability !== 'fetching' ? availability : undefined;
  const mark = isCurrent ? (
    <SoundBars moving={sounding} />
  ) : lead === 'number' ? (
    <span className={styles.place} data-place={track.track_number === null ? '·' : `${side}${track.track_number}`} />
  ) : (
    <Cover src={trackCover(track, 64)} alt="" className={styles.cover} />
  );
  return (
    <li
      className={classNames(rows.row, styles.row, isCurrent && styles.current, absence && styles.gone)}
      aria-current={isCurrent || undefined}
      data-lead={lead}
      data-stars={withStars || undefined}
      draggable
      {...markItems(trackItems(oneTrack(track)))}
      onDragEnd={endTrackDrag}
      data-track={track.id}
      onDoubleClick={(event) => {
        if (!(event.target as HTMLElement).closest('a, button')) onPlay();
      }}
      onClick={(event) => {
        if (
          event.nativeEvent instanceof PointerEvent &&
          event.nativeEvent.pointerType === 'touch' &&
          !(event.target as HTMLElement).closest('a, button')
        )
          onPlay();
      }}
    >
      <button
        type="button"
        className={styles.start}
        data-stop
        onClick={start}
        aria-label={t(sounding ? 'track.pauseLabel' : 'track.playLabel', { title: track.title })}
      >
        <span className={styles.number}>{mark}</span>
        {sounding ? <IconPause size={16} aria-hidden /> : <IconPlay size={16} aria-hidden />}
      </button>
      <div className={classNames(rows.text, styles.text)}>
        <span className={classNames(rows.title, styles.title)} title={track.title}>
          {name ?? track.title}
        </span>
        {withArtist && (
          <span className={rows.by}>
            {track.artist_id === null ? (
              (track.artist_name ?? t('library.unknownArtist'))
            ) : (
              <RowLink href={`/artists/${track.artist_id}`}>{track.artist_name}</RowLink>
            )}
          </span>
        )}
      </div>
      <span className={styles.side}>
        {absence ? t(`availability.${absence}`) : withFormat && track.format && formatFormat(track.format)}
      </span>
      {withPlays && (
        <span className={styles.plays}>
          {track.play_count > 0 &&
            t('history.plays', { count: track.play_count, number: formatNumber(track.play_count) })}
        </span>
      )}
      {withStars && (
        <span className={styles.stars}>
          <Stars type="track" item={track} name={track.title} />
        </span>
      )}
      <span className={styles.length}>{track.duration_ms === null ? '' : formatClock(track.duration_ms)}</span>
      <LikeButton type="track" item={track} name={track.title} size={18} className={styles.heart} />
      <TrackMenu track={track} className={styles.menu} />
    </li>
  );
}
