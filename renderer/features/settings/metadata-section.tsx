import { useTranslation } from 'react-i18next';
import { useSession } from '../../api/session.ts';
import { SettingList } from './setting-list.tsx';
import { TrustField } from './trust-field.tsx';

export function MetadataSection() {
  const { t } = useTranslation();
  const isOwner = useSession()?.user.is_superuser ?? false;
  return (
    <>
      {isOwner && (
        <SettingList
          group="metadata"
          title={t('settings.metadata.identify')}
          special={{ fpid_trust_score: (setting) => <TrustField key={setting.key} setting={setting} /> }}
        />
      )}
    </>
  );
}
