// Settings of the desktop app, stored by the app itself and shown only in its windows.
import { Switch } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useDesktopSettings } from '../../api/desktop-settings.ts';
import { SHORTCUT_NAMES, type DesktopSettings } from '../../desktop.ts';
import { helpId, Saved, SettingGroup, SettingRow } from './setting-row.tsx';
import { ShortcutRow } from './shortcut-row.tsx';
import styles from './settings.module.css';

const CHOICES = [
  'openAtLogin',
  'keepRunning',
  'mediaKeys',
  'notifyTracks',
  'playerOnTop',
  'lookForUpdates',
] as const satisfies readonly (keyof DesktopSettings)[];

export function DesktopGroup() {
  const { t } = useTranslation();
  const { settings: data, change } = useDesktopSettings();
  if (!data) return null;
  return (
    <SettingGroup name="app" title={t('settings.desktop.title')}>
      {CHOICES.map((name) => {
        const value = data[name];
        if (value === null) return null;
        return (
          <Choice
            key={name}
            name={name}
            value={value}
            isSaved={change.isSuccess && name in change.variables}
            onChoose={(next) => change.mutate({ [name]: next })}
          />
        );
      })}
      {SHORTCUT_NAMES.map((name) => (
        <ShortcutRow
          key={name}
          name={name}
          value={data.shortcuts[name]}
          isTaken={data.takenShortcuts.includes(name)}
          onChoose={(keys) => change.mutate({ shortcuts: { ...data.shortcuts, [name]: keys } })}
        />
      ))}
    </SettingGroup>
  );
}

interface ChoiceProps {
  name: (typeof CHOICES)[number];
  value: boolean;
  isSaved: boolean;
  onChoose: (value: boolean) => void;
}

function Choice({ name, value, isSaved, onChoose }: ChoiceProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <SettingRow
      name={`app-${name}`}
      label={t(`settings.desktop.${name}`)}
      help={t(`settings.desktop.${name}Help`)}
      htmlFor={id}
      notes={
        <p className={styles.notes}>
          <Saved shown={isSaved} />
        </p>
      }
    >
      <Switch
        id={id}
        checked={value}
        aria-describedby={helpId(id)}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
    </SettingRow>
  );
}
