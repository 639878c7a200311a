// The sessions and app passwords of an account, which an administrator can end.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { accessQuery, useEndAccess } from '../../../api/account-access.ts';
import type { UserOut } from '../../../api/routes.ts';
import { nameOf } from '../../../api/client-name.ts';
import { detailOf } from '../../../api/problem.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Skeleton } from '../../../ui/states.tsx';
import { LastUse } from './last-use.tsx';
import { SettingRow } from '../setting-row.tsx';
import styles from '../settings.module.css';

export function AccountAccess({ person, onDone }: { person: UserOut; onDone: () => void }) {
  const { t } = useTranslation();
  const access = useQuery(accessQuery(person.id));
  const end = useEndAccess(person.id);
  const error = end.error ?? access.error;
  const { sessions = [], appPasswords = [] } = access.data ?? {};
  return (
    <section className={styles.access} aria-label={t('settings.access.of', { name: person.username })}>
      {access.isPending && <Skeleton height="56px" />}
      {access.data && sessions.length + appPasswords.length === 0 && <p>{t('settings.access.none')}</p>}
      {sessions.map(({ id, client, last_used_at, address }) => {
        const name = nameOf(client, ', ') ?? t('settings.sessions.unknown');
        return (
          <SettingRow key={`session ${id}`} label={name} help={<LastUse usedAt={last_used_at} address={address} />}>
            <Button
              aria-label={t('settings.sessions.endLabel', { name })}
              disabled={end.isPending}
              onClick={() => end.mutate({ kind: 'session', id })}
            >
              {t('account.signOut')}
            </Button>
          </SettingRow>
        );
      })}
      {appPasswords.map(({ id, name, last_used_at, address, client }) => (
        <SettingRow
          key={`app password ${id}`}
          label={t('settings.access.appPassword', { name })}
          help={<LastUse usedAt={last_used_at} address={address} client={client} />}
        >
          <Button
            aria-label={t('settings.appPasswords.revokeLabel', { name })}
            disabled={end.isPending}
            onClick={() => end.mutate({ kind: 'app-password', id })}
          >
            {t('settings.appPasswords.revoke')}
          </Button>
        </SettingRow>
      ))}
      {error && (
        <p role="alert" className={styles.fault}>
          {detailOf(error)}
        </p>
      )}
      <div className={styles.buttons}>
        {sessions.length > 1 && (
          <Button disabled={end.isPending} onClick={() => end.mutate('all-sessions')}>
            {t('settings.access.endAll')}
          </Button>
        )}
        <Button variant="plain" onClick={onDone}>
          {t('settings.access.close')}
        </Button>
      </div>
    </section>
  );
}
