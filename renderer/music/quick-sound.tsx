// Equalizer and output in short, for the popover of the player; the settings window has all of it.
import { NativeSelect, Switch } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '../i18n/device-texts.ts';
import { addSettingTexts } from '../i18n/setting-texts.ts';
import { limitBand, PRESETS } from '../player/equalizer.ts';
import { Button } from '../ui/controls/button.tsx';
import { openSettings } from '../ui/open-window.ts';
import { EqualizerCurve } from './equalizer-curve.tsx';
import { OutputDevice, StreamQuality } from './output-choice.tsx';
import styles from './quick-sound.module.css';
import { useEqualizer } from './use-equalizer.ts';

export function QuickEqualizer() {
  const { t } = useTranslation();
  useState(addSettingTexts);
  const { equalizer, change } = useEqualizer();
  const { isOn, isGraphic, bands } = equalizer;
  return (
    <>
      <div className={styles.line}>
        <Switch
          label={t('equalizer.on')}
          checked={isOn}
          onChange={(event) => change({ isOn: event.currentTarget.checked })}
        />
        <EqualizerPresets />
      </div>
      <div className={styles.curve} data-off={!isOn || undefined}>
        <EqualizerCurve
          bands={bands}
          isGraphic={isGraphic}
          onChange={(index, bandChange) =>
            change({
              isOn: true,
              bands: bands.map((band, position) => (position === index ? limitBand({ ...band, ...bandChange }) : band)),
            })
          }
        />
      </div>
      <Button variant="plain" className={styles.link} onClick={() => openSettings('playback/equalizer')}>
        {t('sound.openEqualizer')}
      </Button>
    </>
  );
}

/** A menu that sets the equalizer to a preset. */
export function EqualizerPresets() {
  const { t } = useTranslation();
  const { change } = useEqualizer();
  return (
    <NativeSelect
      aria-label={t('equalizer.preset')}
      value=""
      data={[
        { value: '', label: t('equalizer.preset') },
        ...Object.keys(PRESETS).map((value) => ({ value, label: t(`equalizer.presets.${value as 'flat'}`) })),
      ]}
      onChange={({ currentTarget: { value } }) =>
        PRESETS[value] && change({ isGraphic: true, bands: PRESETS[value], preampDb: 0, isOn: true })
      }
    />
  );
}

export function QuickOutput() {
  const { t } = useTranslation();
  useState(addSettingTexts);
  const id = useId();
  return (
    <>
      <div className={styles.field}>
        <label htmlFor={`${id}-device`}>{t('equalizer.device')}</label>
        <OutputDevice id={`${id}-device`} />
      </div>
      <div className={styles.field}>
        <label htmlFor={`${id}-quality`}>{t('equalizer.unmetered')}</label>
        <StreamQuality id={`${id}-quality`} network="unmetered" />
      </div>
    </>
  );
}
