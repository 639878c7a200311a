import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconChapters, IconCover, IconLyrics, IconOpenWindow, IconPin, IconQueue } from '../../ui/theme/icons.ts';
import { useDesktopSettings } from '../../api/desktop-settings.ts';
import { trackCover } from '../../api/urls.ts';
import { CurrentLikeButton } from '../../features/playback/now-playing.tsx';
import { FailureNotice } from '../../features/playback/failure-notice.tsx';
import { PlaybackButton } from '../../features/playback/playback-button.tsx';
import { QueueActions } from '../../features/playback/queue-actions.tsx';
import { ViewOf } from '../../features/playback/queue-panel.tsx';
import { VIEW_TITLES, type SideView } from '../../features/playback/side-views.tsx';
import { SeekBar, TransportButtons, VolumeControl } from '../../features/playback/transport.tsx';
import { useCurrentTrack, usePlayer } from '../../player/use-player.ts';
import { useArtworkAccent } from '../../ui/theme/artwork-accent.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Cover } from '../../ui/cover.tsx';
import styles from './player-window.module.css';
import { usePlayerKeys } from '../../player/use-player-keys.ts';

type View = 'cover' | SideView;
const PLAYER_VIEWS = [
  { view: 'cover', icon: IconCover },
  { view: 'lyrics', icon: IconLyrics },
  { view: 'chapters', icon: IconChapters },
  { view: 'queue', icon: IconQueue },
] as const;

/** The player in its own window, which can be made as small as a single line. */
export function PlayerWindow() {
  const { t } = useTranslation();
  const [view, setView] = useState<View>('cover');
  const track = useCurrentTrack();
  const accent = useArtworkAccent(track ? trackCover(track, 160) : null);
  const by = track?.artist_name ?? t('library.unknownArtist');
  const isEmpty = usePlayer((state) => state.index < 0);
  usePlayerKeys();
  useEffect(() => {
    document.title = track ? t('playback.windowTitle', { title: track.title, artist: by }) : t('app.name');
  }, [track, by, t]);
  const nameOf = (name: View) => t(name === 'cover' ? 'playback.cover' : VIEW_TITLES[name]);
  const views = PLAYER_VIEWS.filter(
    (option) => option.view !== 'chapters' || track?.has_chapters || view === option.view,
  );

  return (
    <main className={styles.window} style={accent} aria-label={t('player.player')}>
      <div className={styles.top}>
        <div role="group" aria-label={t('playback.view')} className={styles.views}>
          {views.map(({ view: name, icon }) => (
            <IconButton
              key={name}
              label={nameOf(name)}
              icon={icon}
              iconSize={18}
              aria-pressed={view === name}
              onClick={() => setView(name)}
            />
          ))}
        </div>
        {view === 'queue' && <QueueActions />}
        <OnTopButton />
        <IconButton
          label={t('playback.library')}
          icon={IconOpenWindow}
          iconSize={18}
          onClick={() => window.open(track?.album_id ? `/albums/${track.album_id}` : '/', 'tonearm-library')}
        />
      </div>
      <div className={styles.middle} data-view={view}>
        {view === 'cover' ? (
          <Cover src={track ? trackCover(track, 600) : null} alt="" className={styles.cover} eager />
        ) : (
          <ViewOf view={view} />
        )}
      </div>
      <div className={styles.now}>
        <Cover src={track ? trackCover(track, 160) : null} alt="" className={styles.small} />
        <div className={styles.text}>
          <h1>{track ? track.title : t('player.nothing')}</h1>
          {!isEmpty && <p>{by}</p>}
        </div>
        {track && <CurrentLikeButton track={track} />}
      </div>
      <div className={styles.seek}>
        <SeekBar below />
      </div>
      <div className={styles.buttons}>
        <TransportButtons large />
      </div>
      <div className={styles.foot}>
        <FailureNotice />
        <VolumeControl whole />
        <PlaybackButton />
      </div>
    </main>
  );
}

/** A button that exists only in the desktop app. */
function OnTopButton() {
  const { t } = useTranslation();
  const { settings, change } = useDesktopSettings();
  if (!settings) return null;
  return (
    <IconButton
      label={t('playback.onTop')}
      icon={IconPin}
      iconSize={18}
      aria-pressed={settings.playerOnTop}
      onClick={() => change.mutate({ playerOnTop: !settings.playerOnTop })}
    />
  );
}
