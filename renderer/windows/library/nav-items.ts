// The items of the side bar that everybody has, in order, as far as the window displays them at once. music/places.ts
// lists all pages, with the place of each in the bars.
import {
  IconAlbum,
  IconArtist,
  IconExplore,
  IconHome,
  IconLike,
  IconPlaylist,
  IconStatistics,
  IconTrack,
} from '../../ui/theme/icons.ts';

export const NAV_ITEMS = [
  { to: '/', name: 'home', icon: IconHome },
  { to: '/albums', name: 'albums', icon: IconAlbum },
  { to: '/artists', name: 'artists', icon: IconArtist },
  { to: '/tracks', name: 'tracks', icon: IconTrack },
  { to: '/playlists', name: 'playlists', icon: IconPlaylist },
  { to: '/liked', name: 'liked', icon: IconLike },
  { to: '/explore', name: 'explore', icon: IconExplore, layout: '/app/explore' },
  { to: '/statistics', name: 'statistics', icon: IconStatistics, layout: '/app/listening' },
] as const;

/** Number of the first items that are in the bottom bar of a phone; the others are in its menu. */
const BOTTOM_ITEM_COUNT = 3;
export const BOTTOM_NAV_ITEMS = NAV_ITEMS.slice(0, BOTTOM_ITEM_COUNT);
