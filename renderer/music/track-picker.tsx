// A field that finds a track of the library while the user types.
import { Combobox, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { librarySearchQuery } from '../api/library.ts';
import { trackQuery } from '../api/tracks.ts';
import '../i18n/page-texts.ts';

const TYPING_PAUSE_MS = 120;
const MAX_HITS = 8;

interface TrackPickerProps {
  label: string;
  /** Id of the chosen track. */
  value: number | undefined;
  onChange: (id: number) => void;
}

export function TrackPicker({ label, value, onChange }: TrackPickerProps) {
  const { t } = useTranslation();
  const [typedText, setTyped] = useState<string | null>(null);
  const [q] = useDebouncedValue(typedText?.trim() ?? '', TYPING_PAUSE_MS);
  const chosenTrack = useQuery({ ...trackQuery(value ?? 0), enabled: value !== undefined });
  const search = useQuery(librarySearchQuery(q, MAX_HITS));
  const box = useCombobox({ onDropdownClose: () => box.resetSelectedOption() });
  const nameOf = (track: { title: string; artist_name: string | null }) =>
    `${track.title} · ${track.artist_name ?? t('library.unknownArtist')}`;
  const tracks = q === '' ? [] : (search.data?.tracks.items ?? []);
  const shownText = typedText ?? (value !== undefined && chosenTrack.data ? nameOf(chosenTrack.data) : '');
  return (
    <Combobox
      store={box}
      onOptionSubmit={(id) => {
        onChange(Number(id));
        setTyped(null);
        box.closeDropdown();
      }}
    >
      <Combobox.Target>
        <TextInput
          size="md"
          label={label}
          value={shownText}
          placeholder={t('path.find')}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            box.openDropdown();
            box.updateSelectedOptionIndex();
          }}
          onBlur={() => {
            box.closeDropdown();
            setTyped(null);
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={q === ''}>
        <Combobox.Options aria-label={label}>
          {tracks.map((track) => (
            <Combobox.Option key={track.id} value={String(track.id)}>
              {nameOf(track)}
            </Combobox.Option>
          ))}
          {tracks.length === 0 && search.data && <Combobox.Empty>{t('path.noTrack')}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
