import { useTranslation } from 'react-i18next';
import type { TrackOut } from '../../server/library/wire.ts';
import { DotsIcon } from '../ui/css-icons.tsx';
import { MenuButton } from '../ui/menu-button.tsx';
import { oneTrack } from './track-drag.ts';
import { TrackItems } from './track-items.tsx';

/** An open menu closes when its row is reused for another track. */
export function TrackMenu({
  track,
  className,
  tabIndex = 0,
  withAlbum = true,
}: {
  track: TrackOut;
  className?: string | undefined;
  tabIndex?: 0 | -1;
  withAlbum?: boolean;
}) {
  const { t } = useTranslation();
  return (
    <MenuButton
      key={track.id}
      label={t('track.menu', { title: track.title })}
      icon={DotsIcon}
      iconSize={18}
      className={className}
      tabIndex={tabIndex}
    >
      {() => <TrackItems group={oneTrack(track)} withAlbum={withAlbum} />}
    </MenuButton>
  );
}
