import { useTranslation } from 'react-i18next';
import { currentEntry, isSounding } from '../player/player.ts';
import { usePlayer, usePlayerCommands } from '../player/use-player.ts';
import { Button } from '../ui/controls/button.tsx';
import { IconPause, IconPlay } from '../ui/theme/icons.ts';

interface PlayButtonProps {
  /** Returns whether a track belongs to the item that the button plays. */
  has: (trackId: number) => boolean;
  onPlay: () => void;
  disabled?: boolean;
}

/** Plays an album, an artist or a playlist; while one of its tracks is current, the button pauses and resumes. */
export function PlayButton({ has, onPlay, disabled = false }: PlayButtonProps) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const current = usePlayer((state) => currentEntry(state)?.track.id);
  const isCurrent = current !== undefined && has(current);
  const sounding = usePlayer((state) => isCurrent && isSounding(state));
  return (
    <Button
      variant="primary"
      icon={sounding ? IconPause : IconPlay}
      disabled={disabled}
      onClick={() => (isCurrent ? player.toggle() : onPlay())}
    >
      {t(sounding ? 'player.pause' : 'player.play')}
    </Button>
  );
}
