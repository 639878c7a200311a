import { Switch } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../api/session.ts';
import { chooseSpeaker, useSpeakerChoice } from '../../../player/jukebox-choice.ts';
import { AppPassword } from '../own-account/app-password.tsx';
import { PhoneGuide } from './phone-guide.tsx';
import { helpId, SettingGroup, SettingRow } from '../setting-row.tsx';
import { SettingList } from '../setting-list.tsx';
import { NetworkAccess } from './network-access.tsx';

export function NetworkSection() {
  const { t } = useTranslation();
  const user = useSession()?.user;
  const isOwner = user?.is_superuser ?? false;
  return (
    <>
      {isOwner ? (
        <SettingList group="network" title={t('settings.network.share')}>
          <NetworkAccess isOwner />
        </SettingList>
      ) : (
        <SettingGroup title={t('settings.network.share')}>
          <NetworkAccess isOwner={false} />
        </SettingGroup>
      )}
      <AppPassword />
      <PhoneGuide />
      {user?.can_jukebox && (
        <SettingGroup title={t('settings.network.remoteControl')}>
          <SpeakerSwitch />
        </SettingGroup>
      )}
    </>
  );
}

function SpeakerSwitch() {
  const { t } = useTranslation();
  const id = useId();
  const isSpeaker = useSpeakerChoice();
  return (
    <SettingRow name="jukebox" label={t('speaker.be')} help={t('speaker.help')} htmlFor={id}>
      <Switch
        id={id}
        checked={isSpeaker}
        aria-describedby={helpId(id)}
        onChange={(event) => chooseSpeaker(event.currentTarget.checked)}
      />
    </SettingRow>
  );
}
