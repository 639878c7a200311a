import { Switch } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { IconAddAccount } from '../../../ui/theme/icons.ts';
import { useAddUser } from '../../../api/users.ts';
import { ApiError } from '../../../api/problem.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { FormButtons } from '../../../ui/controls/form-buttons.tsx';
import { CredentialFields } from '../../../ui/controls/credential-fields.tsx';
import { formText } from '../../../ui/controls/form-text.ts';
import { NEW_ACCOUNT, RightsFields, termsIn } from './rights-fields.tsx';
import { SettingGroup } from '../setting-row.tsx';
import styles from '../settings.module.css';

export function AddAccount() {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const [isOwner, setIsOwner] = useState(false);
  const add = useAddUser();
  const problem = add.error instanceof ApiError ? add.error : null;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const body = {
      username: formText(form, 'username').trim(),
      password: formText(form, 'password'),
      is_superuser: isOwner,
      ...(!isOwner && termsIn(form)),
    };
    add.mutate(body, { onSuccess: () => setIsOpen(false) });
  };
  if (!isOpen)
    return (
      <div className={styles.buttons}>
        <Button icon={IconAddAccount} onClick={() => setIsOpen(true)}>
          {t('settings.people.add')}
        </Button>
      </div>
    );
  return (
    <SettingGroup name="add-user" title={t('settings.people.add')}>
      <form className={styles.form} onSubmit={submit}>
        {problem?.fields.length === 0 && (
          <p role="alert" className={styles.fault}>
            {problem.detail}
          </p>
        )}
        <CredentialFields isNew usernameHint="off" faultOf={(field) => problem?.field(field)} />
        <Switch
          checked={isOwner}
          onChange={(event) => setIsOwner(event.currentTarget.checked)}
          label={t('settings.people.owner')}
          description={t('settings.people.ownerHelp')}
        />
        {!isOwner && (
          <fieldset className={styles.fields}>
            <legend>{t('settings.rights.title')}</legend>
            <RightsFields terms={NEW_ACCOUNT} />
          </fieldset>
        )}
        <FormButtons label={t('signIn.create')} disabled={add.isPending} onCancel={() => setIsOpen(false)} />
      </form>
    </SettingGroup>
  );
}
