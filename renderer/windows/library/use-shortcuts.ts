// Keys that work anywhere in the window, unless a field, a menu or a dialog has use for them.
import { useEffect, useRef } from 'react';
import { usePlayerCommands } from '../../player/use-player.ts';
import type { Player } from '../../player/types.ts';
import { undoLatest } from '../../ui/undo-notice.tsx';

const SEEK_STEP_MS = 5_000;
const VOLUME_STEP = 0.05;

interface Places {
  onSearch: () => void;
  onEdit: () => void;
  onLike: () => void;
  onSettings: () => void;
  onShortcuts: () => void;
  onQueue: () => void;
}

export function useShortcuts(places: Places): void {
  const player = usePlayerCommands();
  const latest = useRef(places);
  latest.current = places;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.isComposing || isBusy(event)) return;
      const action = actionFor(event, player, latest.current);
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [player]);
}

function actionFor(
  event: KeyboardEvent,
  player: Player,
  { onSearch, onEdit, onLike, onSettings, onShortcuts, onQueue }: Places,
): (() => void) | undefined {
  const state = player.getState();
  if (event.ctrlKey || event.metaKey) {
    return {
      k: onSearch,
      z: undoLatest,
      ',': onSettings,
      ArrowLeft: () => player.previous(),
      ArrowRight: () => player.next(),
    }[event.key];
  }
  return {
    '/': onSearch,
    '?': onShortcuts,
    e: onEdit,
    l: onLike,
    q: onQueue,
    ' ': () => player.toggle(),
    ArrowLeft: () => player.seek(state.positionMs - SEEK_STEP_MS),
    ArrowRight: () => player.seek(state.positionMs + SEEK_STEP_MS),
    ArrowUp: () => player.setVolume(state.volume + VOLUME_STEP),
    ArrowDown: () => player.setVolume(state.volume - VOLUME_STEP),
  }[event.key];
}

/** Typing, a native control that uses the key itself, or something open on top. */
function isBusy(event: KeyboardEvent): boolean {
  const target = event.target instanceof HTMLElement ? event.target : null;
  if (!target) return false;
  if (target.closest('[role="dialog"], [role="menu"], [role="listbox"]')) return true;
  if (target.closest('textarea, select, [contenteditable="true"]')) return true;
  const input = target.closest('input');
  if (input) return input.type !== 'range' || event.key.startsWith('Arrow');
  return event.key === ' ' && target.closest('button, summary') !== null;
}
