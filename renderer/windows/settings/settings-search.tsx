// The search field above the sections, and its results in their place.
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { jumpTo } from '../../features/settings/jump.ts';
import type { FoundSetting } from '../../music/setting-places.ts';
import { useFindableSettings } from '../../music/use-findable-settings.ts';
import { findByWords } from '../../ui/find-by-words.ts';
import { IconSearch } from '../../ui/theme/icons.ts';
import { SECTION_ICONS } from './sections.ts';
import styles from './settings-search.module.css';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [role="slider"]') !== null;

interface SettingsSearchProps {
  query: string;
  onQuery: (query: string) => void;
}

/** Ctrl+F and / focus the field. Ctrl+F in the field is the browser's own search. */
export function SettingsSearch({ query, onQuery }: SettingsSearchProps) {
  const { t } = useTranslation();
  const listId = useId();
  const field = useRef<HTMLInputElement>(null);
  const settings = useFindableSettings();
  const [active, setActive] = useState(0);
  const q = query.trim();
  const hits = findByWords(settings, q);
  const activeIndex = Math.min(active, hits.length - 1);

  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const isFind = (event.ctrlKey || event.metaKey) && event.key === 'f' && document.activeElement !== field.current;
      const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
      if ((!isFind && !isSlash) || document.querySelector('[role="dialog"]')) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  const choose = ({ address }: FoundSetting) => {
    onQuery('');
    jumpTo(address);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const hit = hits[activeIndex];
    if (event.key === 'ArrowDown') setActive(Math.min(activeIndex + 1, hits.length - 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(activeIndex - 1, 0));
    else if (event.key === 'Enter' && hit && !event.nativeEvent.isComposing) choose(hit);
    else if (event.key === 'Escape') {
      if (query === '') field.current?.blur();
      onQuery('');
    } else return;
    event.preventDefault();
  };
  useEffect(() => {
    document.getElementById(`${listId}-${activeIndex}`)?.scrollIntoView({ block: 'nearest' });
  }, [activeIndex, listId]);

  return (
    <div role="search" className={styles.search}>
      <div className={styles.field}>
        <IconSearch size={18} aria-hidden />
        <input
          ref={field}
          type="search"
          role="combobox"
          className={styles.input}
          aria-label={t('settings.find.label')}
          aria-keyshortcuts="Control+F /"
          aria-expanded={hits.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={hits.length > 0 ? `${listId}-${activeIndex}` : undefined}
          placeholder={t('settings.find.label')}
          value={query}
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            onQuery(event.currentTarget.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={listId} role="listbox" aria-label={t('settings.find.results')} className={styles.hits}>
        {hits.map((hit, i) => {
          const Symbol = SECTION_ICONS[hit.section];
          return (
            <div
              key={`${hit.address} ${hit.name}`}
              id={`${listId}-${i}`}
              role="option"
              aria-selected={i === activeIndex}
              className={styles.hit}
              onPointerMove={() => setActive(i)}
              onClick={() => choose(hit)}
            >
              <Symbol size={18} stroke={1.75} aria-hidden />
              <span className={styles.words}>
                <span>{hit.name}</span>
                <span className={styles.by}>
                  {[t(`settings.section.${hit.section}`), hit.value].filter(Boolean).join(' · ')}
                </span>
              </span>
            </div>
          );
        })}
      </div>
      <p role="status" className={hits.length > 0 ? 'visually-hidden' : styles.nothing}>
        {q !== '' &&
          (hits.length > 0 ? t('settings.find.found', { count: hits.length }) : t('settings.find.nothing', { q }))}
      </p>
    </div>
  );
}
