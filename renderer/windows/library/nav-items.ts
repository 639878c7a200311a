// The items of the side bar, in order.
import {
  IconActivity,
  IconChartBar,
  IconChecks,
  IconCompass,
  IconCopy,
  IconDisc,
  IconFileUnknown,
  IconHeart,
  IconHistory,
  IconHome,
  IconMicrophone2,
  IconMusic,
  IconPlaylist,
  IconTags,
} from '@tabler/icons-react';

export const NAV_ITEMS = [
  { to: '/', name: 'home', icon: IconHome },
  { to: '/albums', name: 'albums', icon: IconDisc },
  { to: '/artists', name: 'artists', icon: IconMicrophone2 },
  { to: '/tracks', name: 'tracks', icon: IconMusic },
  { to: '/genres', name: 'genres', icon: IconTags },
  { to: '/liked', name: 'liked', icon: IconHeart },
  { to: '/playlists', name: 'playlists', icon: IconPlaylist },
  { to: '/history', name: 'history', icon: IconHistory },
  { to: '/statistics', name: 'statistics', icon: IconChartBar },
  { to: '/review', name: 'review', icon: IconChecks },
  { to: '/duplicates', name: 'duplicates', icon: IconCopy },
  { to: '/missing', name: 'missing', icon: IconFileUnknown },
  { to: '/discover', name: 'discover', icon: IconCompass },
  { to: '/activity', name: 'activity', icon: IconActivity },
] as const;

/** In the bottom bar of a phone; the others are in its menu. */
const IN_BAR: readonly string[] = ['home', 'albums', 'artists'];
export const BOTTOM_NAV_ITEMS = NAV_ITEMS.filter(({ name }) => IN_BAR.includes(name));
export const MENU_NAV_ITEMS = NAV_ITEMS.filter(({ name }) => !IN_BAR.includes(name));
