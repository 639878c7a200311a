// A page with one table of tracks: all tracks or the liked tracks.
import { useMemo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { TrackSort } from '../../../../server/library/wire.ts';
import type { TrackOut } from '../../../api/routes.ts';
import { trackPage, type TrackFilter } from '../../../api/library.ts';
import { usePagedList } from '../../../api/paged-list.ts';
import { detailOf } from '../../../api/problem.ts';
import { usePlayList } from '../../../music/use-play-list.ts';
import { useTags } from '../../../music/tag-names.ts';
import { formatNumber } from '../../../ui/format.ts';
import { Page } from '../../../ui/page.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { hasFilters, toFilter, type ListSearch } from '../url-params.ts';
import { useColumnLayout } from './column-layout.ts';
import { ViewMenu } from '../view-menu.tsx';
import { FilterTools, SortTools } from '../list-tools.tsx';
import { PlayCover } from '../../../music/play-cover.tsx';
import { naturalOrder, TRACK_SORT_NAMES } from '../sort-options.ts';
import { trackColumns } from './track-columns.tsx';
import { TracksTable } from './tracks-table.tsx';

type Sort = (typeof TRACK_SORT_NAMES)[number];

interface TrackListProps {
  title: string;
  search: ListSearch<Sort>;
  onSearch: (search: ListSearch<Sort>) => void;
  /** Filters that are always applied, in addition to those in the URL. */
  always?: TrackFilter;
  defaultSort?: Sort;
  empty: ReactNode;
  tools?: ReactNode;
}

const PLACEHOLDERS = 30;

export function TrackList({ title, search, onSearch, always, defaultSort = 'title', empty, tools }: TrackListProps) {
  const { t } = useTranslation();
  const play = usePlayList();
  const [layout, setLayout] = useColumnLayout('tracks');
  const sort = search.sort ?? defaultSort;
  const descending = (search.order ?? naturalOrder(sort)) === 'desc';
  const filter: TrackFilter = { ...toFilter(search), sort, ...always };
  const list = usePagedList<TrackOut>((page) => trackPage(filter, page));

  const tags = useTags();
  const columns = useMemo(
    () =>
      trackColumns(t, tags, (track, index) => (
        <PlayCover track={track} onPlay={() => play({ name: title, query: filter }, index)} />
      )),
    [t, search, tags],
  );

  const onSort = (id: string) => {
    const next = TRACK_SORT_NAMES.find((name) => name === id);
    if (!next) return;
    const { order: _order, seed: _seed, sort: _sort, ...rest } = search;
    const isReversed = next === sort && !descending === (naturalOrder(next) === 'asc');
    onSearch({
      ...rest,
      ...(next === defaultSort ? {} : { sort: next }),
      ...(isReversed ? { order: naturalOrder(next) === 'asc' ? 'desc' : 'asc' } : {}),
    });
  };

  function body() {
    if (list.error && list.total === undefined)
      return <ErrorState detail={detailOf(list.error)} onRetry={list.retry} />;
    if (list.total === 0) return empty;
    return (
      <TracksTable
        label={title}
        list={list}
        placeholders={PLACEHOLDERS}
        filter={filter}
        sort={sort satisfies TrackSort}
        descending={descending}
        onSort={onSort}
        columns={columns}
        layout={layout}
        onLayout={setLayout}
      />
    );
  }

  const isEmpty = list.total === 0 && !hasFilters(search);
  return (
    <Page
      title={title}
      count={list.total === undefined || isEmpty ? undefined : formatNumber(list.total)}
      tools={
        isEmpty ? (
          tools
        ) : (
          <>
            {tools}
            <ViewMenu columns={columns} layout={layout} onChange={setLayout} />
            <FilterTools hasFormat hasTags search={search} onChange={onSearch} />
            <SortTools sorts={TRACK_SORT_NAMES} defaultSort={defaultSort} search={search} onChange={onSearch} />
          </>
        )
      }
    >
      {body()}
    </Page>
  );
}
