// A notice displayed after the upgrade that introduced rights, until an administrator dismisses it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { dismissNotice, noticesQuery } from '../../../api/notices.ts';
import { Button } from '../../../ui/controls/button.tsx';
import styles from '../settings.module.css';

export function RightsNotice() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data } = useQuery(noticesQuery());
  const dismiss = useMutation({
    mutationFn: dismissNotice,
    onSuccess: () => queries.invalidateQueries({ queryKey: noticesQuery().queryKey }),
  });
  if (!data?.some(({ name }) => name === 'rights')) return null;
  return (
    <div className={styles.effect} role="status">
      <p>{t('settings.rights.notice')}</p>
      <div className={styles.buttons}>
        <Button disabled={dismiss.isPending} onClick={() => dismiss.mutate('rights')}>
          {t('settings.rights.understood')}
        </Button>
      </div>
    </div>
  );
}
