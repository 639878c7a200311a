import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tagValuesQuery } from '../../api/tags.ts';
import { useTags, type NamedTag } from '../../music/tag-names.ts';
import { tagsIn, toTagsText } from './url-params.ts';
import { formatNumber } from '../../ui/format.ts';

interface TagFiltersProps {
  /** The parameter of the list. */
  tags: string | undefined;
  onChange: (tags: string | undefined) => void;
}

/** A field for each tag that any track has. */
export function TagFilters({ tags, onChange }: TagFiltersProps) {
  const chosen = tagsIn(tags);
  return useTags()
    .filter(({ name, hasValues }) => hasValues || chosen.some((entry) => entry.startsWith(`${name}:`)))
    .map((tag) => {
      const prefix = `${tag.name}:`;
      const others = chosen.filter((entry) => !entry.startsWith(prefix));
      return (
        <TagField
          key={tag.name}
          tag={tag}
          value={chosen.find((entry) => entry.startsWith(prefix))?.slice(prefix.length) ?? null}
          onChange={(value) => {
            onChange(toTagsText(value === null ? others : [...others, `${prefix}${value}`]));
          }}
        />
      );
    });
}

const TYPING_PAUSE_MS = 150;

interface TagFieldProps {
  tag: NamedTag;
  value: string | null;
  onChange: (value: string | null) => void;
}

/** Chooses a value of a tag. There may be thousands, so the server searches them. */
function TagField({ tag: { name, label }, value, onChange }: TagFieldProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [settledText] = useDebouncedValue(text.trim(), TYPING_PAUSE_MS);
  const q = settledText === value ? '' : settledText;
  const { data } = useQuery({ ...tagValuesQuery(name, q), enabled: isOpen, placeholderData: (previous) => previous });
  const options = (data?.items ?? []).map((item) => ({
    value: item.value,
    label: item.value,
    count: formatNumber(item.track_count),
  }));
  const counts = new Map(options.map((option) => [option.value, option.count]));
  // the chosen value is an option also before the values are loaded
  if (value !== null && !counts.has(value)) options.unshift({ value, label: value, count: '' });
  return (
    <Select
      openOnFocus={false}
      label={label}
      placeholder={t('tags.any')}
      searchable
      clearable
      value={value}
      data={options}
      filter={({ options: all }) => all}
      onSearchChange={setText}
      onDropdownOpen={() => setOpen(true)}
      onChange={onChange}
      renderOption={({ option }) => (
        <>
          <span style={{ flex: 1, overflowWrap: 'anywhere' }}>{option.label}</span>
          <span style={{ color: 'var(--ink-3)' }}>{counts.get(option.value)}</span>
        </>
      )}
      comboboxProps={{ withinPortal: false }}
      nothingFoundMessage={t('tags.none')}
      maxDropdownHeight={240}
    />
  );
}
