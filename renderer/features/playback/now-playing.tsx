import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { trackQuery } from '../../api/tracks.ts';
import { LikeButton } from '../../music/like-button.tsx';
import { TrackMenu } from '../../music/track-menu.tsx';
import type { QueueTrack } from '../../player/player.ts';
import { classNames } from '../../ui/class-names.ts';
import rows from '../../ui/lists/rows.module.css';
import styles from './now-playing.module.css';

/** Title and artist of the current track, both links. */
export function NowPlayingText({ track, size = 'small' }: { track: QueueTrack; size?: 'small' | 'large' }) {
  const { t } = useTranslation();
  return (
    <div className={classNames(rows.text, styles.text)} data-size={size}>
      <span className={classNames(rows.line, styles.title)}>
        {track.album_id === null ? (
          track.title
        ) : (
          <Link to="/albums/$albumId" params={{ albumId: track.album_id }}>
            {track.title}
          </Link>
        )}
      </span>
      <span className={classNames(rows.line, styles.by)}>
        {track.artist_id === null ? (
          (track.artist_name ?? t('library.unknownArtist'))
        ) : (
          <Link to="/artists/$artistId" params={{ artistId: track.artist_id }}>
            {track.artist_name}
          </Link>
        )}
      </span>
    </div>
  );
}

/** Opens the menu of the current track. */
export function CurrentTrackMenu({ track, className }: { track: QueueTrack; className?: string | undefined }) {
  const { data } = useQuery(trackQuery(track.id));
  return data && <TrackMenu track={data} className={className} />;
}

/** Fetches from the server whether the current track is liked, because the queue may be days old. */
export function CurrentLikeButton({ track }: { track: QueueTrack }) {
  const { data } = useQuery(trackQuery(track.id));
  return <LikeButton type="track" item={data ?? track} name={track.title} />;
}
