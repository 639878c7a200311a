import { useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { authStatusQuery, useLogin, useRegister } from '../../api/sign-in.ts';
import { ApiError, detailOf } from '../../api/problem.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CredentialFields } from '../../ui/controls/credential-fields.tsx';
import { formText } from '../../ui/controls/form-text.ts';
import { AuthLayout, FormError } from './auth-layout.tsx';
import styles from './auth-layout.module.css';
import { backPath } from './back-path.ts';

export function SignInPage() {
  const { t } = useTranslation();
  const router = useRouter();
  const { back, ended = false } = useSearch({ from: '/sign-in' });
  const status = useQuery(authStatusQuery());
  const [isNew, setIsNew] = useState(false);
  const login = useLogin();
  const register = useRegister();
  const action = isNew ? register : login;
  const problem = action.error instanceof ApiError ? action.error : null;

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    action.mutate(
      { username: formText(form, 'username'), password: formText(form, 'password') },
      { onSuccess: () => router.history.push(backPath(back)) },
    );
  };

  return (
    <AuthLayout
      title={t(isNew ? 'signIn.newTitle' : 'signIn.title')}
      lead={ended && !isNew ? t('signIn.ended') : undefined}
    >
      <form className={styles.form} onSubmit={submit}>
        {action.error && problem?.fields.length === 0 && (
          <FormError>{problem.status === 401 ? t('signIn.wrong') : detailOf(action.error)}</FormError>
        )}
        <CredentialFields isNew={isNew} faultOf={(field) => problem?.field(field)} />
        <div className={styles.buttons}>
          {status.data?.registration_allowed && (
            <Button variant="plain" onClick={() => setIsNew(!isNew)}>
              {t(isNew ? 'signIn.haveAccount' : 'signIn.makeAccount')}
            </Button>
          )}
          <Button type="submit" variant="primary" disabled={action.isPending}>
            {t(isNew ? 'signIn.create' : 'signIn.submit')}
          </Button>
        </div>
      </form>
    </AuthLayout>
  );
}
