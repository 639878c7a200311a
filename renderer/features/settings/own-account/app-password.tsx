// The password for phone apps: show, copy, replace.
import { useTranslation } from 'react-i18next';
import { useNewAppPassword, useShowAppPassword } from '../../../api/users.ts';
import { detailOf } from '../../../api/problem.ts';
import { useSession } from '../../../api/session.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { CopyButton } from '../copy-button.tsx';
import { SettingGroup, SettingRow } from '../setting-row.tsx';
import styles from '../settings.module.css';

export function AppPassword() {
  const { t } = useTranslation();
  const show = useShowAppPassword();
  const renew = useNewAppPassword();
  const username = useSession()?.user.username ?? '';
  const shownPassword = renew.data ?? show.data;
  const error = renew.error ?? show.error;
  return (
    <SettingGroup name="app-password" title={t('settings.phone.password')} lead={t('settings.phone.passwordLead')}>
      <SettingRow label={t('account.username')}>
        <code className={styles.mono}>{username}</code>
      </SettingRow>
      <SettingRow
        label={t('settings.phone.appPassword')}
        help={t(renew.data ? 'settings.phone.renewed' : 'settings.phone.passwordHelp')}
        notes={
          error && (
            <p role="alert" className={styles.fault}>
              {detailOf(error)}
            </p>
          )
        }
      >
        {shownPassword ? (
          <>
            <code className={styles.mono}>{shownPassword.password}</code>
            <CopyButton
              text={shownPassword.password}
              label={t('settings.copyThis', { text: t('settings.phone.appPassword') })}
            />
            <Button disabled={renew.isPending} onClick={() => renew.mutate()}>
              {t('settings.phone.renew')}
            </Button>
          </>
        ) : (
          <Button disabled={show.isPending} onClick={() => show.mutate()}>
            {t('settings.phone.show')}
          </Button>
        )}
      </SettingRow>
    </SettingGroup>
  );
}
