// All pages of the library window that have a name, in order. The tabs above pages, the palette, the phone's menu and
// the choice of pinned pages are made from this list.
import { useQuery } from '@tanstack/react-query';
import { useHasCatalogue } from '../api/remote.ts';
import { useSession } from '../api/session.ts';
import { trashTotalQuery } from '../api/trash.ts';
import {
  IconActivity,
  IconAlbum,
  IconAlbumChanges,
  IconArtist,
  IconCare,
  IconCredits,
  IconDiscover,
  IconDuplicates,
  IconExplore,
  IconFolder,
  IconGenre,
  IconHistory,
  IconHome,
  IconLike,
  IconMap,
  IconMerge,
  IconMissing,
  IconPath,
  IconPlaylist,
  IconPodcast,
  IconRadio,
  IconReview,
  IconStation,
  IconStatistics,
  IconTrack,
  IconTrash,
  type Icon,
} from '../ui/theme/icons.ts';
import '../i18n/page-texts.ts';

interface PlaceEntry {
  to: string;
  /** The key of its name. */
  text: string;
  icon: Icon;
  /** Pages of a family have tabs that lead from one to the other; the first is the page that the side bar opens. */
  family?: 'library' | 'explore' | 'listening' | 'care';
  /** Where everybody finds it: also in the bottom bar of a phone, or only in the side bar. */
  bar?: 'bottom' | 'side';
  /** Who has the page: those who may edit or add, or administrators. */
  for?: 'carers' | 'owner';
}

export const PLACES = [
  { to: '/', text: 'nav.home', icon: IconHome, bar: 'bottom' },
  { to: '/albums', text: 'nav.albums', icon: IconAlbum, family: 'library', bar: 'bottom' },
  { to: '/artists', text: 'nav.artists', icon: IconArtist, family: 'library', bar: 'bottom' },
  { to: '/tracks', text: 'nav.tracks', icon: IconTrack, family: 'library', bar: 'side' },
  { to: '/genres', text: 'place.genres', icon: IconGenre, family: 'library' },
  { to: '/folders', text: 'place.folders', icon: IconFolder, family: 'library' },
  { to: '/people', text: 'place.people', icon: IconCredits, family: 'library' },
  { to: '/playlists', text: 'nav.playlists', icon: IconPlaylist, bar: 'side' },
  { to: '/liked', text: 'nav.liked', icon: IconLike, bar: 'side' },
  { to: '/explore', text: 'nav.explore', icon: IconExplore, family: 'explore', bar: 'side' },
  { to: '/radio', text: 'place.radio', icon: IconRadio, family: 'explore' },
  { to: '/path', text: 'place.path', icon: IconPath, family: 'explore' },
  { to: '/map', text: 'place.map', icon: IconMap, family: 'explore' },
  { to: '/statistics', text: 'nav.statistics', icon: IconStatistics, family: 'listening', bar: 'side' },
  { to: '/history', text: 'place.history', icon: IconHistory, family: 'listening' },
  { to: '/podcasts', text: 'place.podcasts', icon: IconPodcast },
  { to: '/stations', text: 'place.stations', icon: IconStation },
  { to: '/discover', text: 'place.discover', icon: IconDiscover },
  { to: '/care', text: 'place.care', icon: IconCare, family: 'care', for: 'carers', bar: 'side' },
  { to: '/review', text: 'place.review', icon: IconReview, family: 'care', for: 'carers' },
  { to: '/duplicates', text: 'place.duplicates', icon: IconDuplicates, family: 'care', for: 'carers' },
  { to: '/album-changes', text: 'place.albumChanges', icon: IconAlbumChanges, family: 'care', for: 'carers' },
  { to: '/missing', text: 'place.missing', icon: IconMissing, family: 'care', for: 'carers' },
  { to: '/merges', text: 'place.merges', icon: IconMerge, family: 'care', for: 'carers' },
  { to: '/trash', text: 'place.trash', icon: IconTrash, family: 'care', for: 'carers' },
  { to: '/activity', text: 'place.activity', icon: IconActivity, family: 'care', for: 'owner' },
] as const satisfies readonly PlaceEntry[];

export type Place = (typeof PLACES)[number];
export type PlacePath = Place['to'];
type FamilyOf<P> = P extends { family: infer F } ? F : never;
export type Family = FamilyOf<Place>;

export const isOfFamily = (place: Place, family: Family): boolean => 'family' in place && place.family === family;

/** Returns whether the account takes care of the library: it may edit all of it, or has added tracks of its own. */
export function useMayCare(): boolean {
  const user = useSession()?.user;
  return (user?.can_edit ?? false) || (user?.can_upload ?? false);
}

/** Returns the pages that this account has. */
export function usePlaces(): Place[] {
  const user = useSession()?.user;
  const mayCare = useMayCare();
  const hasCatalogue = useHasCatalogue();
  return PLACES.filter((place) => {
    if (place.to === '/discover') return hasCatalogue && (user?.can_upload ?? false);
    if (!('for' in place)) return true;
    return place.for === 'owner' ? (user?.is_superuser ?? false) : mayCare;
  });
}

/** Returns whether there is something in the trash. */
export const useHasTrash = (enabled: boolean): boolean =>
  (useQuery({ ...trashTotalQuery(), enabled }).data?.total ?? 0) > 0;
