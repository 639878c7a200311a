// Items that are being edited together: one form at a time, which features/browse/batch-edit.tsx shows.
import { useSyncExternalStore } from 'react';
import type { Items } from './items.ts';

const listeners = new Set<() => void>();
let edited: Items | null = null;

export function editTogether(items: Items | null): void {
  edited = items;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useEdited = (): Items | null => useSyncExternalStore(subscribe, () => edited);
