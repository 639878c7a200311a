// Settings of the desktop app, stored by the app itself and shown only in its windows.
import { Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { desktop, type DesktopBridge, type DesktopChange, type DesktopSettings } from '../../desktop.ts';
import { helpId, Saved, SettingGroup, SettingRow } from './setting-row.tsx';
import styles from './settings.module.css';

const KEY = ['desktop-settings'] as const;
const CHOICES = [
  'openAtLogin',
  'keepRunning',
  'mediaKeys',
  'notifyTracks',
  'lookForUpdates',
] as const satisfies readonly (keyof DesktopSettings)[];

export function DesktopGroup() {
  return desktop && <Choices bridge={desktop} />;
}

function Choices({ bridge }: { bridge: DesktopBridge }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data } = useQuery({ queryKey: KEY, queryFn: () => bridge.settings() });
  const change = useMutation({
    mutationFn: (wish: DesktopChange) => bridge.changeSettings(wish),
    onSuccess: (settings) => queries.setQueryData(KEY, settings),
  });
  if (!data) return null;
  return (
    <SettingGroup title={t('settings.desktop.title')}>
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
