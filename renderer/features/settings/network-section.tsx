import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { SettingOut } from '../../../server/settings/wire.ts';
import { useSession } from '../../api/session.ts';
import { serverQuery } from '../../api/settings.ts';
import { chooseSpeaker, useSpeakerChoice } from '../../player/speaker-choice.ts';
import { AppPassword } from './app-password.tsx';
import { CopyButton } from './copy-button.tsx';
import { PhoneGuide } from './phone-guide.tsx';
import { SettingField } from './setting-field.tsx';
import { helpId, SettingGroup, SettingRow } from './setting-row.tsx';
import { SettingList } from './setting-list.tsx';
import styles from './settings.module.css';
import { useChoice } from './use-choice.ts';

const [EVERYWHERE, ONLY_HERE] = ['0.0.0.0', '127.0.0.1'] as const;
const OFTEN = new Set<SettingOut['value']>([EVERYWHERE, ONLY_HERE]);
const ADVANCED = ['port', 'allowed_hosts'];

export function NetworkSection() {
  const { t } = useTranslation();
  const isOwner = useSession()?.user.is_superuser ?? false;
  return (
    <>
      {isOwner && (
        <SettingList group="network" title={t('settings.network.share')} advanced={ADVANCED}
          special={{ host: (setting) => (OFTEN.has(setting.value) ? <ShareSwitch key="host" setting={setting} /> : <SettingField key="host" setting={setting} />) }}>
          <Addresses />
        </SettingList>
      )}
      {!isOwner && <SettingGroup title={t('settings.network.addresses')}><Addresses /></SettingGroup>}
      <AppPassword />
      <PhoneGuide />
      <SettingGroup title={t('settings.network.remoteControl')}><SpeakerSwitch /></SettingGroup>
    </>
  );
}

/** An address of one's own to listen on is typed; the two that people want are a switch. */
function ShareSwitch({ setting }: { setting: SettingOut }) {
  const { t } = useTranslation();
  const id = useId();
  const { value, choose, fault } = useChoice(setting);
  const isFixed = setting.origin === 'env';
  return (
    <SettingRow label={t('settings.network.shareSwitch')} help={t('settings.network.shareHelp')} htmlFor={id}
      notes={(
        <>
          <p role="alert" className={styles.fault}>{fault}</p>
          <p className={styles.notes}>
            <span>{isFixed ? t('settings.origin.env', { name: 'HOST' }) : t(`settings.origin.${setting.origin}`)}</span>
            {setting.restart_pending ? <span className={styles.pending}>{t('settings.restartPending')}</span> : <span>{t('settings.restartNeeded')}</span>}
          </p>
        </>
      )}>
      <Switch id={id} checked={value === EVERYWHERE} disabled={isFixed} aria-describedby={helpId(id)} onChange={(event) => choose(event.currentTarget.checked ? EVERYWHERE : ONLY_HERE)} />
    </SettingRow>
  );
}

function Addresses() {
  const { t } = useTranslation();
  const { data } = useQuery(serverQuery());
  if (!data) return null;
  return (
    <SettingRow wide label={t('settings.network.addresses')} help={t(data.addresses.length > 0 ? 'settings.network.addressesHelp' : 'settings.network.noAddress')}>
      {data.addresses.length > 0 && (
        <ul className={styles.lines}>
          {data.addresses.map((address) => (
            <li key={address} className={styles.buttons}>
              <code className={styles.mono}>{address}</code>
              <CopyButton text={address} label={t('settings.copyThis', { text: address })} />
            </li>
          ))}
        </ul>
      )}
    </SettingRow>
  );
}

function SpeakerSwitch() {
  const { t } = useTranslation();
  const id = useId();
  const isSpeaker = useSpeakerChoice();
  return (
    <SettingRow label={t('speaker.be')} help={t('speaker.help')} htmlFor={id}>
      <Switch id={id} checked={isSpeaker} aria-describedby={helpId(id)} onChange={(event) => chooseSpeaker(event.currentTarget.checked)} />
    </SettingRow>
  );
}
