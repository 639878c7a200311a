// How to set up common phone apps, step by step. Every one of them asks for an address, a user name and a password.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { serverQuery } from '../../api/settings.ts';
import { SettingGroup } from './setting-row.tsx';
import styles from './settings.module.css';

const APPS = ['symfonium', 'tempus', 'dsub', 'amperfy', 'substreamer', 'feishin'] as const;

export function PhoneGuide() {
  const { t } = useTranslation();
  const { data } = useQuery(serverQuery());
  const address = data?.addresses[0] ?? location.origin;
  return (
    <SettingGroup title={t('settings.phone.apps')} lead={t('settings.phone.appsLead')}>
      {APPS.map((app) => (
        <details key={app} className={styles.app}>
          <summary><strong>{t(`settings.phone.app.${app}.name`)}</strong> <span className={styles.help}>{t(`settings.phone.app.${app}.for`)}</span></summary>
          <ol className={styles.steps}>
            <li>{t(`settings.phone.app.${app}.add`)}</li>
            <li>{t('settings.phone.enterAddress')} <code className={styles.mono}>{address}</code></li>
            <li>{t('settings.phone.enterPassword')}</li>
            <li>{t(`settings.phone.app.${app}.done`)}</li>
          </ol>
        </details>
      ))}
    </SettingGroup>
  );
}
