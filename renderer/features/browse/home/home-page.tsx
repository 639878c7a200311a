import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { onThisDayQuery } from '../../../api/history.ts';
import { albumPage, trackPage } from '../../../api/library.ts';
import { mixesQuery } from '../../../api/likeness.ts';
import { detailOf } from '../../../api/problem.ts';
import { dayOf } from '../../../ui/day-range.ts';
import { Page } from '../../../ui/page.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { unfinishedAlbums } from '../albums/unfinished-albums.ts';
import { newSeed } from '../url-params.ts';
import { JumpBackIn } from './jump-back-in.tsx';
import { Shelf } from '../shelf.tsx';

/** Loaded only if there is no music. */
const EmptyLibrary = lazy(async () => ({ default: (await import('./empty-library.tsx')).EmptyLibrary }));
/** Loaded only if there are mixes. */
const MixShelf = lazy(async () => ({ default: (await import('./mix-shelf.tsx')).MixShelf }));

const SHELF_PAGE = { limit: 20, offset: 0 };
const LATEST_PLAYS = { limit: 100, offset: 0 };

export function HomePage() {
  const { t } = useTranslation();
  const [seed] = useState(newSeed);
  const [today] = useState(() => dayOf(new Date()));
  const addedAlbums = useQuery(albumPage({ unnamed: false, sort: 'created_at' }, SHELF_PAGE));
  const playedAlbums = useQuery(albumPage({ unnamed: false, sort: 'last_played_at' }, SHELF_PAGE));
  const mostPlayedAlbums = useQuery(albumPage({ unnamed: false, sort: 'play_count' }, SHELF_PAGE));
  const plays = useQuery(trackPage({ sort: 'last_played_at' }, LATEST_PLAYS));
  const random = useQuery(albumPage({ unnamed: false, sort: 'random', seed }, SHELF_PAGE));
  const onThisDay = useQuery(onThisDayQuery(today));
  const mixes = useQuery(mixesQuery());
  if (addedAlbums.error && !addedAlbums.data)
    return <ErrorState detail={detailOf(addedAlbums.error)} onRetry={() => void addedAlbums.refetch()} />;
  if (addedAlbums.data?.total === 0)
    return (
      <Page title={t('nav.home')}>
        <Suspense>
          <EmptyLibrary />
        </Suspense>
      </Page>
    );

  // Albums that were never played come last in these orders, and are omitted.
  const playedIds = new Set(plays.data?.items.flatMap((track) => (track.last_played_at ? track.album_id : [])));
  const recent = plays.data && playedAlbums.data?.items.filter((album) => playedIds.has(album.id));
  const begunAlbums = recent && plays.data ? unfinishedAlbums(recent, plays.data.items) : undefined;
  const hasPlays = plays.data === undefined || playedIds.size > 0;
  const mostPlayed = hasPlays
    ? mostPlayedAlbums.data?.items.slice(0, Math.max(playedIds.size, recent?.length ?? 0))
    : [];
  const yearOf = new Map(onThisDay.data?.map(({ album, year }) => [album.id, year]));
  // The shelves are rendered once it is known whether there are plays and mixes, so that no later shelf moves others
  // down.
  if (!addedAlbums.data || !plays.data || mixes.isPending)
    return (
      <Page title={t('nav.home')}>
        {['recentlyAdded', 'recentlyPlayed', 'random'].map((name) => (
          <Shelf key={name} title={t(`home.${name as 'random'}`)} albums={undefined} />
        ))}
      </Page>
    );
  return (
    <Page title={t('nav.home')}>
      {hasPlays && <JumpBackIn begun={begunAlbums} />}
      {mixes.data && mixes.data.items.length > 0 && (
        <Suspense fallback={<Shelf title={t('home.mixed')} albums={undefined} />}>
          <MixShelf mixes={mixes.data.items} />
        </Suspense>
      )}
      <Shelf
        title={t('home.recentlyAdded')}
        albums={addedAlbums.data.items}
        to={{ to: '/albums', search: { sort: 'created_at' } }}
      />
      <Shelf
        title={t('home.recentlyPlayed')}
        albums={hasPlays ? recent : []}
        to={{ to: '/albums', search: { sort: 'last_played_at' } }}
      />
      <Shelf title={t('home.mostPlayed')} albums={mostPlayed} to={{ to: '/albums', search: { sort: 'play_count' } }} />
      <Shelf
        title={t('home.random')}
        albums={random.data?.items}
        to={{ to: '/albums', search: { sort: 'random', seed } }}
      />
      <Shelf
        title={t('home.onThisDay')}
        albums={onThisDay.data?.map(({ album }) => album) ?? []}
        captionOf={(album) =>
          t('home.playedIn', { year: yearOf.get(album.id), artist: album.artist_name ?? t('library.unknownArtist') })
        }
      />
    </Page>
  );
}
