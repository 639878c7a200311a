// Where one can go, in the order of the side bar.
import { IconActivity, IconDisc, IconFileUnknown, IconHome, IconMicrophone2, IconMusic } from '@tabler/icons-react';

export const PLACES = [
  { to: '/', name: 'home', icon: IconHome },
  { to: '/albums', name: 'albums', icon: IconDisc },
  { to: '/artists', name: 'artists', icon: IconMicrophone2 },
  { to: '/tracks', name: 'tracks', icon: IconMusic },
  { to: '/missing', name: 'missing', icon: IconFileUnknown },
  { to: '/activity', name: 'activity', icon: IconActivity },
] as const;

/** These stand in the bottom bar of a phone; the others are in its menu. */
export const BOTTOM_PLACES = PLACES.filter((place) => place.name === 'home' || place.name === 'albums' || place.name === 'artists');
export const MENU_PLACES = PLACES.filter((place) => place.name === 'tracks' || place.name === 'missing' || place.name === 'activity');
