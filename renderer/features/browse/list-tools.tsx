// Sort order and filters of a list, kept in the URL.
import { Popover, Select, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { IconAscending, IconDescending, IconFilter, IconShuffle } from '../../ui/icons.ts';
import { genresQuery, type SortOrder } from '../../api/library.ts';
import { isFieldName } from '../../music/track-fields.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ChoiceMenu } from '../../ui/choice-menu.tsx';
import pill from '../../ui/pill.module.css';
import { hasFilters, newSeed, type ListSearch } from './url-params.ts';
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
  const turn = () => {
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
          onClick={turn}
        />
      )}
    </>
  );
}

export function FilterTools<Sort extends SortName>({
  search,
  onChange,
}: Pick<ListToolsProps<Sort>, 'search' | 'onChange'>) {
  const { t } = useTranslation();
  const genres = useQuery(genresQuery());
  const set = (change: Partial<Record<keyof ListSearch<Sort>, unknown>>) =>
    onChange(
      Object.fromEntries(
        Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined && value !== ''),
      ),
    );
  const year = (text: string) => (/^\d{1,4}$/.test(text) ? Number(text) : undefined);
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        <button type="button" className={pill.pill} data-active={hasFilters(search) || undefined}>
          <IconFilter size={16} aria-hidden />
          {t('list.filter')}
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('list.filter')}>
        <div className={pill.form}>
          <Select
            openOnFocus={false}
            label={t('list.genre')}
            placeholder={t('list.anyGenre')}
            searchable
            clearable
            value={search.genre ?? null}
            data={(genres.data ?? []).map((genre) => genre.name)}
            onChange={(genre) => set({ genre: genre ?? undefined })}
            comboboxProps={{ withinPortal: false }}
            nothingFoundMessage={t('list.noGenre')}
            maxDropdownHeight={240}
          />
          <div className={pill.years}>
            <TextInput
              label={t('list.yearFrom')}
              inputMode="numeric"
              maxLength={4}
              defaultValue={search.from ?? ''}
              onChange={(event) => set({ from: year(event.currentTarget.value) })}
            />
            <TextInput
              label={t('list.yearTo')}
              inputMode="numeric"
              maxLength={4}
              defaultValue={search.to ?? ''}
              onChange={(event) => set({ to: year(event.currentTarget.value) })}
            />
          </div>
          <Switch
            label={t('list.likedOnly')}
            checked={search.liked ?? false}
            onChange={(event) => set({ liked: event.currentTarget.checked || undefined })}
          />
          {hasFilters(search) && (
            <Button onClick={() => set({ genre: undefined, from: undefined, to: undefined, liked: undefined })}>
              {t('list.clearFilters')}
            </Button>
          )}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
