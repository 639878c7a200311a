// Speed, a repeated part, sleep timer, crossfade and ReplayGain.
import { Popover } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconPlayback, IconSleep } from '../../ui/theme/icons.ts';
import type { Loop, ReplayGainMode } from '../../player/player.ts';
import { CROSSFADE_MAX_S, PREAMP_MAX_DB, SPEED_MAX, SPEED_MIN, type Sleep } from '../../player/player.ts';
import { usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { Slider } from '../../ui/controls/slider.tsx';
import { formatClock, formatTime } from '../../ui/format.ts';
import styles from './playback-menu.module.css';

const SLEEP_MINUTES = [15, 30, 45, 60, 90] as const;
const REPLAY_GAIN_MODES: readonly ReplayGainMode[] = ['off', 'track', 'album'];
/** Shorter loops would sound like noise. */
const SHORTEST_LOOP_MS = 500;

/** A menu that is loaded on its first click and then opened. */
export function PlaybackMenu() {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(true);
  const sleeping = usePlayer((state) => state.sleep !== null);
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="top-end"
      width={320}
      trapFocus
      returnFocus
      withRoles={false}
    >
      <Popover.Target>
        <span>
          <IconButton
            label={t('playback.settings')}
            icon={sleeping ? IconSleep : IconPlayback}
            aria-haspopup="dialog"
            aria-expanded={opened}
            onClick={() => setOpened(!opened)}
          />
        </span>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={t('playback.settings')}>
        <div className={styles.menu}>
          <SpeedField />
          <LoopField />
          <SleepField />
          <CrossfadeField />
          <GainField />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

function SpeedField() {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const speed = usePlayer((state) => state.speed);
  const text = t('playback.speedIs', { speed: speed.toFixed(2).replace(/0$/, '') });
  return (
    <Field name={t('playback.speed')} value={text}>
      <Slider
        label={t('playback.speed')}
        value={speed}
        min={SPEED_MIN}
        max={SPEED_MAX}
        step={0.05}
        valueText={text}
        onChange={(value) => player.setSpeed(value)}
      />
    </Field>
  );
}

/** Returns the loop between two positions in either order. */
function loopOf(firstMs: number, secondMs: number): Loop {
  const from = Math.min(firstMs, secondMs);
  return { from, to: Math.max(firstMs, secondMs, from + SHORTEST_LOOP_MS) };
}

function LoopField() {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const loop = usePlayer((state) => state.loop);
  const isIdle = usePlayer((state) => state.index < 0);
  const text =
    loop === null
      ? ''
      : t(loop.to === null ? 'playback.loopFrom' : 'playback.loopIs', {
          from: formatClock(loop.from),
          to: formatClock(loop.to ?? 0),
        });
  const choose = () => {
    const { positionMs } = player.getState();
    if (loop === null) player.setLoop({ from: positionMs, to: null });
    else if (loop.to === null) player.setLoop(loopOf(loop.from, positionMs));
    else player.setLoop(null);
  };
  return (
    <Field name={t('playback.loop')} value={text} help={t('playback.loopHelp')}>
      <Button onClick={choose} disabled={isIdle}>
        {t(loop === null ? 'playback.loopStart' : loop.to === null ? 'playback.loopEnd' : 'playback.loopOff')}
      </Button>
    </Field>
  );
}

function SleepField() {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const sleep = usePlayer((state) => state.sleep);
  const [minutes, setMinutes] = useState<number | null>(null);
  const choices = ['off', ...SLEEP_MINUTES.map(String), 'track'] as const;
  const labelOf = (choice: string) =>
    choice === 'off'
      ? t('playback.sleepOff')
      : choice === 'track'
        ? t('playback.sleepTrack')
        : t('playback.sleepMinutes', { minutes: choice });
  const chosenOption = sleep === null ? 'off' : sleep === 'track' ? 'track' : minutes === null ? null : String(minutes);
  const choose = (choice: string) => {
    setMinutes(Number(choice) || null);
    player.setSleep(choice === 'off' ? null : choice === 'track' ? 'track' : Number(choice));
  };
  return (
    <Field name={t('playback.sleep')} value={sleepText(sleep, t)}>
      <Segmented
        label={t('playback.sleep')}
        value={chosenOption}
        options={choices.map((value) => ({ value, label: labelOf(value) }))}
        onChange={choose}
      />
    </Field>
  );
}

function sleepText(sleep: Sleep, t: TFunction): string {
  if (sleep === null) return '';
  if (sleep === 'track') return t('playback.sleepAfterTrack');
  return t('playback.sleepAt', { time: formatTime(sleep.at) });
}

function CrossfadeField() {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const seconds = usePlayer((state) => state.crossfadeS);
  const text = seconds === 0 ? t('playback.crossfadeOff') : t('playback.crossfadeIs', { seconds });
  return (
    <Field name={t('playback.crossfade')} value={text} help={t('playback.crossfadeHelp')}>
      <Slider
        label={t('playback.crossfade')}
        value={seconds}
        max={CROSSFADE_MAX_S}
        step={1}
        valueText={text}
        onChange={(crossfadeS) => player.setSound({ crossfadeS })}
      />
    </Field>
  );
}

function GainField() {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const mode = usePlayer((state) => state.replayGain);
  const preamp = usePlayer((state) => state.preampDb);
  const text = t('playback.preampIs', { db: preamp > 0 ? `+${preamp}` : preamp });
  return (
    <>
      <Field name={t('playback.gain')} help={t('playback.gainHelp')}>
        <Segmented
          label={t('playback.gain')}
          value={mode}
          options={REPLAY_GAIN_MODES.map((value) => ({ value, label: t(`playback.gainMode.${value}`) }))}
          onChange={(replayGain) => player.setSound({ replayGain })}
        />
      </Field>
      {mode !== 'off' && (
        <Field name={t('playback.preamp')} value={text}>
          <Slider
            label={t('playback.preamp')}
            value={preamp}
            min={-PREAMP_MAX_DB}
            max={PREAMP_MAX_DB}
            step={1}
            valueText={text}
            onChange={(preampDb) => player.setSound({ preampDb })}
          />
        </Field>
      )}
    </>
  );
}

function Field({ name, value, help, children }: { name: string; value?: string; help?: string; children: ReactNode }) {
  return (
    <div className={styles.field}>
      <div className={styles.name}>
        <span>{name}</span>
        <span>{value}</span>
      </div>
      {children}
      {help && <p>{help}</p>}
    </div>
  );
}
