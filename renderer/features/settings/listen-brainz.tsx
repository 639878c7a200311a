// The user's ListenBrainz connection: state, pending plays, errors.
import { PasswordInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { ScrobblingOut } from '../../../server/history/wire.ts';
import { scrobblingQuery, useConnectScrobbling, useDisconnectScrobbling } from '../../api/users.ts';
import { ApiError, detailOf } from '../../api/problem.ts';
import { Button } from '../../ui/button.tsx';
import { formText } from '../../ui/form-text.ts';
import { formatAgo, formatNumber } from '../../ui/format.ts';
import { SettingGroup } from './setting-row.tsx';
import styles from './settings.module.css';

const TOKEN_PAGE = 'https://listenbrainz.org/settings/';

export function ListenBrainz() {
  const { t } = useTranslation();
  const { data } = useQuery(scrobblingQuery());
  if (!data) return null;
  return (
    <SettingGroup title={t('settings.listens.title')} lead={t('settings.listens.lead')}>
      {data.connected ? (
        <Connected status={data} />
      ) : data.enabled ? (
        <Connect />
      ) : (
        <p className={styles.padded}>{t('settings.listens.off')}</p>
      )}
    </SettingGroup>
  );
}

function Connect() {
  const { t } = useTranslation();
  const connect = useConnectScrobbling();
  const fault = connect.error instanceof ApiError ? (connect.error.field('token') ?? connect.error.detail) : undefined;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    connect.mutate(formText(event.currentTarget, 'token').trim());
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <PasswordInput
        name="token"
        label={t('settings.listens.token')}
        autoComplete="off"
        required
        withAsterisk={false}
        error={fault}
        visibilityToggleButtonProps={{ 'aria-label': t('settings.showTyped') }}
        description={
          <>
            {t('settings.listens.tokenHelp')}{' '}
            <a className={styles.link} href={TOKEN_PAGE} target="_blank" rel="noreferrer">
              {t('settings.listens.tokenPage')}
            </a>
          </>
        }
      />
      <div className={styles.buttons}>
        <Button type="submit" variant="primary" disabled={connect.isPending}>
          {t('settings.listens.connect')}
        </Button>
      </div>
    </form>
  );
}

function Connected({ status }: { status: ScrobblingOut }) {
  const { t } = useTranslation();
  const disconnect = useDisconnectScrobbling();
  return (
    <div className={styles.padded}>
      <p>{t('settings.listens.connected', { name: status.username ?? t('settings.listens.account') })}</p>
      {status.problem && (
        <p role="alert" className={styles.fault}>
          {status.problem}
        </p>
      )}
      <p className={styles.help}>
        {t('settings.listens.sent', { count: status.submitted, number: formatNumber(status.submitted) })}{' '}
        {status.queued > 0 &&
          t('settings.listens.waiting', { count: status.queued, number: formatNumber(status.queued) })}{' '}
        {status.last_submitted_at && t('settings.listens.last', { when: formatAgo(status.last_submitted_at) })}
      </p>
      {disconnect.error && (
        <p role="alert" className={styles.fault}>
          {detailOf(disconnect.error)}
        </p>
      )}
      <div className={styles.buttons}>
        <Button disabled={disconnect.isPending} onClick={() => disconnect.mutate()}>
          {t('settings.listens.disconnect')}
        </Button>
      </div>
    </div>
  );
}
