// A global shortcut: the user presses the keys in the field, or Backspace for no shortcut.
import { TextInput } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { ShortcutName } from '../../desktop.ts';
import { acceleratorOf } from './accelerator.ts';
import { helpId, SettingRow } from './setting-row.tsx';
import styles from './settings.module.css';

interface ShortcutRowProps {
  name: ShortcutName;
  value: string;
  /** True if the system or another program uses the shortcut. */
  isTaken: boolean;
  onChoose: (keys: string) => void;
}

export function ShortcutRow({ name, value, isTaken, onChoose }: ShortcutRowProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <SettingRow
      label={t('settings.desktop.shortcut', { action: t(`settings.desktop.shortcuts.${name}`) })}
      help={t('settings.desktop.shortcutHelp')}
      htmlFor={id}
    >
      <TextInput
        id={id}
        className={styles.field}
        value={value}
        placeholder={t('settings.desktop.noShortcut')}
        error={isTaken && t('settings.desktop.takenShortcut')}
        readOnly
        aria-describedby={helpId(id)}
        onKeyDown={(event) => {
          const keys = event.key === 'Backspace' ? '' : acceleratorOf(event.nativeEvent);
          if (keys === undefined) return;
          event.preventDefault();
          onChoose(keys);
        }}
      />
    </SettingRow>
  );
}
