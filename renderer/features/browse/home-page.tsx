import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { albumPage, trackPage } from '../../api/library.ts';
import { detailOf } from '../../api/problem.ts';
import { Page } from '../../ui/page.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { newSeed } from './browse-search.ts';
import { EmptyLibrary } from './empty-library.tsx';
import { Shelf } from './shelf.tsx';

const FIRST = { limit: 20, offset: 0 };
const LATEST_PLAYS = { limit: 100, offset: 0 };

export function HomePage() {
  const { t } = useTranslation();
  const [seed] = useState(newSeed);
  const added = useQuery(albumPage({ sort: 'created_at' }, FIRST));
  const played = useQuery(albumPage({ sort: 'last_played_at' }, FIRST));
  const plays = useQuery(trackPage({ sort: 'last_played_at' }, LATEST_PLAYS));
  const random = useQuery(albumPage({ sort: 'random', seed }, FIRST));
  if (added.error && !added.data) return <ErrorState detail={detailOf(added.error)} onRetry={() => void added.refetch()} />;
  // Albums that were never played come last in their order, and have no place on this shelf.
  const playedIds = new Set(plays.data?.items.flatMap((track) => (track.last_played_at ? track.album_id : [])));
  return (
    <Page title={t('nav.home')}>
      {added.data?.total === 0 ? <EmptyLibrary /> : (
        <>
          <Shelf title={t('home.recentlyAdded')} albums={added.data?.items} to={{ to: '/albums', search: { sort: 'created_at' } }} />
          <Shelf title={t('home.recentlyPlayed')} albums={played.data?.items.filter((album) => playedIds.has(album.id)) ?? []} to={{ to: '/albums', search: { sort: 'last_played_at' } }} />
          <Shelf title={t('home.random')} albums={random.data?.items} to={{ to: '/albums', search: { sort: 'random', seed } }} />
        </>
      )}
    </Page>
  );
}
