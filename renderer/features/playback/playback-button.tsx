import { lazy } from 'react';
import { useTranslation } from 'react-i18next';
import { usePlayer } from '../../player/use-player.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { IconPlayback, IconSleep } from '../../ui/theme/icons.ts';
import { OnDemand } from '../../ui/on-demand.tsx';

const PlaybackMenu = lazy(async () => ({ default: (await import('./playback-menu.tsx')).PlaybackMenu }));

/** Opens the settings of playback. */
export function PlaybackButton() {
  const { t } = useTranslation();
  const sleeping = usePlayer((state) => state.sleep !== null);
  return (
    <OnDemand
      button={(open) => (
        <IconButton
          label={t('playback.settings')}
          icon={sleeping ? IconSleep : IconPlayback}
          aria-haspopup="dialog"
          aria-expanded={false}
          onClick={open}
        />
      )}
    >
      <PlaybackMenu />
    </OnDemand>
  );
}
