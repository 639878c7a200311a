import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { sourcesQuery } from '../../../api/remote.ts';
import { SettingGroup } from '../setting-row.tsx';
import { SettingList } from '../setting-list.tsx';
import styles from '../settings.module.css';

export function RemoteSection() {
  const { t } = useTranslation();
  const { data } = useQuery(sourcesQuery());
  const catalogue = data?.find(({ kind }) => kind === 'catalogue');
  return (
    <>
      <SettingList group="remote" />
      {catalogue && (
        <SettingGroup title={t('settings.remote.state')}>
          <p className={styles.padded}>{catalogue.reason ?? catalogue.detail ?? t('settings.remote.ready')}</p>
        </SettingGroup>
      )}
    </>
  );
}
