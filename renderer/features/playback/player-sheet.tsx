// The full-screen player of a phone.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconChapters, IconDown, IconLyrics, IconQueue } from '../../ui/theme/icons.ts';
import { trackCover } from '../../api/urls.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Cover } from '../../ui/cover.tsx';
import { CurrentLikeButton, NowPlayingText } from './now-playing.tsx';
import { PlaybackButton } from './playback-button.tsx';
import { PlayerOverlay, type PlayerOverlayProps } from './player-overlay.tsx';
import { QueueActions } from './queue-actions.tsx';
import { ViewOf } from './queue-panel.tsx';
import type { SideView } from './side-views.tsx';
import { SeekBar, TransportButtons } from './transport.tsx';
import styles from './player-sheet.module.css';

export function PlayerSheet({ opened, onClose }: PlayerOverlayProps) {
  const { t } = useTranslation();
  const [view, setView] = useState<SideView | null>(null);
  const toggle = (chosenView: SideView) => setView(view === chosenView ? null : chosenView);
  return (
    <PlayerOverlay opened={opened} onClose={onClose} className={styles.sheet}>
      {(track) => (
        <>
          <div className={styles.top}>
            <IconButton label={t('player.close')} icon={IconDown} iconSize={24} onClick={onClose} />
            <span className={styles.album}>{track.album_title}</span>
            <CurrentLikeButton track={track} />
          </div>
          {view ? (
            <div className={styles.queue}>
              <ViewOf view={view} />
            </div>
          ) : (
            <div className={styles.art}>
              <Cover src={trackCover(track, 600)} alt="" className={styles.cover} eager />
            </div>
          )}
          <NowPlayingText track={track} size="large" />
          <SeekBar below />
          <TransportButtons large />
          <div className={styles.more}>
            <IconButton
              label={t('playback.lyrics')}
              icon={IconLyrics}
              aria-pressed={view === 'lyrics'}
              onClick={() => toggle('lyrics')}
            />
            {track.has_chapters && (
              <IconButton
                label={t('playback.chapters')}
                icon={IconChapters}
                aria-pressed={view === 'chapters'}
                onClick={() => toggle('chapters')}
              />
            )}
            {view === 'queue' && <QueueActions />}
            <PlaybackButton />
            <IconButton
              label={t('queue.queue')}
              icon={IconQueue}
              aria-pressed={view === 'queue'}
              onClick={() => toggle('queue')}
            />
          </div>
        </>
      )}
    </PlayerOverlay>
  );
}
