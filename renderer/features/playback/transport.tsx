// Controls shared by the player bar and the full-screen player.
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import {
  IconMuted,
  IconNextTrack,
  IconPause,
  IconPlay,
  IconPreviousTrack,
  IconQuiet,
  IconRepeat,
  IconRepeatOne,
  IconShuffle,
  IconVolume,
} from '../../ui/theme/icons.ts';
import { isSounding, type Repeat } from '../../player/player.ts';
import { usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { formatClock, formatPercent } from '../../ui/format.ts';
import { Slider } from '../../ui/controls/slider.tsx';
import styles from './transport.module.css';

const Waveform = lazy(async () => ({ default: (await import('./waveform.tsx')).Waveform }));

const NEXT_REPEAT: Record<Repeat, Repeat> = { off: 'all', all: 'one', one: 'off' };

export function TransportButtons({ large = false }: { large?: boolean }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const sounding = usePlayer(isSounding);
  const isEmpty = usePlayer((state) => state.index < 0);
  const shuffle = usePlayer((state) => state.shuffle);
  const repeat = usePlayer((state) => state.repeat);
  return (
    <div className={styles.buttons} data-large={large || undefined} role="group" aria-label={t('player.controls')}>
      <IconButton
        label={t('player.shuffle')}
        icon={IconShuffle}
        iconSize={18}
        aria-pressed={shuffle}
        onClick={() => player.setShuffle(!shuffle)}
      />
      <IconButton
        label={t('player.previous')}
        icon={IconPreviousTrack}
        iconSize={large ? 28 : 20}
        disabled={isEmpty}
        onClick={() => player.previous()}
      />
      <button
        type="button"
        className={styles.play}
        disabled={isEmpty}
        onClick={() => player.toggle()}
        aria-label={t(sounding ? 'player.pause' : 'player.play')}
      >
        {sounding ? <IconPause size={large ? 28 : 20} aria-hidden /> : <IconPlay size={large ? 28 : 20} aria-hidden />}
      </button>
      <IconButton
        label={t('player.next')}
        icon={IconNextTrack}
        iconSize={large ? 28 : 20}
        disabled={isEmpty}
        onClick={() => player.next()}
      />
      <IconButton
        label={t(`player.repeat.${repeat}`)}
        icon={repeat === 'one' ? IconRepeatOne : IconRepeat}
        iconSize={18}
        aria-pressed={repeat !== 'off'}
        onClick={() => player.setRepeat(NEXT_REPEAT[repeat])}
      />
    </div>
  );
}

/** A `plain` seek bar has no waveform, which only accounts may fetch. */
export function SeekBar({ below = false, plain = false }: { below?: boolean; plain?: boolean }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const position = usePlayer((state) => state.positionMs);
  const duration = usePlayer((state) => state.durationMs);
  const buffered = usePlayer((state) => state.bufferedMs);
  const loop = usePlayer((state) => state.loop);
  return (
    <div className={styles.seek} data-below={below || undefined}>
      <span className={styles.time}>{formatClock(position)}</span>
      <Slider
        label={t('player.seek')}
        value={position}
        max={duration}
        step={1000}
        buffered={buffered}
        {...(loop && { part: { from: loop.from, to: loop.to ?? position } })}
        disabled={duration === 0}
        onChange={(to) => player.seek(to)}
        valueText={t('player.position', { position: formatClock(position), duration: formatClock(duration) })}
        hoverText={formatClock}
        backdrop={
          plain ? null : (
            <Suspense>
              <Waveform played={duration === 0 ? 0 : Math.min(1, position / duration)} />
            </Suspense>
          )
        }
      />
      <span className={styles.time}>{formatClock(duration)}</span>
    </div>
  );
}

/** The volume control; narrow bars contain only its mute button, unless `whole`. */
export function VolumeControl({ whole = false }: { whole?: boolean }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const volume = usePlayer((state) => state.volume);
  const muted = usePlayer((state) => state.muted);
  const shownVolume = muted ? 0 : volume;
  const icon = shownVolume === 0 ? IconMuted : shownVolume < 0.5 ? IconQuiet : IconVolume;
  return (
    <div className={styles.volume} data-whole={whole || undefined}>
      <IconButton
        label={t(muted ? 'player.unmute' : 'player.mute')}
        icon={icon}
        aria-pressed={muted}
        onClick={() => player.setMuted(!muted)}
      />
      <Slider
        label={t('player.volume')}
        value={shownVolume}
        max={1}
        step={0.01}
        live
        onChange={(to) => player.setVolume(to)}
        valueText={formatPercent(shownVolume)}
      />
    </div>
  );
}
