// The player on phones: one line with the current track, which opens the full-screen player.
import { useTranslation } from 'react-i18next';
import { IconNextTrack, IconPause, IconPlay } from '../../ui/theme/icons.ts';
import { trackCover } from '../../api/urls.ts';
import { isSounding } from '../../player/player.ts';
import { useCurrentTrack, usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { useArtworkAccent } from '../../ui/theme/artwork-accent.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Cover } from '../../ui/cover.tsx';
import rows from '../../ui/lists/rows.module.css';
import { FailureNotice } from './failure-notice.tsx';
import styles from './player-bar.module.css';
import { QueueOffer } from './queue-offer.tsx';

export function MiniPlayer({ onOpen }: { onOpen: () => void }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const track = useCurrentTrack();
  const isPlaying = usePlayer(isSounding);
  const accent = useArtworkAccent(track ? trackCover(track, 160) : null);
  if (!track)
    return (
      <div className={styles.alone}>
        <QueueOffer />
      </div>
    );
  return (
    <section className={styles.mini} style={accent} aria-label={t('player.player')}>
      <FailureNotice />
      <QueueOffer />
      <button type="button" className={styles.open} aria-haspopup="dialog" onClick={onOpen}>
        <span className="visually-hidden">{`${t('player.open')}: `}</span>
        <Cover src={trackCover(track, 160)} alt="" />
        <span className={classNames(rows.text, styles.titles)}>
          <span className={rows.line}>{track.title}</span>
          <span className={rows.line}>{track.artist_name ?? t('library.unknownArtist')}</span>
        </span>
      </button>
      <IconButton
        label={t(isPlaying ? 'player.pause' : 'player.play')}
        icon={isPlaying ? IconPause : IconPlay}
        onClick={() => player.toggle()}
      />
      <IconButton label={t('player.next')} icon={IconNextTrack} onClick={() => player.next()} />
      <ProgressLine />
    </section>
  );
}

function ProgressLine() {
  const fraction = usePlayer((state) => (state.durationMs > 0 ? state.positionMs / state.durationMs : 0));
  return (
    <div className={styles.line} aria-hidden>
      <div style={{ transform: `scaleX(${fraction})` }} />
    </div>
  );
}
