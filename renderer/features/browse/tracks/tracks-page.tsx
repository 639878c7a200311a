import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { IconTrack } from '../../../ui/theme/icons.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { hasFilters } from '../url-params.ts';
import { EmptyLibrary } from '../home/empty-library.tsx';
import { TrackList } from './track-list.tsx';

export function TracksPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/app/library/tracks' });
  const navigate = useNavigate();
  const onSearch = (next: typeof search) => void navigate({ to: '/tracks', search: next, replace: true });
  return (
    <TrackList
      title={t('nav.tracks')}
      search={search}
      onSearch={onSearch}
      empty={
        hasFilters(search) ? (
          <EmptyState
            icon={IconTrack}
            title={t('list.noMatch')}
            actions={<Button onClick={() => onSearch({})}>{t('list.clearFilters')}</Button>}
          />
        ) : (
          <EmptyLibrary />
        )
      }
    />
  );
}
