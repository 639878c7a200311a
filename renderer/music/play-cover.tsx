import { IconPlayerPauseFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { TrackOut } from '../../server/library/wire.ts';
import { trackCover } from '../api/urls.ts';
import { currentEntry, isSounding } from '../player/types.ts';
import { usePlayer, usePlayerCommands } from '../player/use-player.ts';
import { Cover } from '../ui/cover.tsx';
import { PlayIcon } from '../ui/css-icons.tsx';
import styles from './play-cover.module.css';

/** The small cover of a table row, which plays the row. */
export function PlayCover({ track, onPlay }: { track: TrackOut; onPlay: () => void }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const isCurrent = usePlayer((state) => currentEntry(state)?.track.id === track.id);
  const sounding = usePlayer((state) => isCurrent && isSounding(state));
  return (
    <button
      type="button"
      className={styles.play}
      tabIndex={-1}
      data-track={track.id}
      data-current={isCurrent || undefined}
      onClick={() => (isCurrent ? player.toggle() : onPlay())}
      aria-label={t(sounding ? 'track.pauseLabel' : 'track.playLabel', { title: track.title })}
    >
      <Cover src={trackCover(track, 64)} alt="" />
      <span>{sounding ? <IconPlayerPauseFilled size={16} aria-hidden /> : <PlayIcon size={16} />}</span>
    </button>
  );
}
