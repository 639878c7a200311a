// Wishes that a person can take back for a while: what was put away is out of sight at once, and the thing itself is
// done when the time is up. Plain state outside React, so that the time runs on while a person walks from page to page.
// A window that is closed meanwhile has done nothing.
import { useSyncExternalStore } from 'react';

export const UNDO_MS = 8_000;

const listeners = new Set<() => void>();
/** Keys such as `track:7`; ids are never given twice, so what is done may stay. */
let away: ReadonlySet<string> = new Set();
/** Wishes whose time is not up, oldest first, with the way back. */
const open = new Map<readonly string[], () => void>();

function publish(next: ReadonlySet<string>): void {
  away = next;
  for (const listener of listeners) listener();
}

/** In sight again, though the wish was done: not all of it, as it turned out. */
export const bringBack = (keys: readonly string[]): void =>
  publish(new Set([...away].filter((key) => !keys.includes(key))));

interface Wish {
  /** What is out of sight from now on. */
  keys: readonly string[];
  run: () => Promise<unknown>;
  /** The time is up, or the wish was taken back. */
  onEnd: () => void;
  onFailure: (error: unknown) => void;
}

/** Gives the way back; it does nothing once the time is up. */
export function doLater({ keys, run, onEnd, onFailure }: Wish): () => void {
  publish(new Set([...away, ...keys]));
  const end = () => {
    open.delete(keys);
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
    if (!open.has(keys)) return;
    bringBack(keys);
    end();
  };
  open.set(keys, undo);
  return undo;
}

/** The whole wish that this is a part of. */
export const takeBack = (key: string): void => [...open].findLast(([keys]) => keys.includes(key))?.[1]();

/** Somebody else sits here from now on. */
export const takeAllBack = (): void => [...open.values()].forEach((undo) => undo());

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const usePutAway = (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => away);
export const useIsPutAway = (key: string): boolean => useSyncExternalStore(subscribe, () => away.has(key));
