// What is being edited in a form of its own: one at a time, shown by windows/library/item-menu.tsx.
import { useSyncExternalStore } from 'react';
import type { Items } from './items.ts';
import type { AlbumOut } from '../api/routes.ts';

/** The fields of items; or the cover of an album, what it is merged into, what it is split into. */
type Editing = { kind: 'fields'; items: Items } | { kind: 'cover' | 'merge' | 'split'; album: AlbumOut };

const listeners = new Set<() => void>();
let edited: Editing | null = null;

export function edit(next: Editing | null): void {
  edited = next;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useEdited = (): Editing | null => useSyncExternalStore(subscribe, () => edited);
