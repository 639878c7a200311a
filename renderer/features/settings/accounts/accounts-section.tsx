import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { usersQuery } from '../../../api/users.ts';
import { detailOf } from '../../../api/problem.ts';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { AddAccount } from './add-account.tsx';
import { AccountRow } from './account-row.tsx';
import { RightsNotice } from './rights-notice.tsx';
import { SettingGroup } from '../setting-row.tsx';
import { SettingList } from '../setting-list.tsx';

/** The list of all accounts, for an administrator. */
export function AccountsSection() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(usersQuery());
  return (
    <>
      <RightsNotice />
      {error ? (
        <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />
      ) : (
        <SettingGroup name="users" title={t('settings.people.title')}>
          {data ? (
            data.items.map((person) => <AccountRow key={person.id} person={person} />)
          ) : (
            <Skeleton height="112px" />
          )}
        </SettingGroup>
      )}
      <AddAccount />
      <SettingList group="accounts" title={t('settings.people.rules')} />
    </>
  );
}
