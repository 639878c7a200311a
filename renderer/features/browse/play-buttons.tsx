import { useTranslation } from 'react-i18next';
import { IconPlay, IconShuffle } from '../../ui/icons.ts';
import type { TrackOut } from '../../../server/library/wire.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { Button } from '../../ui/button.tsx';

export function PlayButtons({ tracks }: { tracks: TrackOut[] }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  return (
    <>
      <Button variant="primary" icon={IconPlay} onClick={() => player.playTracks(tracks, { shuffle: false })}>
        {t('player.play')}
      </Button>
      <Button icon={IconShuffle} onClick={() => player.playTracks(tracks, { shuffle: true })}>
        {t('player.shuffle')}
      </Button>
    </>
  );
}
