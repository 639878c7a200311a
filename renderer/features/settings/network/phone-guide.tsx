// How to set up common phone apps. Each needs an address, a user name and a password.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { networkQuery } from '../../../api/network.ts';
import { SettingGroup } from '../setting-row.tsx';
import styles from '../settings.module.css';

const APPS = ['symfonium', 'tempus', 'dsub', 'ultrasonic', 'amperfy', 'substreamer', 'feishin', 'supersonic'] as const;

export function PhoneGuide() {
  const { t } = useTranslation();
  const network = useQuery(networkQuery()).data;
  const address = network?.addresses[0]?.url ?? (network?.shared === false ? undefined : location.origin);
  return (
    <SettingGroup name="phone-apps" title={t('settings.phone.apps')} lead={t('settings.phone.appsLead')}>
      {APPS.map((app) => (
        <details key={app} className={styles.app}>
          <summary>
            <strong>{t(`settings.phone.app.${app}.name`)}</strong>{' '}
            <span className={styles.help}>{t(`settings.phone.app.${app}.for`)}</span>
          </summary>
          <ol className={styles.steps}>
            <li>{t(`settings.phone.app.${app}.add`)}</li>
            <li>
              {t('settings.phone.enterAddress')}{' '}
              {address === undefined ? t('settings.phone.shareFirst') : <code className={styles.mono}>{address}</code>}
            </li>
            <li>{t('settings.phone.enterPassword')}</li>
            <li>{t(`settings.phone.app.${app}.done`)}</li>
          </ol>
        </details>
      ))}
    </SettingGroup>
  );
}
