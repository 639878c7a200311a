import { useTranslation } from 'react-i18next';
import { IconClose } from '../../ui/theme/icons.ts';
import type { HistoryOut } from '../../api/routes.ts';
import { trackCover } from '../../api/urls.ts';
import { CoverButton } from '../../music/play-cover.tsx';
import { markItems } from '../../music/item-marks.ts';
import { trackItems } from '../../music/items.ts';
import { oneTrack } from '../../music/track-drag.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Cover } from '../../ui/cover.tsx';
import { formatDate, formatTime } from '../../ui/format.ts';
import { RowLink } from '../../ui/lists/row-link.tsx';
import '../../i18n/page-texts.ts';
import rows from '../../ui/lists/rows.module.css';
import styles from './history.module.css';

/** One play; a play without a track in the library has only names. */
export function PlayRow({ play, onTakeBack }: { play: HistoryOut; onTakeBack: () => void }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const { track } = play;
  return (
    <article
      className={classNames(rows.row, styles.play, !track && styles.loose)}
      data-track={track?.id}
      {...(track && markItems(trackItems(oneTrack(track))))}
      aria-label={play.title}
    >
      {track ? (
        <CoverButton
          src={trackCover(track, 64)}
          label={t('track.playLabel', { title: play.title })}
          className={styles.cover}
          data-stop
          onClick={() => player.playTracks([track])}
        />
      ) : (
        <Cover src={null} alt="" className={styles.cover} />
      )}
      <div className={rows.text}>
        <span className={classNames(rows.title, styles.title)}>{play.title}</span>
        <span className={rows.by}>
          {track?.artist_id ? (
            <RowLink href={`/artists/${track.artist_id}`}>{play.artist_name}</RowLink>
          ) : (
            (play.artist_name ?? t('library.unknownArtist'))
          )}
          {play.album_title !== null && ' · '}
          {track?.album_id && track.album_title !== null ? (
            <RowLink href={`/albums/${track.album_id}`}>{play.album_title}</RowLink>
          ) : (
            play.album_title
          )}
        </span>
      </div>
      {!track && <span className={styles.note}>{t('history.notHere')}</span>}
      <time className={styles.time} dateTime={play.played_at} title={formatDate(play.played_at)}>
        {formatTime(play.played_at)}
      </time>
      <IconButton
        className={styles.back}
        label={t('history.takeBack', { title: play.title })}
        icon={IconClose}
        size="small"
        iconSize={16}
        onClick={onTakeBack}
      />
    </article>
  );
}
