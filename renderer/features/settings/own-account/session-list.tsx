// The sessions of the account, with a button that ends each session.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { sessionsQuery, useEndOtherSessions, useEndSession } from '../../../api/account.ts';
import { nameOf } from '../../../api/client-name.ts';
import { detailOf } from '../../../api/problem.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Skeleton } from '../../../ui/states.tsx';
import { LastUse } from '../accounts/last-use.tsx';
import { SettingGroup, SettingRow } from '../setting-row.tsx';
import styles from '../settings.module.css';

export function SessionList() {
  const { t } = useTranslation();
  const sessions = useQuery(sessionsQuery());
  const end = useEndSession();
  const endOthers = useEndOtherSessions();
  const error = end.error ?? endOthers.error ?? sessions.error;
  const otherSessions = sessions.data?.filter(({ is_current }) => !is_current) ?? [];
  const listedSessions = sessions.data && [...sessions.data.filter(({ is_current }) => is_current), ...otherSessions];
  return (
    <SettingGroup name="sessions" title={t('settings.sessions.title')} lead={t('settings.sessions.lead')}>
      {sessions.isPending && <Skeleton height="56px" />}
      {listedSessions?.map((session) => {
        const name = nameOf(session.client, ', ') ?? t('settings.sessions.unknown');
        return (
          <SettingRow
            key={session.id}
            label={name}
            help={
              session.is_current ? (
                t('settings.sessions.current')
              ) : (
                <LastUse usedAt={session.last_used_at} address={session.address} />
              )
            }
          >
            {!session.is_current && (
              <Button
                aria-label={t('settings.sessions.endLabel', { name })}
                disabled={end.isPending}
                onClick={() => end.mutate(session.id)}
              >
                {t('account.signOut')}
              </Button>
            )}
          </SettingRow>
        );
      })}
      {error && (
        <p role="alert" className={styles.fault}>
          {detailOf(error)}
        </p>
      )}
      {otherSessions.length > 1 && (
        <SettingRow label={t('settings.sessions.others')} help={t('settings.sessions.othersHelp')}>
          <Button disabled={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {t('settings.sessions.endOthers')}
          </Button>
        </SettingRow>
      )}
    </SettingGroup>
  );
}
