import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { authStatusQuery, useSetup } from '../../api/sign-in.ts';
import { ApiError, detailOf } from '../../api/problem.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CredentialFields } from '../../ui/controls/credential-fields.tsx';
import { formText } from '../../ui/controls/form-text.ts';
import { FormError } from './auth-layout.tsx';
import styles from './auth-layout.module.css';
import '../../i18n/page-texts.ts';

export function SetupAccount({ token, onDone }: { token: string | undefined; onDone: () => void }) {
  const { t } = useTranslation();
  const setup = useSetup();
  const status = useQuery(authStatusQuery());
  const problem = setup.error instanceof ApiError ? setup.error : null;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const text = (name: string) => formText(form, name);
    setup.mutate(
      { setup_token: token ?? text('setup_token').trim(), username: text('username'), password: text('password') },
      { onSuccess: onDone },
    );
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      {status.data?.admin_name_taken && <FormError>{t('setup.account.adminNameTaken')}</FormError>}
      {setup.error && problem?.fields.length === 0 && <FormError>{detailOf(setup.error)}</FormError>}
      {token === undefined && (
        <TextInput
          name="setup_token"
          label={t('setup.account.token')}
          description={t('setup.account.tokenHelp')}
          autoComplete="off"
          required
          withAsterisk={false}
          error={problem?.field('setup_token')}
        />
      )}
      <CredentialFields isNew faultOf={(field) => problem?.field(field)} />
      <div className={styles.buttons}>
        <Button type="submit" variant="primary" disabled={setup.isPending}>
          {t('setup.next')}
        </Button>
      </div>
    </form>
  );
}
