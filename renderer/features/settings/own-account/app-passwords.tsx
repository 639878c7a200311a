// The app passwords of the account. The password with the name default can be displayed again, under Network & phones.
import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { appPasswordsQuery, useAddAppPassword, useRevokeAppPassword } from '../../../api/account.ts';
import type { AppPasswordInfo } from '../../../api/routes.ts';
import { ApiError, detailOf } from '../../../api/problem.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { FormButtons } from '../../../ui/controls/form-buttons.tsx';
import { formText } from '../../../ui/controls/form-text.ts';
import { IconAdd } from '../../../ui/theme/icons.ts';
import { Skeleton } from '../../../ui/states.tsx';
import { CopyButton } from '../copy-button.tsx';
import { LastUse } from '../accounts/last-use.tsx';
import { SettingGroup, SettingRow } from '../setting-row.tsx';
import styles from '../settings.module.css';

export function AppPasswords() {
  const { t } = useTranslation();
  const list = useQuery(appPasswordsQuery());
  const add = useAddAppPassword();
  return (
    <SettingGroup name="app-passwords" title={t('settings.appPasswords.title')} lead={t('settings.appPasswords.lead')}>
      {list.isPending && <Skeleton height="56px" />}
      {list.error && <p className={styles.fault}>{detailOf(list.error)}</p>}
      {list.data?.map((appPassword) => (
        <PasswordRow
          key={appPassword.id}
          one={appPassword}
          password={add.data?.id === appPassword.id ? add.data.password : undefined}
        />
      ))}
      <NewPassword add={add} />
    </SettingGroup>
  );
}

/** One app password; `password` is its text if it was just created. */
function PasswordRow({ one, password }: { one: AppPasswordInfo; password: string | undefined }) {
  const { t } = useTranslation();
  const [isConfirming, setIsAsked] = useState(false);
  const revoke = useRevokeAppPassword();
  return (
    <SettingRow
      label={one.name}
      help={
        password === undefined ? (
          <LastUse usedAt={one.last_used_at} address={one.address} client={one.client} />
        ) : (
          t('settings.appPasswords.once')
        )
      }
      notes={
        <>
          {password !== undefined && (
            <div className={styles.secret}>
              <code className={styles.mono}>{password}</code>
              <CopyButton text={password} label={t('settings.copyThis', { text: one.name })} />
            </div>
          )}
          {isConfirming && (
            <div className={styles.padded}>
              <p>{t('settings.appPasswords.revokeAsk', { name: one.name })}</p>
              <FormButtons
                label={t('settings.appPasswords.revoke')}
                disabled={revoke.isPending}
                onConfirm={() => revoke.mutate(one.id, { onSettled: () => setIsAsked(false) })}
                onCancel={() => setIsAsked(false)}
              />
            </div>
          )}
          {revoke.error && (
            <p role="alert" className={styles.fault}>
              {detailOf(revoke.error)}
            </p>
          )}
        </>
      }
    >
      {!isConfirming && (
        <Button
          aria-label={t('settings.appPasswords.revokeLabel', { name: one.name })}
          onClick={() => setIsAsked(true)}
        >
          {t('settings.appPasswords.revoke')}
        </Button>
      )}
    </SettingRow>
  );
}

function NewPassword({ add }: { add: ReturnType<typeof useAddAppPassword> }) {
  const { t } = useTranslation();
  const problem = add.error instanceof ApiError ? add.error : null;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    add.mutate(formText(form, 'name').trim(), { onSuccess: () => form.reset() });
  };
  return (
    <form className={styles.lineForm} onSubmit={submit}>
      <TextInput
        name="name"
        className={styles.field}
        label={t('settings.appPasswords.name')}
        description={t('settings.appPasswords.nameHelp')}
        autoComplete="off"
        maxLength={64}
        required
        withAsterisk={false}
        error={add.error && (problem?.field('name') ?? detailOf(add.error))}
      />
      <Button type="submit" icon={IconAdd} disabled={add.isPending}>
        {t('settings.appPasswords.add')}
      </Button>
    </form>
  );
}
