// The signed-in account: its rights, passwords, scrobbling and sessions.
import { Switch } from '@mantine/core';
import { lazy, Suspense, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { detailOf } from '../../../api/problem.ts';
import { useSession } from '../../../api/session.ts';
import { useSetPrivacy } from '../../../api/users.ts';
import { formatBytes } from '../../../ui/format.ts';
import { AppPasswords } from './app-passwords.tsx';
import { OwnPassword } from './own-password.tsx';
import { RIGHT_NAMES } from '../accounts/rights-fields.tsx';
import { SessionList } from './session-list.tsx';
import { helpId, SettingGroup, SettingRow } from '../setting-row.tsx';
import styles from '../settings.module.css';

const Scrobbling = lazy(async () => ({ default: (await import('./scrobbling.tsx')).Scrobbling }));

export function AccountSection() {
  return (
    <>
      <OwnRights />
      <OwnPassword />
      <AppPasswords />
      <Suspense fallback={null}>
        <Scrobbling />
      </Suspense>
      <SessionList />
    </>
  );
}

function OwnRights() {
  const { t, i18n } = useTranslation();
  const user = useSession()?.user;
  const setPrivacy = useSetPrivacy();
  const id = useId();
  if (!user) return null;
  const list = (names: string[]) => new Intl.ListFormat(i18n.language, { type: 'unit' }).format(names);
  const labels = (isGiven: boolean) =>
    RIGHT_NAMES.filter((name) => user[name] === isGiven).map((name) => t(`settings.rights.${name}.label`));
  const denied = labels(false);
  return (
    <SettingGroup name="rights" title={user.username}>
      <SettingRow
        label={t(user.is_superuser ? 'settings.people.owner' : 'settings.people.listener')}
        help={user.is_superuser ? t('settings.account.everything') : list(labels(true))}
      />
      {denied.length > 0 && (
        <SettingRow label={t('settings.account.denied')} help={list(denied)} notes={t('settings.account.ask')} />
      )}
      <SettingRow
        name="privacy"
        label={t('settings.account.hide')}
        help={t('settings.account.hideHelp')}
        htmlFor={id}
        notes={
          setPrivacy.error && (
            <p role="alert" className={styles.fault}>
              {detailOf(setPrivacy.error)}
            </p>
          )
        }
      >
        <Switch
          id={id}
          checked={user.hides_playing}
          disabled={setPrivacy.isPending}
          aria-describedby={helpId(id)}
          onChange={(event) => setPrivacy.mutate(event.currentTarget.checked)}
        />
      </SettingRow>
      {user.max_bitrate_kbps !== null && (
        <SettingRow label={t('settings.rights.bitrate')}>{`${user.max_bitrate_kbps} kbps`}</SettingRow>
      )}
      {user.quota_bytes !== null && (
        <SettingRow label={t('settings.rights.quota')}>{formatBytes(user.quota_bytes)}</SettingRow>
      )}
    </SettingGroup>
  );
}
