// The user's accounts at scrobbling services: connecting, state, pending plays, errors.
import { PasswordInput, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, detailOf } from '../../../api/problem.ts';
import type { ScrobblingOut } from '../../../api/routes.ts';
import {
  scrobblingQuery,
  useConnectScrobbling,
  useDisconnectScrobbling,
  useStartSignIn,
  useSyncLoves,
} from '../../../api/scrobbling.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { FormButtons } from '../../../ui/controls/form-buttons.tsx';
import { formText } from '../../../ui/controls/form-text.ts';
import { formatAgo, formatDate, formatNumber } from '../../../ui/format.ts';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { SettingGroup, SettingRow } from '../setting-row.tsx';
import styles from '../settings.module.css';

const TOKEN_PAGE = 'https://listenbrainz.org/settings/';

export function Scrobbling() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(scrobblingQuery());
  const shownServices = data?.filter(({ enabled, connected }) => enabled || connected) ?? [];
  if (error && !data) return <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height="160px" radius="16px" />;
  return (
    <SettingGroup name="scrobbling" title={t('settings.scrobbling.title')} lead={t('settings.scrobbling.lead')}>
      {shownServices.map((service) => (
        <Service key={service.service} one={service} />
      ))}
      {shownServices.length === 0 && <p className={styles.padded}>{t('settings.scrobbling.off')}</p>}
    </SettingGroup>
  );
}

function Service({ one }: { one: ScrobblingOut }) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const disconnect = useDisconnectScrobbling(one.service);
  const sync = useSyncLoves(one.service);
  const isConnecting = isOpen && (!one.connected || one.stopped);
  const fault = disconnect.error ?? sync.error;
  return (
    <SettingRow
      label={one.title}
      help={one.connected ? <State one={one} /> : t('settings.scrobbling.notConnected')}
      wide={isConnecting}
      notes={
        <>
          {fault && (
            <p role="alert" className={styles.fault}>
              {detailOf(fault)}
            </p>
          )}
          {one.refused > 0 && <Refusals one={one} />}
        </>
      }
    >
      {isConnecting ? (
        <Connect one={one} onDone={() => setIsOpen(false)} />
      ) : (
        <>
          {(!one.connected || one.stopped) && one.enabled && (
            <Button
              aria-label={t('settings.scrobbling.connectTo', { service: one.title })}
              onClick={() => setIsOpen(true)}
            >
              {t('settings.scrobbling.connect')}
            </Button>
          )}
          {one.connected && one.sync_loves && !one.stopped && (
            <Button
              aria-label={t('settings.scrobbling.syncWith', { service: one.title })}
              disabled={sync.isPending || sync.isSuccess}
              onClick={() => sync.mutate()}
            >
              {t(sync.isSuccess ? 'settings.scrobbling.syncing' : 'settings.scrobbling.sync')}
            </Button>
          )}
          {one.connected && (
            <Button
              aria-label={t('settings.scrobbling.disconnectFrom', { service: one.title })}
              disabled={disconnect.isPending}
              onClick={() => disconnect.mutate()}
            >
              {t('settings.scrobbling.disconnect')}
            </Button>
          )}
        </>
      )}
    </SettingRow>
  );
}

function State({ one }: { one: ScrobblingOut }) {
  const { t } = useTranslation();
  return (
    <>
      {t('settings.scrobbling.connected', { name: one.username || t('settings.scrobbling.account') })}{' '}
      {t('settings.scrobbling.sent', { count: one.submitted, number: formatNumber(one.submitted) })}{' '}
      {one.queued > 0 && t('settings.scrobbling.waiting', { count: one.queued, number: formatNumber(one.queued) })}{' '}
      {one.last_submitted_at && t('settings.scrobbling.last', { when: formatAgo(one.last_submitted_at) })}
      {!one.enabled && t('settings.scrobbling.off')}
      {one.problem && (
        <span role="alert" className={styles.problem}>
          {one.problem}
        </span>
      )}
    </>
  );
}

function Refusals({ one: { refused, refusals } }: { one: ScrobblingOut }) {
  const { t } = useTranslation();
  return (
    <details className={styles.help}>
      <summary>{t('settings.scrobbling.refused', { count: refused, number: formatNumber(refused) })}</summary>
      <ul>
        {refusals.map(({ title, artist_name: artist, played_at: at, reason }) => (
          <li key={`${at} ${title}`}>
            {[title, artist, formatDate(at)].filter(Boolean).join(' · ')}: {reason}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Connect({ one, onDone }: { one: ScrobblingOut; onDone: () => void }) {
  const { t } = useTranslation();
  const connect = useConnectScrobbling(one.service);
  const start = useStartSignIn(one.service);
  const [withLoves, setWithLoves] = useState(true);
  const byPage = one.sign_in === 'page';
  const page = start.data;
  const problem = connect.error instanceof ApiError ? connect.error : undefined;
  const fault = problem?.field('token') ?? (problem && !problem.field('url') ? problem.detail : undefined);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const token = byPage ? page?.token : formText(form, 'token').trim();
    if (token === undefined) return start.mutate();
    const url = one.sign_in === 'own_server' ? formText(form, 'url').trim() : undefined;
    connect.mutate(
      { token, ...(url !== undefined && { url }), ...(one.can_sync_loves && { sync_loves: withLoves }) },
      { onSuccess: onDone },
    );
  };

  return (
    <form className={styles.inlineForm} onSubmit={submit}>
      <p className={styles.help}>{t(`settings.scrobbling.consent.${one.sign_in}`, { service: one.title })}</p>
      {one.sign_in === 'own_server' && (
        <TextInput
          name="url"
          type="url"
          label={t('settings.scrobbling.url')}
          required
          withAsterisk={false}
          error={problem?.field('url')}
        />
      )}
      {!byPage && (
        <PasswordInput
          name="token"
          label={t(one.sign_in === 'own_server' ? 'settings.scrobbling.key' : 'settings.scrobbling.token')}
          autoComplete="off"
          required
          withAsterisk={false}
          error={fault}
          visibilityToggleButtonProps={{ 'aria-label': t('settings.showTyped') }}
          description={
            one.sign_in === 'token' && (
              <a className={styles.link} href={TOKEN_PAGE} target="_blank" rel="noreferrer">
                {t('settings.scrobbling.tokenPage')}
              </a>
            )
          }
        />
      )}
      {one.can_sync_loves && (
        <Switch
          checked={withLoves}
          onChange={(event) => setWithLoves(event.currentTarget.checked)}
          label={t('settings.scrobbling.loves')}
          description={t('settings.scrobbling.lovesHelp', { service: one.title })}
        />
      )}
      {page && (
        <p>
          <a className={styles.link} href={page.url} target="_blank" rel="noreferrer">
            {t('settings.scrobbling.openPage', { service: one.title })}
          </a>
        </p>
      )}
      {(start.error ?? (byPage && fault)) && (
        <p role="alert" className={styles.fault}>
          {start.error ? detailOf(start.error) : fault}
        </p>
      )}
      <FormButtons
        label={t(
          byPage && !page
            ? 'settings.scrobbling.start'
            : byPage
              ? 'settings.scrobbling.allowed'
              : 'settings.scrobbling.connect',
        )}
        disabled={connect.isPending || start.isPending}
        onCancel={onDone}
      />
    </form>
  );
}
