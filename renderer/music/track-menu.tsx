import { trackItems } from './items.ts';
import type { TrackOut } from '../api/routes.ts';
import { MoreButton } from './more-button.tsx';
import { oneTrack } from './track-drag.ts';

interface TrackMenuProps {
  track: TrackOut;
  className?: string | undefined;
  tabIndex?: 0 | -1;
}

export const TrackMenu = ({ track, ...rest }: TrackMenuProps) => (
  <MoreButton items={() => trackItems(oneTrack(track))} name={track.title} {...rest} />
);
