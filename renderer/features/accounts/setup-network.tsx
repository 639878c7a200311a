import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { detailOf } from '../../api/problem.ts';
import type { SettingOut } from '../../api/routes.ts';
import { findSetting, settingsQuery, useChangeSettings } from '../../api/settings.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { FormError } from './auth-layout.tsx';
import styles from './auth-layout.module.css';

const ALL_ADDRESSES = '0.0.0.0';
const LOOPBACK_ADDRESS = '127.0.0.1';

export function SetupNetwork({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation();
  const settings = useQuery(settingsQuery());
  const change = useChangeSettings();
  const host = findSetting(settings.data, 'host');
  const registration = findSetting(settings.data, 'allow_registration');
  const isShared =
    host !== undefined && host.value !== LOOPBACK_ADDRESS && host.value !== 'localhost' && host.value !== '::1';

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const share = form.get('share') !== null;
    const register = form.get('register') !== null;
    const changes = {
      ...(canChange(host) && share !== isShared ? { host: share ? ALL_ADDRESSES : LOOPBACK_ADDRESS } : {}),
      ...(canChange(registration) && register !== registration.value ? { allow_registration: register } : {}),
    };
    if (Object.keys(changes).length > 0) await change.mutateAsync(changes);
    onDone();
  };

  if (settings.isPending) return <Skeleton height="180px" />;
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event).catch(() => undefined)}>
      {(change.error ?? settings.error) && <FormError>{detailOf(change.error ?? settings.error)}</FormError>}
      <Switch
        name="share"
        label={t('setup.network.share')}
        defaultChecked={isShared}
        disabled={!canChange(host)}
        description={t(canChange(host) ? 'setup.network.shareHelp' : 'setup.network.fixed')}
      />
      <Switch
        name="register"
        label={t('setup.network.register')}
        defaultChecked={registration?.value === true}
        disabled={!canChange(registration)}
        description={t(canChange(registration) ? 'setup.network.registerHelp' : 'setup.network.fixed')}
      />
      <div className={styles.buttons}>
        <Button type="submit" variant="primary" disabled={change.isPending}>
          {t('setup.finish')}
        </Button>
      </div>
    </form>
  );
}

const canChange = (setting: SettingOut | undefined): setting is SettingOut =>
  setting !== undefined && setting.origin !== 'env';
