// Sound settings, which are part of the player's state or of the output, so that the playing window applies them at
// once.
import { NativeSelect } from '@mantine/core';
import { lazy, Suspense, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { desktop } from '../../../desktop.ts';
import type { ReplayGainMode } from '../../../player/player.ts';
import { CROSSFADE_MAX_S, PREAMP_MAX_DB } from '../../../player/player.ts';
import { usePlayer, usePlayerCommands } from '../../../player/use-player.ts';
import { formatNumber, formatTime } from '../../../ui/format.ts';
import { Slider } from '../../../ui/controls/slider.tsx';
import { helpId, SettingGroup, SettingRow } from '../setting-row.tsx';
import styles from '../settings.module.css';

const OutputSettings = lazy(async () => ({ default: (await import('./output-settings.tsx')).OutputSettings }));
const EqualizerSettings = lazy(async () => ({ default: (await import('./equalizer.tsx')).EqualizerSettings }));

const SLEEP_MINUTES = [15, 30, 45, 60, 90];
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
        <SettingRow
          name="crossfade"
          label={t('settings.playback.crossfade')}
          help={t('settings.playback.crossfadeHelp')}
        >
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
        <SettingRow
          name="replay-gain"
          label={t('settings.playback.replayGain')}
          help={t('settings.playback.replayGainHelp')}
          htmlFor={id}
        >
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
        <SettingRow
          name="preamp"
          label={t('settings.playback.preamp')}
          help={t(mode === 'off' ? 'settings.playback.preampOff' : 'settings.playback.preampHelp')}
        >
          <div className={styles.level}>
            <Slider
              label={t('settings.playback.preamp')}
              value={preampDb}
              min={-PREAMP_MAX_DB}
              max={PREAMP_MAX_DB}
              step={1}
              valueText={decibels(preampDb)}
              disabled={mode === 'off'}
              onChange={(value) => player.setSound({ preampDb: value })}
              live
            />
          </div>
          <span className={styles.value}>{decibels(preampDb)}</span>
        </SettingRow>
        <SleepTimer />
      </SettingGroup>
      <Suspense fallback={null}>
        <OutputSettings />
        <EqualizerSettings />
      </Suspense>
    </>
  );
}

/** The timer of the player, which other windows change too. */
function SleepTimer() {
  const { t } = useTranslation();
  const id = useId();
  const player = usePlayerCommands();
  const sleep = usePlayer((state) => state.sleep);
  const isTimed = sleep !== null && sleep !== 'track';
  return (
    <SettingRow
      name="sleep-timer"
      label={t('playback.sleep')}
      help={isTimed ? t('playback.sleepAt', { time: formatTime(sleep.at) }) : t('settings.playback.sleepHelp')}
      htmlFor={id}
    >
      <NativeSelect
        id={id}
        size="md"
        className={styles.field}
        value={sleep === null ? 'off' : isTimed ? 'timed' : 'track'}
        aria-describedby={helpId(id)}
        data={[
          { value: 'off', label: t('playback.sleepOff') },
          ...(isTimed ? [{ value: 'timed', label: t('playback.sleepAt', { time: formatTime(sleep.at) }) }] : []),
          ...SLEEP_MINUTES.map((minutes) => ({
            value: String(minutes),
            label: t('playback.sleepMinutes', { minutes: String(minutes) }),
          })),
          { value: 'track', label: t('playback.sleepTrack') },
        ]}
        onChange={({ currentTarget: { value } }) =>
          player.setSleep(value === 'off' ? null : value === 'track' ? 'track' : Number(value))
        }
      />
    </SettingRow>
  );
}
