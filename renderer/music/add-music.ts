// Requests to add music, from buttons, commands and files that are dropped on the window. The code that handles them
// (features/import) is loaded with the first request.
import { useSyncExternalStore } from 'react';

/** What was dropped on the window; empty to open the dialog in which files are chosen. */
type AddRequest = readonly (File | FileSystemEntry)[];

const listeners = new Set<() => void>();
let requests: readonly AddRequest[] = [];
let wasAsked = false;

export function addMusic(dropped: AddRequest = []): void {
  requests = [...requests, dropped];
  wasAsked = true;
  for (const listener of listeners) listener();
}

/** Returns the requests since the last call. */
export function takeAddRequests(): readonly AddRequest[] {
  const taken = requests;
  requests = [];
  return taken;
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useAddRequests = (): readonly AddRequest[] => useSyncExternalStore(subscribe, () => requests);

/** Returns whether music was to be added since the window was opened. */
export const useWasAskedToAdd = (): boolean => useSyncExternalStore(subscribe, () => wasAsked);
