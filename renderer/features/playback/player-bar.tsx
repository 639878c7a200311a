import { IconPlaylist } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { trackCover } from '../../api/urls.ts';
import { useCurrentTrack } from '../../player/use-player.ts';
import { useArtworkAccent } from '../../ui/artwork-accent.ts';
import { IconButton } from '../../ui/button.tsx';
import { Cover } from '../../ui/cover.tsx';
import { FailureNotice } from './failure-notice.tsx';
import { NowPlayingText } from './now-playing.tsx';
import { SeekBar, TransportButtons, VolumeControl } from './transport.tsx';
import styles from './player-bar.module.css';

export function PlayerBar({ queueShown, onQueue }: { queueShown: boolean; onQueue: () => void }) {
  const { t } = useTranslation();
  const track = useCurrentTrack();
  const accent = useArtworkAccent(track ? trackCover(track, 160) : null);
  return (
    <section className={styles.bar} style={accent} aria-label={t('player.player')}>
      <FailureNotice />
      <div className={styles.now}>
        {track ? (
          <>
            <Cover src={trackCover(track, 160)} alt="" className={styles.cover} />
            <NowPlayingText track={track} />
          </>
        ) : <span className={styles.idle}>{t('player.nothing')}</span>}
      </div>
      <div className={styles.middle}>
        <TransportButtons />
        <SeekBar />
      </div>
      <div className={styles.side}>
        <IconButton label={t('queue.queue')} icon={IconPlaylist} aria-pressed={queueShown} onClick={onQueue} />
        <VolumeControl />
      </div>
    </section>
  );
}
