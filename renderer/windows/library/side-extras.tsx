// The parts of the side bar that differ between people: pages that are in use, pins, and the count of Library care.
// They are loaded after the window is displayed.
import { useQueries, useQuery } from '@tanstack/react-query';
import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { albumQuery, artistQuery, genresQuery } from '../../api/library.ts';
import { playlistsQuery } from '../../api/playlists.ts';
import { podcastsQuery } from '../../api/podcasts.ts';
import { ApiError } from '../../api/problem.ts';
import { stationsQuery } from '../../api/stations.ts';
import { markItems } from '../../music/item-marks.ts';
import { albumItems, artistItems, genreItems, playlistItems, type Items } from '../../music/items.ts';
import { movePin, usePins, type Pin } from '../../music/pins.ts';
import { useHasTrash, useMayCare, usePlaces, type PlacePath } from '../../music/places.ts';
import { useSession } from '../../api/session.ts';
import { formatNumber } from '../../ui/format.ts';
import { IconAlbum, IconArtist, IconCare, IconGenre, IconPlaylist, type Icon } from '../../ui/theme/icons.ts';
import { SideLink } from './side-link.tsx';
import { useCareCounts } from './use-care-counts.ts';
import '../../i18n/page-texts.ts';
import styles from './side-bar.module.css';

interface ExtraItem {
  key: string;
  to: string;
  search?: Record<string, string>;
  icon: Icon;
  label: string;
}

interface PinnedItem extends ExtraItem {
  pin: Pin;
  /** The items for its menu. */
  items?: Items;
}

const PIN_ICONS = { album: IconAlbum, artist: IconArtist, playlist: IconPlaylist, genre: IconGenre } as const;

const isGone = (error: Error | null): boolean => error instanceof ApiError && error.status === 404;

/** Returns the pages that are displayed because they are used, without those that are pinned. */
function useUsedPlaces(pins: readonly Pin[]) {
  const mayEdit = useMayEdit();
  const podcasts = useQuery(podcastsQuery());
  const stations = useQuery(stationsQuery());
  // those who may edit have Library care instead
  const isTrashApart = useMayCare() && !mayEdit;
  const hasTrash = useHasTrash(isTrashApart);
  const isUsed: Partial<Record<PlacePath, boolean>> = {
    '/podcasts': (podcasts.data?.length ?? 0) > 0,
    '/stations': (stations.data?.length ?? 0) > 0,
    '/discover': true,
    '/trash': isTrashApart && hasTrash,
  };
  return usePlaces().filter(
    ({ to }) => isUsed[to] === true && !pins.some(({ kind, id }) => kind === 'page' && id === to),
  );
}

/** Returns what is pinned, with its current names. A pinned item that was deleted is left out. */
export function usePinnedItems(pins: readonly Pin[]): PinnedItem[] {
  const { t } = useTranslation();
  const playlists = useQuery(playlistsQuery());
  const places = usePlaces();
  const albumPins = pins.filter(({ kind }) => kind === 'album');
  const artistPins = pins.filter(({ kind }) => kind === 'artist');
  const genres = useQuery({ ...genresQuery(), enabled: pins.some(({ kind }) => kind === 'genre') });
  const albums = useQueries({ queries: albumPins.map(({ id }) => albumQuery(Number(id))) });
  const artists = useQueries({ queries: artistPins.map(({ id }) => artistQuery(Number(id))) });

  function itemOf(pin: Pin): Omit<PinnedItem, 'key' | 'pin'> | null {
    const { kind, id, name } = pin;
    if (kind === 'page') {
      const place = places.find(({ to }) => to === id);
      return place ? { to: place.to, icon: place.icon, label: t(place.text) } : null;
    }
    const icon = PIN_ICONS[kind];
    if (kind === 'genre') {
      const genre = genres.data?.find((candidate) => candidate.name === id);
      if (genres.data && !genre) return null;
      return { to: '/albums', search: { genre: id }, icon, label: id, ...(genre && { items: genreItems(genre) }) };
    }
    if (kind === 'playlist') {
      const playlist = playlists.data?.find((candidate) => candidate.id === Number(id));
      if (playlists.data && !playlist) return null;
      return {
        to: `/playlists/${id}`,
        icon,
        label: playlist?.name ?? name,
        ...(playlist && { items: playlistItems(playlist) }),
      };
    }
    if (kind === 'album') {
      const { data, error } = albums[albumPins.indexOf(pin)]!;
      if (isGone(error)) return null;
      return { to: `/albums/${id}`, icon, label: data?.title ?? name, ...(data && { items: albumItems(data) }) };
    }
    const { data, error } = artists[artistPins.indexOf(pin)]!;
    if (isGone(error)) return null;
    return { to: `/artists/${id}`, icon, label: data?.name ?? name, ...(data && { items: artistItems(data) }) };
  }
  return pins.flatMap((pin) => {
    const item = itemOf(pin);
    return item ? [{ key: `${pin.kind} ${pin.id}`, pin, ...item }] : [];
  });
}

export function useExtraItems(): (ExtraItem & Partial<PinnedItem>)[] {
  const { t } = useTranslation();
  const pins = usePins();
  const usedPlaces = useUsedPlaces(pins);
  const pinnedItems = usePinnedItems(pins);
  return [...usedPlaces.map(({ to, icon, text }) => ({ key: to, to, icon, label: t(text) })), ...pinnedItems];
}

/** The items after those that everybody has, for the side bar's list. */
export function SideExtras() {
  return (
    <>
      {useMayEdit() && <CareItem />}
      <ExtraItems />
    </>
  );
}

export const useMayEdit = (): boolean => useSession()?.user.can_edit ?? false;

function CareItem() {
  const { t } = useTranslation();
  return (
    <li>
      <SideLink to="/care" icon={IconCare} label={t('place.care')} layout="/app/care">
        <CareBadge />
      </SideLink>
    </li>
  );
}

/** Pages in use, then pins. Alt and an arrow key move the focused pin. */
function ExtraItems() {
  const { t } = useTranslation();
  return useExtraItems().map(({ key, pin, items, ...link }) => (
    <li
      key={key}
      {...(items && markItems(items))}
      {...(pin && {
        'aria-keyshortcuts': 'Alt+ArrowUp Alt+ArrowDown',
        title: t('sideBar.pinHint', { name: link.label }),
      })}
      onKeyDown={(event: KeyboardEvent) => {
        const places = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (!pin || !event.altKey || places === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        movePin(pin, places);
      }}
    >
      <SideLink {...link} />
    </li>
  ));
}

/** The number of questions in Library care, and a quiet sign while a job runs. */
function CareBadge() {
  const { t } = useTranslation();
  const { total, runningJobs } = useCareCounts();
  return (
    <>
      {runningJobs > 0 && (
        <span className={styles.running} role="img" aria-label={t('activity.running', { count: runningJobs })} />
      )}
      {total > 0 && (
        <span className={styles.badge} aria-label={t('sideBar.questions', { count: total })}>
          {formatNumber(total)}
        </span>
      )}
    </>
  );
}

/** A dot on the button of the phone's menu. */
export const CareDot = () => useMayEdit() && <Dot />;

function Dot() {
  const { total, runningJobs } = useCareCounts();
  return (total > 0 || runningJobs > 0) && <span className={styles.dot} aria-hidden />;
}
