// Devices, and the sound in rows of which one is open: equalizer, output, speed, sleep timer, crossfade and volume.
import type { TFunction } from 'i18next';
import { lazy, Suspense, useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Loop, ReplayGainMode } from '../../player/player.ts';
import { CROSSFADE_MAX_S, PREAMP_MAX_DB, SPEED_MAX, SPEED_MIN, type Sleep } from '../../player/player.ts';
import { storedEqualizer, useSoundOutput } from '../../player/sound-output.ts';
import { usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { classNames } from '../../ui/class-names.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { Slider } from '../../ui/controls/slider.tsx';
import { formatClock, formatTime } from '../../ui/format.ts';
import { IconDown } from '../../ui/theme/icons.ts';
import { DevicesSection } from './devices-section.tsx';
import styles from './playback-panel.module.css';

const QuickEqualizer = lazy(async () => ({ default: (await import('../../music/quick-sound.tsx')).QuickEqualizer }));
const QuickOutput = lazy(async () => ({ default: (await import('../../music/quick-sound.tsx')).QuickOutput }));

const SLEEP_MINUTES = [15, 30, 45, 60, 90] as const;
const REPLAY_GAIN_MODES: readonly ReplayGainMode[] = ['off', 'track', 'album'];
/** Shorter loops would sound like noise. */
const SHORTEST_LOOP_MS = 500;

type Row = 'equalizer' | 'output' | 'speed' | 'sleep' | 'more';

export function PlaybackPanel() {
  const { t } = useTranslation();
  const [openRow, setOpenRow] = useState<Row | null>(null);
  const speed = usePlayer((state) => state.speed);
  const sleep = usePlayer((state) => state.sleep);
  const crossfadeS = usePlayer((state) => state.crossfadeS);
  const output = useSoundOutput();
  const rows: { row: Row; name: string; value: string; content: ReactNode }[] = [
    {
      row: 'equalizer',
      name: t('sound.equalizer'),
      value: t(storedEqualizer(output)?.isOn === true ? 'sound.on' : 'sound.off'),
      content: <QuickEqualizer />,
    },
    {
      row: 'output',
      name: t('sound.output'),
      value: t(output.deviceId === '' ? 'sound.systemOutput' : 'sound.chosenOutput'),
      content: <QuickOutput />,
    },
    {
      row: 'speed',
      name: t('playback.speed'),
      value: speedText(speed, t),
      content: (
        <>
          <SpeedField />
          <LoopField />
        </>
      ),
    },
    {
      row: 'sleep',
      name: t('playback.sleep'),
      value: sleep === null ? t('playback.sleepOff') : sleepText(sleep, t),
      content: <SleepField />,
    },
    {
      row: 'more',
      name: t('sound.more'),
      value: crossfadeText(crossfadeS, t),
      content: (
        <>
          <CrossfadeField />
          <GainField />
        </>
      ),
    },
  ];
  return (
    <div className={styles.panel}>
      <DevicesSection />
      <div className={styles.rows}>
        {rows.map(({ row, content, ...words }) => (
          <Disclosure
            key={row}
            {...words}
            isOpen={openRow === row}
            onToggle={() => setOpenRow(openRow === row ? null : row)}
          >
            {content}
          </Disclosure>
        ))}
      </div>
    </div>
  );
}

interface DisclosureProps {
  name: string;
  value: string;
  isOpen: boolean;
  onToggle: () => void;
  children: ReactNode;
}

/** A row that opens below itself. */
function Disclosure({ name, value, isOpen, onToggle, children }: DisclosureProps) {
  const id = useId();
  const section = useRef<HTMLElement>(null);
  const show = (): void => void section.current?.scrollIntoView({ block: 'nearest' });
  return (
    <section ref={section} aria-label={name}>
      <button type="button" className={styles.row} aria-expanded={isOpen} aria-controls={id} onClick={onToggle}>
        <span>{name}</span>
        <span className={styles.value}>{value}</span>
        <IconDown size={16} aria-hidden />
      </button>
      <div id={id} className={styles.content} hidden={!isOpen}>
        {isOpen && (
          <Suspense fallback={null}>
            <Shown onShown={show}>{children}</Shown>
          </Suspense>
        )}
      </div>
    </section>
  );
}

/** Calls back when its content has been loaded and drawn. */
function Shown({ onShown, children }: { onShown: () => void; children: ReactNode }) {
  useEffect(onShown, []);
  return children;
}

function SpeedField() {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const speed = usePlayer((state) => state.speed);
  const text = speedText(speed, t);
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

const speedText = (speed: number, t: TFunction): string =>
  t('playback.speedIs', { speed: speed.toFixed(2).replace(/0$/, '') });

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
      : t(loop.to === null ? 'sound.loopFrom' : 'sound.loopIs', {
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
    <Field name={t('sound.loop')} value={text} help={t('sound.loopHelp')}>
      <Button onClick={choose} disabled={isIdle}>
        {t(loop === null ? 'sound.loopStart' : loop.to === null ? 'sound.loopEnd' : 'sound.loopOff')}
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
    <div className={classNames(styles.field, styles.sleep)}>
      <Segmented
        label={t('playback.sleep')}
        value={chosenOption}
        options={choices.map((value) => ({ value, label: labelOf(value) }))}
        onChange={choose}
      />
    </div>
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
  const text = crossfadeText(seconds, t);
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

const crossfadeText = (seconds: number, t: TFunction): string =>
  seconds === 0 ? t('playback.crossfadeOff') : t('playback.crossfadeIs', { seconds });

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
