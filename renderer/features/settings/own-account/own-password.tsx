// Changes the account's own sign-in password.
import { Checkbox, PasswordInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, detailOf } from '../../../api/problem.ts';
import { useSession } from '../../../api/session.ts';
import { useChangeOwnPassword } from '../../../api/users.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { formText } from '../../../ui/controls/form-text.ts';
import { Saved, SettingGroup } from '../setting-row.tsx';
import styles from '../settings.module.css';

export function OwnPassword() {
  const { t } = useTranslation();
  const session = useSession();
  const change = useChangeOwnPassword();
  const problem = change.error instanceof ApiError ? change.error : null;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const body = {
      password: formText(form, 'password'),
      current_password: formText(form, 'current_password'),
      revoke_app_passwords: new FormData(form).has('revoke_app_passwords'),
    };
    change.mutate(body, { onSuccess: () => form.reset() });
  };
  if (!session) return null;
  const field = (name: 'current_password' | 'password', autoComplete: string) => (
    <PasswordInput
      name={name}
      label={t(`settings.own.${name}`)}
      autoComplete={autoComplete}
      required
      withAsterisk={false}
      error={problem?.field(name)}
      visibilityToggleButtonProps={{ 'aria-label': t('account.showPassword') }}
    />
  );
  return (
    <SettingGroup name="password" title={t('settings.own.title')} lead={t('settings.own.lead')}>
      <form className={styles.form} onSubmit={submit}>
        {change.error && problem?.fields.length !== 1 && (
          <p role="alert" className={styles.fault}>
            {detailOf(change.error)}
          </p>
        )}
        {field('current_password', 'current-password')}
        {field('password', 'new-password')}
        <Checkbox name="revoke_app_passwords" label={t('settings.access.revokeAll')} />
        <div className={styles.buttons}>
          <Button type="submit" variant="primary" disabled={change.isPending}>
            {t('settings.own.save')}
          </Button>
          <Saved shown={change.isSuccess} />
        </div>
      </form>
    </SettingGroup>
  );
}
