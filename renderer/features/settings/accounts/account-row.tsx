// The row of one account in an administrator's list. Irreversible actions are confirmed in the row.
import { Checkbox, Menu, PasswordInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { IconMore } from '../../../ui/theme/icons.ts';
import type { UserOut } from '../../../api/routes.ts';
import { useChangeUser, useDeleteUser } from '../../../api/users.ts';
import { ApiError, detailOf } from '../../../api/problem.ts';
import { useSession } from '../../../api/session.ts';
import { IconButton } from '../../../ui/controls/button.tsx';
import { FormButtons } from '../../../ui/controls/form-buttons.tsx';
import { formText } from '../../../ui/controls/form-text.ts';
import { formatAgo } from '../../../ui/format.ts';
import { AccountAccess } from './account-access.tsx';
import { AccountRights } from './account-rights.tsx';
import { SettingRow } from '../setting-row.tsx';
import styles from '../settings.module.css';

export function AccountRow({ person }: { person: UserOut }) {
  const { t } = useTranslation();
  const isMe = useSession()?.user.id === person.id;
  const [openForm, setAsked] = useState<'password' | 'rights' | 'access' | 'delete' | null>(null);
  const change = useChangeUser();
  const remove = useDeleteUser();
  const error = change.error ?? remove.error;
  const lastSeen = person.last_seen_at
    ? t('settings.people.seen', { when: formatAgo(person.last_seen_at) })
    : t('settings.people.neverSeen');
  const kind = t(person.is_superuser ? 'settings.people.owner' : 'settings.people.listener');
  return (
    <>
      <SettingRow label={person.username} help={`${kind} · ${lastSeen}`}>
        <Menu position="bottom-end">
          <Menu.Target>
            <IconButton icon={IconMore} label={t('settings.people.menu', { name: person.username })} />
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setAsked('password')}>{t('settings.people.reset')}</Menu.Item>
            <Menu.Item onClick={() => setAsked('access')}>{t('settings.access.show')}</Menu.Item>
            {!person.is_superuser && (
              <Menu.Item onClick={() => setAsked('rights')}>{t('settings.rights.edit')}</Menu.Item>
            )}
            {!isMe && (
              <Menu.Item onClick={() => change.mutate({ id: person.id, is_superuser: !person.is_superuser })}>
                {t(person.is_superuser ? 'settings.people.demote' : 'settings.people.promote')}
              </Menu.Item>
            )}
            {!isMe && <Menu.Item onClick={() => setAsked('delete')}>{t('settings.people.delete')}</Menu.Item>}
          </Menu.Dropdown>
        </Menu>
      </SettingRow>
      {openForm === 'password' && <NewPassword person={person} onDone={() => setAsked(null)} />}
      {openForm === 'rights' && <AccountRights person={person} onDone={() => setAsked(null)} />}
      {openForm === 'access' && <AccountAccess person={person} onDone={() => setAsked(null)} />}
      {openForm === 'delete' && (
        <div className={styles.padded}>
          <p>{t('settings.people.deleteAsk', { name: person.username })}</p>
          <FormButtons
            label={t('settings.people.delete')}
            disabled={remove.isPending}
            onConfirm={() => remove.mutate(person.id)}
            onCancel={() => setAsked(null)}
          />
        </div>
      )}
      {error && openForm === null && (
        <p role="alert" className={styles.fault}>
          {detailOf(error)}
        </p>
      )}
    </>
  );
}

function NewPassword({ person, onDone }: { person: UserOut; onDone: () => void }) {
  const { t } = useTranslation();
  const change = useChangeUser();
  const fault = change.error instanceof ApiError ? (change.error.field('password') ?? change.error.detail) : undefined;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const revoke_app_passwords = new FormData(form).has('revoke_app_passwords');
    change.mutate({ id: person.id, password: formText(form, 'password'), revoke_app_passwords }, { onSuccess: onDone });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <PasswordInput
        name="password"
        label={t('settings.people.newPassword', { name: person.username })}
        description={t('settings.people.resetHelp')}
        autoComplete="new-password"
        minLength={8}
        required
        withAsterisk={false}
        autoFocus
        error={fault}
        visibilityToggleButtonProps={{ 'aria-label': t('account.showPassword') }}
      />
      <Checkbox name="revoke_app_passwords" defaultChecked label={t('settings.access.revokeAll')} />
      <FormButtons label={t('settings.people.reset')} disabled={change.isPending} onCancel={onDone} />
    </form>
  );
}
