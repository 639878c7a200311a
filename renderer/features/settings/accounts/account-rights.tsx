// The rights of an account, set by an administrator.
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { detailOf } from '../../../api/problem.ts';
import type { UserOut } from '../../../api/routes.ts';
import { useChangeUser } from '../../../api/users.ts';
import { RightsFields, termsIn } from './rights-fields.tsx';
import { FormButtons } from '../../../ui/controls/form-buttons.tsx';
import styles from '../settings.module.css';

export function AccountRights({ person, onDone }: { person: UserOut; onDone: () => void }) {
  const { t } = useTranslation();
  const change = useChangeUser();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    change.mutate({ id: person.id, ...termsIn(event.currentTarget) }, { onSuccess: onDone });
  };
  return (
    <form className={styles.form} onSubmit={submit} aria-label={t('settings.rights.of', { name: person.username })}>
      <RightsFields terms={person} />
      {change.error && (
        <p role="alert" className={styles.fault}>
          {detailOf(change.error)}
        </p>
      )}
      <FormButtons label={t('settings.rights.save')} disabled={change.isPending} onCancel={onDone} />
    </form>
  );
}
