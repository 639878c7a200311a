// The player's keys, as in the library window, unless a field or a list has use for them.
import { useEffect } from 'react';
import { usePlayerCommands } from '../../player/use-player.ts';

const SEEK_STEP_MS = 5_000;
const VOLUME_STEP = 0.05;

export function usePlayerKeys(): void {
  const player = usePlayerCommands();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target instanceof HTMLElement ? event.target : null;
      if (event.defaultPrevented || event.altKey || target?.closest('[role="dialog"], input, textarea, li')) return;
      if (event.key === ' ' && target?.closest('button')) return;
      const { positionMs, volume } = player.getState();
      const skip = event.ctrlKey || event.metaKey;
      const action = {
        ' ': () => player.toggle(),
        ArrowLeft: () => (skip ? player.previous() : player.seek(positionMs - SEEK_STEP_MS)),
        ArrowRight: () => (skip ? player.next() : player.seek(positionMs + SEEK_STEP_MS)),
        ArrowUp: () => player.setVolume(volume + VOLUME_STEP),
        ArrowDown: () => player.setVolume(volume - VOLUME_STEP),
      }[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [player]);
}
