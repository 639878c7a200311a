import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { sourcesQuery } from '../../api/remote.ts';
import { SettingGroup } from './setting-row.tsx';
import { SettingList } from './setting-list.tsx';
import styles from './settings.module.css';

/** Which provider a setting is for; the others are for all. */
const ONLY_FOR: Record<string, readonly string[]> = {
  streamsrc_base_url: ['ia', 'sub'],
  streamsrc_cookies_file: ['ext'],
  streamsrc_command: ['ext'],
  streamsrc_search_template: ['ext'],
  streamsrc_extractors: ['ext'],
  streamsrc_username: ['sub'],
  streamsrc_password: ['sub'],
};

export function RemoteSection() {
  const { t } = useTranslation();
  const { data } = useQuery(sourcesQuery());
  const catalogue = data?.find(({ kind }) => kind === 'catalogue');
  return (
    <>
      <SettingList
        group="remote"
        isShown={(key, valueOf) => ONLY_FOR[key]?.includes(String(valueOf('streamsrc_provider'))) ?? true}
      />
      {catalogue && (
        <SettingGroup title={t('settings.remote.state')}>
          <p className={styles.padded}>{catalogue.reason ?? catalogue.detail ?? t('settings.remote.ready')}</p>
        </SettingGroup>
      )}
    </>
  );
}
