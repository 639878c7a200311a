import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { IconMusic } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { PAGE_SIZE, trackPage } from '../../api/library.ts';
import { usePagedList } from '../../api/paged-list.ts';
import { detailOf } from '../../api/problem.ts';
import { currentEntry } from '../../player/types.ts';
import { usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { Button } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { VirtualTable } from '../../ui/virtual-table.tsx';
import { hasFilters, toFilter } from './browse-search.ts';
import { EmptyLibrary } from './empty-library.tsx';
import { FilterTools, SortTools } from './list-tools.tsx';
import { naturalOrder, TRACK_SORT_NAMES } from './sorts.ts';
import { PlayCell } from './play-cell.tsx';
import { trackColumns } from './track-columns.tsx';

const PLACEHOLDERS = 30;

export function TracksPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/app/tracks' });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const player = usePlayerCommands();
  const currentId = usePlayer((state) => currentEntry(state)?.track.id);
  const list = usePagedList((at) => trackPage(toFilter(search), at));
  const onSearch = (next: typeof search) => void navigate({ to: '/tracks', search: next, replace: true });
  const sort = search.sort ?? 'title';
  const descending = (search.order ?? naturalOrder(sort)) === 'desc';

  /** Plays on from this row: as many as one page of the same list holds. */
  const playFrom = async (index: number) => {
    const { items } = await queries.fetchQuery(trackPage(toFilter(search), { limit: PAGE_SIZE, offset: index }));
    player.playTracks(items, { shuffle: false });
  };
  const columns = useMemo(() => trackColumns(t, (track, index) => <PlayCell track={track} onPlay={() => void playFrom(index)} />), [t, search]);

  const onSort = (id: string) => {
    const next = TRACK_SORT_NAMES.find((name) => name === id);
    if (!next) return;
    const { order: _order, seed: _seed, sort: _sort, ...rest } = search;
    const turned = next === sort && !descending === (naturalOrder(next) === 'asc');
    onSearch({ ...rest, ...(next === 'title' ? {} : { sort: next }), ...(turned ? { order: naturalOrder(next) === 'asc' ? 'desc' : 'asc' } : {}) });
  };

  function body() {
    if (list.error && list.total === undefined) return <ErrorState detail={detailOf(list.error)} onRetry={list.retry} />;
    if (list.total === 0 && hasFilters(search)) return <EmptyState icon={IconMusic} title={t('list.noMatch')} actions={<Button onClick={() => onSearch({})}>{t('list.clearFilters')}</Button>} />;
    if (list.total === 0) return <EmptyLibrary />;
    return (
      <VirtualTable label={t('nav.tracks')} columns={columns} count={list.total ?? PLACEHOLDERS} item={list.item} sort={{ id: sort, descending }} onSort={onSort}
        onRange={list.show} onOpen={(index) => void playFrom(index)} isCurrent={(track) => track.id === currentId} />
    );
  }

  return (
    <Page title={t('nav.tracks')} count={list.total === undefined ? undefined : formatNumber(list.total)}
      tools={<><FilterTools search={search} onChange={onSearch} /><SortTools sorts={TRACK_SORT_NAMES} defaultSort="title" search={search} onChange={onSearch} /></>}>
      {body()}
    </Page>
  );
}
