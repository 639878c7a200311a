// The output device, if the browser allows choosing one, and the stream quality per kind of network.
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { canChooseOutput, OutputDevice, StreamQuality } from '../../../music/output-choice.tsx';
import { helpId, SettingGroup, SettingRow } from '../setting-row.tsx';
import styles from '../settings.module.css';

export function OutputSettings() {
  const { t } = useTranslation();
  const id = useId();
  const choiceOf = (name: string) => ({
    id: `${id}-${name}`,
    className: styles.field,
    describedBy: helpId(`${id}-${name}`),
  });
  return (
    <SettingGroup title={t('equalizer.output')}>
      {canChooseOutput && (
        <SettingRow
          name="output-device"
          label={t('equalizer.device')}
          help={t('equalizer.deviceHelp')}
          htmlFor={`${id}-device`}
        >
          <OutputDevice {...choiceOf('device')} />
        </SettingRow>
      )}
      {(['unmetered', 'metered'] as const).map((network) => (
        <SettingRow
          key={network}
          name={network === 'metered' ? 'quality-metered' : 'quality'}
          label={t(`equalizer.${network}`)}
          help={t(`equalizer.${network}Help`)}
          htmlFor={`${id}-${network}`}
        >
          <StreamQuality {...choiceOf(network)} network={network} />
        </SettingRow>
      ))}
    </SettingGroup>
  );
}
