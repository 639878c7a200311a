// Sort order and filters of a list, kept in the URL.
import { Popover, Select, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { IconAscending, IconDescending, IconFilter, IconShuffle } from '../../ui/theme/icons.ts';
import { genresQuery, type SortOrder } from '../../api/library.ts';
import { storageQuery } from '../../api/stats.ts';
import { isFieldName } from '../../music/track-fields.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { ChoiceMenu } from '../../ui/controls/choice-menu.tsx';
import { formatFormat } from '../../ui/format.ts';
import { TextFilter } from '../../ui/lists/text-filter.tsx';
import pill from '../../ui/controls/pill.module.css';
import { TagFilters } from './tag-filters.tsx';
import { FILTERS, hasFilters, newSeed, type ListSearch } from './url-params.ts';
import { naturalOrder, type ALBUM_SORT_NAMES, type ARTIST_SORT_NAMES, type TRACK_SORT_NAMES } from './sort-options.ts';

export type SortName = (typeof ALBUM_SORT_NAMES | typeof ARTIST_SORT_NAMES | typeof TRACK_SORT_NAMES)[number];

interface ListToolsProps<Sort extends SortName> {
  sorts: readonly Sort[];
  defaultSort: Sort;
  search: ListSearch<Sort>;
  onChange: (search: ListSearch<Sort>) => void;
}

export function SortTools<Sort extends SortName>({ sorts, defaultSort, search, onChange }: ListToolsProps<Sort>) {
  const { t } = useTranslation();
  const sort = search.sort ?? defaultSort;
  const order: SortOrder = search.order ?? naturalOrder(sort);
  const { sort: _sort, order: _order, seed: _seed, ...filters } = search;
  const labelOf = (name: SortName) => t(isFieldName(name) ? `field.${name}` : `sort.${name}`);
  const choose = (next: Sort) =>
    onChange({
      ...filters,
      ...(next === defaultSort ? {} : { sort: next }),
      ...(next === 'random' ? { seed: newSeed() } : {}),
    });
  const reverseOrder = () => {
    const next = order === 'asc' ? 'desc' : 'asc';
    const { order: _, ...rest } = search;
    onChange(next === naturalOrder(sort) ? rest : { ...rest, order: next });
  };
  return (
    <>
      <ChoiceMenu
        label={t('list.sort')}
        value={sort}
        onChange={choose}
        options={sorts.map((value) => ({ value, label: labelOf(value) }))}
      />
      {sort === 'random' ? (
        <IconButton
          label={t('list.reshuffle')}
          icon={IconShuffle}
          iconSize={18}
          onClick={() => onChange({ ...search, seed: newSeed() })}
        />
      ) : (
        <IconButton
          label={t(order === 'asc' ? 'list.ascending' : 'list.descending')}
          icon={order === 'asc' ? IconAscending : IconDescending}
          iconSize={18}
          onClick={reverseOrder}
        />
      )}
    </>
  );
}

interface FilterToolsProps<Sort extends SortName> extends Pick<ListToolsProps<Sort>, 'search' | 'onChange'> {
  /** Whether the audio format is one of the filters. */
  hasFormat?: boolean;
  /** Whether moods, groupings and custom tags are among the filters. */
  hasTags?: boolean;
}

/** A field for words, and a form with the other filters. */
export function FilterTools<Sort extends SortName>(props: FilterToolsProps<Sort>) {
  const { t } = useTranslation();
  const { q = '', ...otherParams } = props.search;
  return (
    <>
      <TextFilter text={q} onChange={(text) => props.onChange({ ...otherParams, ...(text !== '' && { q: text }) })} />
      <Popover position="bottom-end" trapFocus>
        <Popover.Target>
          <button type="button" className={pill.pill} data-active={hasFilters(otherParams) || undefined}>
            <IconFilter size={16} aria-hidden />
            {t('list.filter')}
          </button>
        </Popover.Target>
        <Popover.Dropdown aria-label={t('list.filter')}>
          <FilterForm {...props} />
        </Popover.Dropdown>
      </Popover>
    </>
  );
}

function FilterForm<Sort extends SortName>({
  search,
  onChange,
  hasFormat = false,
  hasTags = false,
}: FilterToolsProps<Sort>) {
  const { t } = useTranslation();
  const genres = useQuery(genresQuery());
  const storage = useQuery({ ...storageQuery(), enabled: hasFormat });
  const setFilters = (change: Partial<Record<keyof ListSearch<Sort>, unknown>>) =>
    onChange(
      Object.fromEntries(
        Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined && value !== ''),
      ),
    );
  const year = (text: string) => (/^\d{1,4}$/.test(text) ? Number(text) : undefined);
  return (
    <div className={pill.form}>
      <Select
        openOnFocus={false}
        label={t('list.genre')}
        placeholder={t('list.anyGenre')}
        searchable
        clearable
        value={search.genre ?? null}
        data={(genres.data ?? []).map((genre) => genre.name)}
        onChange={(genre) => setFilters({ genre: genre ?? undefined })}
        comboboxProps={{ withinPortal: false }}
        nothingFoundMessage={t('list.noGenre')}
        maxDropdownHeight={240}
      />
      {hasFormat && (
        <Select
          openOnFocus={false}
          label={t('list.format')}
          placeholder={t('list.anyFormat')}
          clearable
          value={search.format ?? null}
          data={(storage.data?.by_format ?? []).map(({ key }) => ({ value: key, label: formatFormat(key) }))}
          onChange={(format) => setFilters({ format: format ?? undefined })}
          comboboxProps={{ withinPortal: false }}
          maxDropdownHeight={240}
        />
      )}
      {hasTags && <TagFilters tags={search.tags} onChange={(tags) => setFilters({ tags })} />}
      <div className={pill.years}>
        <TextInput
          label={t('list.yearFrom')}
          inputMode="numeric"
          maxLength={4}
          defaultValue={search.from ?? ''}
          onChange={(event) => setFilters({ from: year(event.currentTarget.value) })}
        />
        <TextInput
          label={t('list.yearTo')}
          inputMode="numeric"
          maxLength={4}
          defaultValue={search.to ?? ''}
          onChange={(event) => setFilters({ to: year(event.currentTarget.value) })}
        />
      </div>
      <Select
        openOnFocus={false}
        label={t('list.rating')}
        placeholder={t('list.anyRating')}
        clearable
        value={search.rating === undefined ? null : String(search.rating)}
        data={[5, 4, 3, 2, 1].map((stars) => ({
          value: String(stars),
          label: stars === 5 ? '★'.repeat(stars) : t('list.ratingFrom', { stars: '★'.repeat(stars) }),
        }))}
        onChange={(stars) => setFilters({ rating: stars === null ? undefined : Number(stars) })}
        comboboxProps={{ withinPortal: false }}
      />
      <Switch
        label={t('list.likedOnly')}
        checked={search.liked ?? false}
        onChange={(event) => setFilters({ liked: event.currentTarget.checked || undefined })}
      />
      {hasFilters(search) && (
        <Button onClick={() => setFilters(Object.fromEntries(FILTERS.map((filter) => [filter, undefined])))}>
          {t('list.clearFilters')}
        </Button>
      )}
    </div>
  );
}
