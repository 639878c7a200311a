// A page with one large grid of covers, for albums and artists.
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Icon } from '../../ui/theme/icons.ts';
import type { PageAt, PageOptions } from '../../api/library.ts';
import { usePagedList } from '../../api/paged-list.ts';
import { detailOf } from '../../api/problem.ts';
import { Button } from '../../ui/controls/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { LetterRail } from '../../ui/lists/letter-rail.tsx';
import { Page } from '../../ui/page.tsx';
import pill from '../../ui/controls/pill.module.css';
import { Slider } from '../../ui/controls/slider.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { VirtualGrid } from '../../ui/lists/virtual-grid.tsx';
import { CAPTION_HEIGHT } from './albums/album-card.tsx';
import { hasFilters, type ListSearch } from './url-params.ts';
import { EmptyLibrary } from './home/empty-library.tsx';
import { FilterTools, SortTools, type SortName } from './list-tools.tsx';
import { naturalOrder } from './sort-options.ts';
import { useJump } from '../../music/type-ahead.ts';
import { CARD_SIZES, useCardSize } from './use-card-size.ts';

interface CardPageProps<T, Sort extends SortName> {
  title: string;
  icon: Icon;
  query: (page: PageAt) => PageOptions<T>;
  /** Returns the name that the list is sorted by; undefined if it is not sorted by a name. */
  nameOf: (item: T, sort: Sort) => string | null | undefined;
  sorts: readonly Sort[];
  defaultSort: Sort;
  search: ListSearch<Sort>;
  onSearch: (search: ListSearch<Sort>) => void;
  renderCard: (item: T | undefined, tabIndex: 0 | -1, width: number) => ReactNode;
  onPlay: (item: T) => void;
  /** Displayed instead of the grid if the library has no items. */
  empty?: ReactNode;
  hasFormat?: boolean;
  tools?: ReactNode;
  /** An additional card after the last item. */
  lastCard?: ((tabIndex: 0 | -1, width: number) => ReactNode) | undefined;
}

/** Number of skeletons displayed until the total is known. */
const PLACEHOLDERS = 48;
const NAME_SORTS: ReadonlySet<string> = new Set(['title', 'artist', 'name']);
const GAP = { column: 20, row: 24 };

export function CardPage<T, Sort extends SortName>({
  title,
  icon,
  query,
  nameOf,
  sorts,
  defaultSort,
  search,
  onSearch,
  renderCard,
  onPlay,
  empty,
  hasFormat = false,
  tools: ownTools,
  lastCard,
}: CardPageProps<T, Sort>) {
  const { t } = useTranslation();
  const [size, setSize] = useCardSize();
  const queries = useQueryClient();
  const list = usePagedList(query);
  const sort = search.sort ?? defaultSort;
  const isByName = NAME_SORTS.has(sort);
  const nameAt = async (row: number) => {
    const item = list.item(row) ?? (await queries.fetchQuery(query({ limit: 1, offset: row }))).items[0];
    return (item && nameOf(item, sort)) ?? undefined;
  };
  const { goTo, onType, letters } = useJump({
    count: list.total ?? 0,
    nameAt: isByName ? nameAt : undefined,
    descending: (search.order ?? naturalOrder(sort)) === 'desc',
  });
  const tools = (
    <>
      {ownTools}
      <div className={pill.slider}>
        <Slider
          label={t('list.coverSize')}
          {...CARD_SIZES}
          value={size}
          live
          onChange={setSize}
          valueText={`${size} px`}
        />
      </div>
      <FilterTools hasFormat={hasFormat} search={search} onChange={onSearch} />
      <SortTools sorts={sorts} defaultSort={defaultSort} search={search} onChange={onSearch} />
    </>
  );
  const isEmpty = list.total === 0 && !hasFilters(search) && !lastCard;
  return (
    <Page
      title={title}
      count={list.total === undefined || isEmpty ? undefined : formatNumber(list.total)}
      tools={isEmpty ? ownTools : tools}
    >
      {body()}
    </Page>
  );

  function body() {
    if (list.error && list.total === undefined)
      return <ErrorState detail={detailOf(list.error)} onRetry={list.retry} />;
    if (list.total === 0 && hasFilters(search))
      return (
        <EmptyState
          icon={icon}
          title={t('list.noMatch')}
          actions={<Button onClick={() => onSearch({})}>{t('list.clearFilters')}</Button>}
        />
      );
    if (isEmpty) return empty ?? <EmptyLibrary />;
    return (
      <>
        {letters && <LetterRail {...letters} />}
        <VirtualGrid
          label={title}
          goTo={goTo}
          count={list.total === undefined ? PLACEHOLDERS : list.total + (lastCard ? 1 : 0)}
          cellWidth={size}
          gap={GAP}
          cellHeight={(width) => width + CAPTION_HEIGHT}
          onRange={list.show}
          isLoaded={(index) => index === list.total || list.item(index) !== undefined}
          renderCell={(index, tabIndex, width) =>
            lastCard && index === list.total ? lastCard(tabIndex, width) : renderCard(list.item(index), tabIndex, width)
          }
          onCellKey={(event, index) => {
            const item = list.item(index);
            const isPlay = event.key === ' ' || event.key === 'p';
            if (!item || event.ctrlKey || event.metaKey || !isPlay) return onType(event);
            onPlay(item);
            return true;
          }}
        />
      </>
    );
  }
}
