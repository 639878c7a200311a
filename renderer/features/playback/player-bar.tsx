import { useTranslation } from 'react-i18next';
import { IconChapters, IconLyrics, IconPlayerWindow, IconQueue, IconUp } from '../../ui/theme/icons.ts';
import { trackCover } from '../../api/urls.ts';
import { useCurrentTrack } from '../../player/use-player.ts';
import { useArtworkAccent } from '../../ui/theme/artwork-accent.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Cover } from '../../ui/cover.tsx';
import { CurrentLikeButton, CurrentTrackMenu } from './now-playing.tsx';
import { FailureNotice } from './failure-notice.tsx';
import { NowPlayingText } from './now-playing.tsx';
import { openPlayerWindow } from '../../ui/open-window.ts';
import { PlaybackButton } from './playback-button.tsx';
import styles from './player-bar.module.css';
import { QueueOffer } from './queue-offer.tsx';
import type { SideView } from './side-views.tsx';
import { SeekBar, TransportButtons, VolumeControl } from './transport.tsx';

interface PlayerBarProps {
  side: SideView | null;
  onSide: (view: SideView) => void;
  /** Opens the full-screen player. */
  onOpen: () => void;
}

export function PlayerBar({ side, onSide, onOpen }: PlayerBarProps) {
  const { t } = useTranslation();
  const track = useCurrentTrack();
  const accent = useArtworkAccent(track ? trackCover(track, 160) : null);
  return (
    <section className={styles.bar} style={accent} aria-label={t('player.player')}>
      <FailureNotice />
      <QueueOffer />
      <div className={styles.now}>
        {track ? (
          <>
            <button
              type="button"
              className={styles.enlarge}
              aria-haspopup="dialog"
              aria-label={`${t('player.open')}: ${track.title}`}
              data-tip={t('player.open')}
              onClick={onOpen}
            >
              <Cover src={trackCover(track, 160)} alt="" className={styles.cover} />
              <IconUp size={20} aria-hidden />
            </button>
            <NowPlayingText track={track} />
            <CurrentLikeButton track={track} />
            <CurrentTrackMenu track={track} className={styles.more} />
          </>
        ) : (
          <span className={styles.idle}>{t('player.nothing')}</span>
        )}
      </div>
      <div className={styles.middle}>
        <TransportButtons />
        <SeekBar />
      </div>
      <div className={styles.side}>
        <IconButton
          label={t('playback.lyrics')}
          icon={IconLyrics}
          aria-pressed={side === 'lyrics'}
          onClick={() => onSide('lyrics')}
        />
        {track?.has_chapters && (
          <IconButton
            label={t('playback.chapters')}
            icon={IconChapters}
            aria-pressed={side === 'chapters'}
            onClick={() => onSide('chapters')}
          />
        )}
        <IconButton
          label={t('queue.queue')}
          icon={IconQueue}
          aria-pressed={side === 'queue'}
          onClick={() => onSide('queue')}
        />
        <PlaybackButton />
        <IconButton
          label={t('playback.window')}
          icon={IconPlayerWindow}
          className={styles.wide}
          onClick={openPlayerWindow}
        />
        <VolumeControl />
      </div>
    </section>
  );
}
