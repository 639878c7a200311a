// The output device, if the browser allows choosing one, and the stream quality per kind of network.
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { setSoundOutput, useSoundOutput } from '../../../player/sound-output.ts';
import { helpId, SettingGroup, SettingRow } from '../setting-row.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import styles from '../settings.module.css';

const QUALITY_LIMITS_KBPS = [0, 320, 256, 192, 128, 96];
const canChoose = 'setSinkId' in AudioContext.prototype && 'mediaDevices' in navigator;

const devicesQuery = {
  queryKey: ['output-devices'] as const,
  queryFn: async () =>
    (await navigator.mediaDevices.enumerateDevices()).filter(
      ({ kind, deviceId }) => kind === 'audiooutput' && deviceId !== 'default',
    ),
};

export function OutputSettings() {
  const { t } = useTranslation();
  const id = useId();
  const { kbps, deviceId } = useSoundOutput();
  return (
    <SettingGroup title={t('equalizer.output')}>
      {canChoose && <Device id={`${id}-device`} deviceId={deviceId} />}
      {(['unmetered', 'metered'] as const).map((network) => (
        <SettingRow
          key={network}
          name={network === 'metered' ? 'quality-metered' : 'quality'}
          label={t(`equalizer.${network}`)}
          help={t(`equalizer.${network}Help`)}
          htmlFor={`${id}-${network}`}
        >
          <NativeSelect
            id={`${id}-${network}`}
            size="md"
            className={styles.field}
            value={kbps[network]}
            aria-describedby={helpId(`${id}-${network}`)}
            data={QUALITY_LIMITS_KBPS.map((value) => ({
              value: `${value}`,
              label: value === 0 ? t('equalizer.original') : t('equalizer.kbps', { value }),
            }))}
            onChange={(event) => setSoundOutput({ kbps: { ...kbps, [network]: Number(event.currentTarget.value) } })}
          />
        </SettingRow>
      ))}
    </SettingGroup>
  );
}

function Device({ id, deviceId }: { id: string; deviceId: string }) {
  const { t } = useTranslation();
  const { data = [], refetch } = useQuery(devicesQuery);
  const namedDevices = data.filter(({ label, deviceId: namedId }) => label !== '' && namedId !== '');
  // browsers reveal device names only to pages with microphone access, so the microphone is opened and closed at once
  const askForNames = async () => {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true }).catch(() => null);
    stream?.getTracks().forEach((track) => track.stop());
    await refetch();
  };
  const isDeviceKnown = deviceId === '' || namedDevices.some((device) => device.deviceId === deviceId);
  return (
    <SettingRow name="output-device" label={t('equalizer.device')} help={t('equalizer.deviceHelp')} htmlFor={id}>
      <NativeSelect
        id={id}
        size="md"
        className={styles.field}
        value={deviceId}
        aria-describedby={helpId(id)}
        data={[
          { value: '', label: t('equalizer.systemDevice') },
          ...namedDevices.map((device) => ({ value: device.deviceId, label: device.label })),
          ...(isDeviceKnown ? [] : [{ value: deviceId, label: t('equalizer.otherDevice') }]),
        ]}
        onChange={(event) => setSoundOutput({ deviceId: event.currentTarget.value })}
      />
      {namedDevices.length === 0 && (
        <Button variant="plain" onClick={() => void askForNames()}>
          {t('equalizer.findDevices')}
        </Button>
      )}
    </SettingRow>
  );
}
