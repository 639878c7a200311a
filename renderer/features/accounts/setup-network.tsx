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
import '../../i18n/page-texts.ts';

const ALL_ADDRESSES = '0.0.0.0';
const LOOPBACK_ADDRESS = '127.0.0.1';
const REGISTRATION_CHOICES = ['onlyAdded', 'everybody'] as const;

export function SetupNetwork({ onBack, onDone }: { onBack: () => void; onDone: () => void }) {
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
    const register = form.get('register') === 'everybody';
    const changes = {
      ...(canChange(host) && share !== isShared ? { host: share ? ALL_ADDRESSES : LOOPBACK_ADDRESS } : {}),
      ...(canChange(registration) ? { allow_registration: register } : {}),
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
      <fieldset className={styles.choices} disabled={!canChange(registration)}>
        <legend>{t('setup.network.accounts')}</legend>
        {REGISTRATION_CHOICES.map((choice) => (
          <label key={choice} className={styles.choice}>
            <input
              type="radio"
              name="register"
              value={choice}
              defaultChecked={(choice === 'everybody') === isEverybodyChosen(registration)}
            />
            <strong>{t(`setup.network.${choice}`)}</strong>
            <span>{t(`setup.network.${choice}Help`)}</span>
          </label>
        ))}
        {!canChange(registration) && <p>{t('setup.network.fixed')}</p>}
      </fieldset>
      <div className={styles.buttons}>
        <Button variant="plain" onClick={onBack}>
          {t('setup.back')}
        </Button>
        <Button type="submit" variant="primary" disabled={change.isPending}>
          {t('setup.finish')}
        </Button>
      </div>
    </form>
  );
}

/**
 * Returns whether everybody may create accounts, as somebody has chosen. Without a choice nobody may, although that is
 * not the default of servers that are set up without a window.
 */
const isEverybodyChosen = (setting: SettingOut | undefined): boolean =>
  setting?.value === true && setting.origin !== 'default';

const canChange = (setting: SettingOut | undefined): setting is SettingOut =>
  setting !== undefined && setting.origin !== 'env';
