import type { ButtonHTMLAttributes } from 'react';
import { useTranslation } from 'react-i18next';
import { IconPause } from '../ui/theme/icons.ts';
import type { TrackOut } from '../api/routes.ts';
import { trackCover } from '../api/urls.ts';
import { currentEntry, isSounding } from '../player/player.ts';
import { usePlayer, usePlayerCommands } from '../player/use-player.ts';
import { classNames } from '../ui/class-names.ts';
import { Cover } from '../ui/cover.tsx';
import { PlayIcon } from '../ui/theme/css-icons.tsx';
import styles from './play-cover.module.css';

/** The small cover of a table row, which plays the row. */
export function PlayCover({ track, onPlay }: { track: TrackOut; onPlay: () => void }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const isCurrent = usePlayer((state) => currentEntry(state)?.track.id === track.id);
  const sounding = usePlayer((state) => isCurrent && isSounding(state));
  return (
    <CoverButton
      src={trackCover(track, 64)}
      label={t(sounding ? 'track.pauseLabel' : 'track.playLabel', { title: track.title })}
      sounding={sounding}
      tabIndex={-1}
      data-track={track.id}
      data-current={isCurrent || undefined}
      onClick={() => (isCurrent ? player.toggle() : onPlay())}
    />
  );
}

interface CoverButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  src: string | null;
  label: string;
  sounding?: boolean;
}

/** A cover with a play button over it while the row is under the pointer. */
export function CoverButton({ src, label, sounding = false, className, ...rest }: CoverButtonProps) {
  return (
    <button type="button" className={classNames(styles.play, className)} aria-label={label} {...rest}>
      <Cover src={src} alt="" />
      <span>{sounding ? <IconPause size={16} aria-hidden /> : <PlayIcon size={16} />}</span>
    </button>
  );
}
