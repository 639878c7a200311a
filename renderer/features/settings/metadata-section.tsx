import { useTranslation } from 'react-i18next';
import { SettingList } from './setting-list.tsx';
import { TrustField } from './trust-field.tsx';

export function MetadataSection() {
  const { t } = useTranslation();
  return (
    <SettingList
      group="metadata"
      title={t('settings.metadata.identify')}
      special={{ fpid_trust_score: (setting) => <TrustField key={setting.key} setting={setting} /> }}
    />
  );
}
