// Sound settings, which are part of the player's state or of the output, so that the playing window applies them at
// once.
import { NativeSelect } from '@mantine/core';
import { lazy, Suspense, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { desktop } from '../../../desktop.ts';
import type { ReplayGainMode } from '../../../player/player.ts';
import { CROSSFADE_MAX_S, PREAMP_MAX_DB } from '../../../player/player.ts';
import { usePlayer, usePlayerCommands } from '../../../player/use-player.ts';
import { formatNumber } from '../../../ui/format.ts';
import { Slider } from '../../../ui/controls/slider.tsx';
import { helpId, SettingGroup, SettingRow } from '../setting-row.tsx';
import styles from '../settings.module.css';

const OutputSettings = lazy(async () => ({ default: (await import('./output-settings.tsx')).OutputSettings }));
const EqualizerSettings = lazy(async () => ({ default: (await import('./equalizer.tsx')).EqualizerSettings }));

const REPLAY_GAIN_MODES = ['off', 'track', 'album'] as const satisfies readonly ReplayGainMode[];

export function PlaybackSection() {
  const { t } = useTranslation();
  const id = useId();
  const player = usePlayerCommands();
  const crossfadeS = usePlayer((state) => state.crossfadeS);
  const mode = usePlayer((state) => state.replayGain);
  const preampDb = usePlayer((state) => state.preampDb);
  const seconds = (value: number) =>
    value === 0 ? t('settings.playback.off') : t('settings.playback.seconds', { count: value });
  const decibels = (value: number) =>
    t('settings.playback.decibels', { value: `${value > 0 ? '+' : ''}${formatNumber(value)}` });
  return (
    <>
      <SettingGroup lead={t(desktop ? 'settings.playback.leadApp' : 'settings.playback.lead')}>
        <SettingRow label={t('settings.playback.crossfade')} help={t('settings.playback.crossfadeHelp')}>
          <div className={styles.level}>
            <Slider
              label={t('settings.playback.crossfade')}
              value={crossfadeS}
              max={CROSSFADE_MAX_S}
              step={1}
              valueText={seconds(crossfadeS)}
              onChange={(value) => player.setSound({ crossfadeS: value })}
              live
            />
          </div>
          <span className={styles.value}>{seconds(crossfadeS)}</span>
        </SettingRow>
        <SettingRow label={t('settings.playback.replayGain')} help={t('settings.playback.replayGainHelp')} htmlFor={id}>
          <NativeSelect
            id={id}
            size="md"
            className={styles.field}
            value={mode}
            aria-describedby={helpId(id)}
            data={REPLAY_GAIN_MODES.map((value) => ({ value, label: t(`settings.playback.mode.${value}`) }))}
            onChange={(event) => player.setSound({ replayGain: event.currentTarget.value as ReplayGainMode })}
          />
        </SettingRow>
        {mode !== 'off' && (
          <SettingRow label={t('settings.playback.preamp')} help={t('settings.playback.preampHelp')}>
            <div className={styles.level}>
              <Slider
                label={t('settings.playback.preamp')}
                value={preampDb}
                min={-PREAMP_MAX_DB}
                max={PREAMP_MAX_DB}
                step={1}
                valueText={decibels(preampDb)}
                onChange={(value) => player.setSound({ preampDb: value })}
                live
              />
            </div>
            <span className={styles.value}>{decibels(preampDb)}</span>
          </SettingRow>
        )}
      </SettingGroup>
      <Suspense fallback={null}>
        <OutputSettings />
        <EqualizerSettings />
      </Suspense>
    </>
  );
}
