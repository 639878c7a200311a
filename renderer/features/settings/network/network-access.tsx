// The switch that shares the library on the network, with the registration setting and the addresses below it.
import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { IconProblem } from '../../../ui/theme/icons.ts';
import type { NetworkOut } from '../../../api/routes.ts';
import { networkQuery, useShare } from '../../../api/network.ts';
import { detailOf } from '../../../api/problem.ts';
import { faultOf, findSetting, settingsQuery, useChangeSettings } from '../../../api/settings.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { Addresses } from './addresses.tsx';
import { helpId, SettingRow } from '../setting-row.tsx';
import styles from '../settings.module.css';

export function NetworkAccess({ isOwner }: { isOwner: boolean }) {
  const { t } = useTranslation();
  const { data: network, error, refetch } = useQuery(networkQuery());
  if (error && !network) return <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />;
  if (!network) return <Skeleton height="112px" />;
  return (
    <>
      {isOwner && <ShareSwitch network={network} />}
      {isOwner && network.shared && network.registration_open && <OpenRegistration />}
      {network.shared ? (
        <Addresses network={network} />
      ) : (
        !isOwner && <SettingRow label={t('settings.network.addresses')} help={t('settings.network.notShared')} />
      )}
    </>
  );
}

function ShareSwitch({ network }: { network: NetworkOut }) {
  const { t } = useTranslation();
  const id = useId();
  const share = useShare();
  const isShared = share.isPending ? share.variables : network.shared;
  return (
    <SettingRow
      name="share"
      label={t('settings.network.shareSwitch')}
      htmlFor={id}
      help={t(`settings.network.${helpOf(network, isShared)}`)}
      notes={
        <>
          <p role="alert" className={styles.fault}>
            {share.error && detailOf(share.error)}
          </p>
          {network.locked_because !== null && <p className={styles.notes}>{t('settings.origin.env')}</p>}
        </>
      }
    >
      <Switch
        id={id}
        checked={isShared}
        disabled={network.locked_because !== null || share.isPending}
        aria-describedby={helpId(id)}
        onChange={(event) => share.mutate(event.currentTarget.checked)}
      />
    </SettingRow>
  );
}

function helpOf({ locked_because }: NetworkOut, isShared: boolean) {
  if (locked_because !== null) return isShared ? 'lockedOn' : 'lockedOff';
  if (!isShared) return 'shareHelp';
  return isOnServer() ? 'shared' : 'sharedFromAfar';
}

/**
 * Returns whether the browser runs on the server's computer; another device loses its access when sharing is turned
 * off.
 */
const isOnServer = (): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname);

function OpenRegistration() {
  const { t } = useTranslation();
  const change = useChangeSettings();
  const setting = findSetting(useQuery(settingsQuery()).data, 'allow_registration');
  return (
    <div className={styles.warning}>
      <IconProblem size={20} aria-hidden />
      <p>
        {t('settings.network.registrationOpen')}
        {change.error && (
          <span role="alert" className={styles.fault}>
            {' '}
            {faultOf('allow_registration', change.error)}
          </span>
        )}
      </p>
      {setting && setting.origin !== 'env' && (
        <Button disabled={change.isPending} onClick={() => change.mutate({ allow_registration: false })}>
          {t('settings.network.closeRegistration')}
        </Button>
      )}
    </div>
  );
}
