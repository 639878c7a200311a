import { useTranslation } from 'react-i18next';
import { PlayButton } from '../../music/play-button.tsx';
import type { TrackOut } from '../../api/routes.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { Button } from '../../ui/controls/button.tsx';
import { IconShuffle } from '../../ui/theme/icons.ts';

export function PlayButtons({ tracks, from }: { tracks: TrackOut[]; from: string }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  return (
    <>
      <PlayButton
        has={(id) => tracks.some((track) => track.id === id)}
        onPlay={() => player.playTracks(tracks, { shuffle: false, from })}
      />
      <Button icon={IconShuffle} onClick={() => player.playTracks(tracks, { shuffle: true, from })}>
        {t('player.shuffle')}
      </Button>
    </>
  );
}
