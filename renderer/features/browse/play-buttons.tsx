import { IconArrowsShuffle, IconPlayerPlayFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { TrackOut } from '../../../server/library/wire.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { Button } from '../../ui/button.tsx';

export function PlayButtons({ tracks }: { tracks: TrackOut[] }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  return (
    <>
      <Button
        variant="primary"
        icon={IconPlayerPlayFilled}
        onClick={() => player.playTracks(tracks, { shuffle: false })}
      >
        {t('player.play')}
      </Button>
      <Button icon={IconArrowsShuffle} onClick={() => player.playTracks(tracks, { shuffle: true })}>
        {t('player.shuffle')}
      </Button>
    </>
  );
}
