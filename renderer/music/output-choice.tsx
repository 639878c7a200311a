// Choices of the output device and of the stream quality, for the settings and the popover of the player.
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { setSoundOutput, useSoundOutput } from '../player/sound-output.ts';
import { Button } from '../ui/controls/button.tsx';

const QUALITY_LIMITS_KBPS = [0, 320, 256, 192, 128, 96];
export const canChooseOutput = 'setSinkId' in AudioContext.prototype && 'mediaDevices' in navigator;

const devicesQuery = {
  queryKey: ['output-devices'] as const,
  queryFn: async () =>
    (await navigator.mediaDevices.enumerateDevices()).filter(
      ({ kind, deviceId }) => kind === 'audiooutput' && deviceId !== 'default',
    ),
};

interface ChoiceProps {
  id: string;
  className?: string | undefined;
  describedBy?: string;
}

/** Says so where the browser does not allow choosing a device. */
export function OutputDevice({ id, className, describedBy }: ChoiceProps) {
  const { t } = useTranslation();
  const { deviceId } = useSoundOutput();
  const { data = [], refetch } = useQuery({ ...devicesQuery, enabled: canChooseOutput });
  const namedDevices = data.filter(({ label, deviceId: namedId }) => label !== '' && namedId !== '');
  // browsers reveal device names only to pages with microphone access, so the microphone is opened and closed at once
  const askForNames = async () => {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true }).catch(() => null);
    stream?.getTracks().forEach((track) => track.stop());
    await refetch();
  };
  const isDeviceKnown = deviceId === '' || namedDevices.some((device) => device.deviceId === deviceId);
  return (
    <>
      <NativeSelect
        id={id}
        size="md"
        className={className}
        value={deviceId}
        disabled={!canChooseOutput}
        aria-describedby={describedBy}
        data={[
          { value: '', label: t('equalizer.systemDevice') },
          ...namedDevices.map((device) => ({ value: device.deviceId, label: device.label })),
          ...(isDeviceKnown ? [] : [{ value: deviceId, label: t('equalizer.otherDevice') }]),
        ]}
        onChange={(event) => setSoundOutput({ deviceId: event.currentTarget.value })}
      />
      {canChooseOutput && namedDevices.length === 0 && (
        <Button variant="plain" onClick={() => void askForNames()}>
          {t('equalizer.findDevices')}
        </Button>
      )}
    </>
  );
}

export function StreamQuality({
  id,
  className,
  describedBy,
  network,
}: ChoiceProps & { network: 'unmetered' | 'metered' }) {
  const { t } = useTranslation();
  const { kbps } = useSoundOutput();
  return (
    <NativeSelect
      id={id}
      size="md"
      className={className}
      value={kbps[network]}
      aria-describedby={describedBy}
      data={QUALITY_LIMITS_KBPS.map((value) => ({
        value: `${value}`,
        label: value === 0 ? t('equalizer.original') : t('equalizer.kbps', { value }),
      }))}
      onChange={(event) => setSoundOutput({ kbps: { ...kbps, [network]: Number(event.currentTarget.value) } })}
    />
  );
}
