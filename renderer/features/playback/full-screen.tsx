// The full-screen player: the cover and controls, with lyrics, chapters or queue beside them.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { trackCover } from '../../api/urls.ts';
import { usePlayer } from '../../player/use-player.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Cover } from '../../ui/cover.tsx';
import { IconDown } from '../../ui/theme/icons.ts';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { FailureNotice } from './failure-notice.tsx';
import { CurrentLikeButton, NowPlayingText } from './now-playing.tsx';
import { PlaybackButton } from './playback-button.tsx';
import { PlayerOverlay, type PlayerOverlayProps } from './player-overlay.tsx';
import { QueueActions } from './queue-actions.tsx';
import { ViewOf } from './queue-panel.tsx';
import { VIEW_TITLES, type SideView } from './side-views.tsx';
import { SeekBar, TransportButtons, VolumeControl } from './transport.tsx';
import styles from './full-screen.module.css';

const SIDE_VIEWS = ['lyrics', 'chapters', 'queue'] as const satisfies readonly SideView[];

export function FullScreen({ opened, onClose }: PlayerOverlayProps) {
  const { t } = useTranslation();
  const from = usePlayer((state) => state.from);
  const [chosenView, setChosen] = useState<SideView | null>(null);
  return (
    <PlayerOverlay opened={opened} onClose={onClose} className={styles.screen}>
      {(track) => {
        const view = chosenView ?? (track.has_chapters ? 'chapters' : track.has_lyrics ? 'lyrics' : 'queue');
        return (
          <>
            <header className={styles.top}>
              <IconButton label={t('player.close')} icon={IconDown} iconSize={24} onClick={onClose} />
              <p>{from !== null && t('player.from', { name: from })}</p>
              <div className={styles.tools}>
                {view === 'queue' && <QueueActions />}
                <Segmented
                  label={t('playback.view')}
                  value={view}
                  options={SIDE_VIEWS.filter(
                    (value) => value !== 'chapters' || track.has_chapters || view === value,
                  ).map((value) => ({ value, label: t(VIEW_TITLES[value]) }))}
                  onChange={setChosen}
                />
              </div>
            </header>
            <div className={styles.now}>
              <Cover src={trackCover(track, 1200)} alt="" className={styles.cover} eager />
              <div className={styles.title}>
                <NowPlayingText track={track} size="large" />
                <CurrentLikeButton track={track} />
              </div>
              <SeekBar below />
              <div className={styles.controls}>
                <PlaybackButton />
                <TransportButtons large />
                <VolumeControl whole />
              </div>
              <FailureNotice />
            </div>
            <section
              className={styles.beside}
              aria-label={t(VIEW_TITLES[view])}
              onClick={() => setChosen(view)} // the chosen view is kept when the next track has no lyrics
            >
              <ViewOf view={view} />
            </section>
          </>
        );
      }}
    </PlayerOverlay>
  );
}
