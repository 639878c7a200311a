// Keyboard shortcuts that work anywhere in a window, unless a field, a menu or a dialog uses the key: those of the
// player and those that the window adds.
import { useEffect, useRef } from 'react';
import { getBeside, seekBeside, toggleBeside } from './station-or-episode.ts';
import type { Player } from './player.ts';
import { usePlayerCommands } from './use-player.ts';

const SEEK_STEP_MS = 5_000;
const VOLUME_STEP = 0.05;

type Action = (() => void) | undefined;

export function usePlayerKeys(ownAction?: (event: KeyboardEvent) => Action): void {
  const player = usePlayerCommands();
  const latestAction = useRef(ownAction);
  latestAction.current = ownAction;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.isComposing || isBusy(event)) return;
      const action = latestAction.current?.(event) ?? playerAction(event, player);
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [player]);
}

function playerAction(event: KeyboardEvent, player: Player): Action {
  const { volume } = player.getState();
  const beside = getBeside();
  const { positionMs } = beside ?? player.getState();
  const seek = (toMs: number) => (beside ? seekBeside(toMs) : player.seek(toMs));
  if (event.ctrlKey || event.metaKey)
    return { ArrowLeft: () => player.previous(), ArrowRight: () => player.next() }[event.key];
  return {
    ' ': () => (beside ? toggleBeside() : player.toggle()),
    ArrowLeft: () => seek(positionMs - SEEK_STEP_MS),
    ArrowRight: () => seek(positionMs + SEEK_STEP_MS),
    ArrowUp: () => player.setVolume(volume + VOLUME_STEP),
    ArrowDown: () => player.setVolume(volume - VOLUME_STEP),
  }[event.key];
}

/** Returns whether the user is typing, a native control uses the key itself, or a dialog or menu is open. */
function isBusy(event: KeyboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : null;
  if (!target) return false;
  if (target.closest('[role="dialog"]:not([data-player]), [role="menu"], [role="listbox"]')) return true;
  if (target.closest('textarea, select, [contenteditable="true"]')) return true;
  if (target.closest('[role="slider"]')) return event.key.startsWith('Arrow');
  const input = target.closest('input');
  if (input) return input.type !== 'range' || event.key.startsWith('Arrow');
  return event.key === ' ' && target.closest('button, summary') !== null;
}
