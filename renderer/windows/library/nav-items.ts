// The items of the side bar, in order.
import {
  IconActivity,
  IconAlbum,
  IconAlbumChanges,
  IconArtist,
  IconDiscover,
  IconDuplicates,
  IconFolder,
  IconGenre,
  IconHistory,
  IconHome,
  IconLike,
  IconMap,
  IconMissing,
  IconPlaylist,
  IconPodcast,
  IconRadio,
  IconReview,
  IconStation,
  IconStatistics,
  IconTrack,
  IconTrash,
} from '../../ui/theme/icons.ts';

export const NAV_ITEMS = [
  { to: '/', name: 'home', icon: IconHome },
  { to: '/albums', name: 'albums', icon: IconAlbum },
  { to: '/artists', name: 'artists', icon: IconArtist },
  { to: '/tracks', name: 'tracks', icon: IconTrack },
  { to: '/genres', name: 'genres', icon: IconGenre },
  { to: '/folders', name: 'folders', icon: IconFolder },
  { to: '/liked', name: 'liked', icon: IconLike },
  { to: '/playlists', name: 'playlists', icon: IconPlaylist },
  { to: '/radio', name: 'radio', icon: IconRadio },
  { to: '/map', name: 'map', icon: IconMap },
  { to: '/podcasts', name: 'podcasts', icon: IconPodcast },
  { to: '/stations', name: 'stations', icon: IconStation },
  { to: '/history', name: 'history', icon: IconHistory },
  { to: '/statistics', name: 'statistics', icon: IconStatistics },
  { to: '/review', name: 'review', icon: IconReview },
  { to: '/duplicates', name: 'duplicates', icon: IconDuplicates },
  { to: '/album-changes', name: 'albumChanges', icon: IconAlbumChanges },
  { to: '/missing', name: 'missing', icon: IconMissing },
  { to: '/trash', name: 'trash', icon: IconTrash },
  { to: '/discover', name: 'discover', icon: IconDiscover },
  { to: '/activity', name: 'activity', icon: IconActivity },
] as const;

/** Items in the bottom bar of a phone; the others are in its menu. */
const BOTTOM_NAV_NAMES: readonly string[] = ['home', 'albums', 'artists'];
export const BOTTOM_NAV_ITEMS = NAV_ITEMS.filter(({ name }) => BOTTOM_NAV_NAMES.includes(name));
export const MENU_NAV_ITEMS = NAV_ITEMS.filter(({ name }) => !BOTTOM_NAV_NAMES.includes(name));
