import { IconDots } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { TrackOut } from '../../server/library/wire.ts';
import { MenuButton } from '../ui/menu-button.tsx';
import { oneTrack } from './track-drag.ts';
import { TrackItems } from './track-items.tsx';

export function TrackMenu({ track, className, tabIndex = 0, withAlbum = true }: { track: TrackOut; className?: string | undefined; tabIndex?: 0 | -1; withAlbum?: boolean }) {
  const { t } = useTranslation();
  return (
    <MenuButton label={t('track.menu', { title: track.title })} icon={IconDots} iconSize={18} className={className} tabIndex={tabIndex}>
      {() => <TrackItems group={oneTrack(track)} withAlbum={withAlbum} />}
    </MenuButton>
  );
}
