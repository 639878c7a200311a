import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import pill from '../controls/pill.module.css';

const TYPING_PAUSE_MS = 150;

interface TextFilterProps {
  /** The words that the list is filtered by; empty if it is not. */
  text: string;
  onChange: (text: string) => void;
}

/** A field for words that rows of a list have in their names. Escape empties it. */
export function TextFilter({ text: filteredText, onChange }: TextFilterProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(filteredText);
  const [settledText] = useDebouncedValue(text.trim(), TYPING_PAUSE_MS);
  useEffect(() => setText((now) => (now.trim() === filteredText ? now : filteredText)), [filteredText]);
  useEffect(() => {
    if (settledText !== filteredText) onChange(settledText);
  }, [settledText]);
  return (
    <input
      type="search"
      className={pill.text}
      aria-label={t('list.text')}
      placeholder={t('list.text')}
      value={text}
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || text === '') return;
        event.stopPropagation();
        setText('');
      }}
    />
  );
}
