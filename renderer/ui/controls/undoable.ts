// Actions that can be undone for a while: the items are hidden at once, and the action runs when the undo time has
// passed. The state is outside React, so that the timer survives navigation. Closing the window cancels the action.
import { useSyncExternalStore } from 'react';

export const UNDO_MS = 8_000;

const listeners = new Set<() => void>();
/** Keys such as `track:7`; ids are never reused, so keys of finished actions may stay. */
let hiddenKeys: ReadonlySet<string> = new Set();
/** Pending actions, oldest first, with their undo functions. */
const openUndos = new Map<readonly string[], () => void>();

function publish(next: ReadonlySet<string>): void {
  hiddenKeys = next;
  for (const listener of listeners) listener();
}

/** Displays items again whose action failed, completely or in part. */
export const bringBack = (keys: readonly string[]): void =>
  publish(new Set([...hiddenKeys].filter((key) => !keys.includes(key))));

interface Wish {
  /** Keys of the items that are hidden from now on. */
  keys: readonly string[];
  run: () => Promise<unknown>;
  /** Called when the undo time has passed or the action was undone. */
  onEnd: () => void;
  onFailure: (error: unknown) => void;
}

/** Schedules the action. Returns the undo function, which does nothing once the undo time has passed. */
export function doLater({ keys, run, onEnd, onFailure }: Wish): () => void {
  publish(new Set([...hiddenKeys, ...keys]));
  const end = () => {
    openUndos.delete(keys);
    clearTimeout(timer);
    onEnd();
  };
  const timer = setTimeout(() => {
    end();
    void run().catch((error: unknown) => {
      bringBack(keys);
      onFailure(error);
    });
  }, UNDO_MS);
  const undo = () => {
    if (!openUndos.has(keys)) return;
    bringBack(keys);
    end();
  };
  openUndos.set(keys, undo);
  return undo;
}

/** Undoes the latest action that contains this key, for all of its items. */
export const takeBack = (key: string): void => [...openUndos].findLast(([keys]) => keys.includes(key))?.[1]();

/** Undoes all pending actions when another user signs in. */
export const takeAllBack = (): void => [...openUndos.values()].forEach((undo) => undo());

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const usePutAway = (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => hiddenKeys);
export const useIsPutAway = (key: string): boolean => useSyncExternalStore(subscribe, () => hiddenKeys.has(key));
