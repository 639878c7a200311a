// Whether this browser's library window is in jukebox mode. In localStorage, so that every window can switch it and a
// reload keeps it.
import { useSyncExternalStore } from 'react';

const KEY = 'tonearm.speaker';
const listeners = new Set<() => void>();

const read = (): boolean => localStorage.getItem(KEY) === 'on';
const tell = (): void => {
  for (const listener of listeners) listener();
};

export function chooseSpeaker(isOn: boolean): void {
  if (isOn) localStorage.setItem(KEY, 'on');
  else localStorage.removeItem(KEY);
  tell();
}

addEventListener('storage', (event) => {
  if (event.key === KEY) tell();
});

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useSpeakerChoice = (): boolean => useSyncExternalStore(subscribe, read);
