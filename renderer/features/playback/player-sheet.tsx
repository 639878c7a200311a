// The full-screen player of a phone.
import { Modal } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconDown, IconLyrics, IconQueue } from '../../ui/icons.ts';
import { trackCover } from '../../api/urls.ts';
import { useCurrentTrack } from '../../player/use-player.ts';
import { useArtworkAccent } from '../../ui/artwork-accent.ts';
import { IconButton } from '../../ui/button.tsx';
import { Cover } from '../../ui/cover.tsx';
import { CurrentLikeButton } from './now-playing.tsx';
import { LyricsView } from './lyrics-view.tsx';
import { NowPlayingText } from './now-playing.tsx';
import { PlaybackButton } from './playback-button.tsx';
import { QueueActions } from './queue-actions.tsx';
import { QueueOrHint, type SideView } from './queue-panel.tsx';
import { SeekBar, TransportButtons } from './transport.tsx';
import styles from './player-sheet.module.css';

export function PlayerSheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const track = useCurrentTrack();
  const [view, setView] = useState<SideView | null>(null);
  const toggle = (wanted: SideView) => setView(view === wanted ? null : wanted);
  const accent = useArtworkAccent(track ? trackCover(track, 160) : null);
  return (
    <Modal
      opened={opened && track !== null}
      onClose={onClose}
      fullScreen
      withCloseButton={false}
      padding={0}
      transitionProps={{ transition: 'slide-up', duration: 180 }}
      attributes={{ content: { 'aria-label': t('player.player') } }}
      styles={{ body: { height: '100%' } }}
    >
      {track && (
        <div className={styles.sheet} style={accent}>
          <div className={styles.top}>
            <IconButton label={t('player.close')} icon={IconDown} iconSize={24} onClick={onClose} />
            <span className={styles.album}>{track.album_title}</span>
            <CurrentLikeButton track={track} />
          </div>
          {view ? (
            <div className={styles.queue}>{view === 'queue' ? <QueueOrHint /> : <LyricsView />}</div>
          ) : (
            <div className={styles.art}>
              <Cover src={trackCover(track, 600)} alt="" className={styles.cover} eager />
            </div>
          )}
          <div onClick={(event) => (event.target as HTMLElement).closest('a') && onClose()}>
            <NowPlayingText track={track} size="large" />
          </div>
          <SeekBar below />
          <TransportButtons large />
          <div className={styles.more}>
            <IconButton
              label={t('playback.lyrics')}
              icon={IconLyrics}
              aria-pressed={view === 'lyrics'}
              onClick={() => toggle('lyrics')}
            />
            {view === 'queue' && <QueueActions />}
            <PlaybackButton />
            <IconButton
              label={t('queue.queue')}
              icon={IconQueue}
              aria-pressed={view === 'queue'}
              onClick={() => toggle('queue')}
            />
          </div>
        </div>
      )}
    </Modal>
  );
}
