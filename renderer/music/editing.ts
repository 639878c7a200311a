// The items that are being edited in a form of their own, one form at a time; windows/library/item-menu.tsx displays
// it.
import { useSyncExternalStore } from 'react';
import type { Items } from './items.ts';
import type { AlbumOut } from '../api/routes.ts';

/** A form for an album: all its values, its release at MusicBrainz, its cover, its merge or split. */
export type AlbumForm = 'album' | 'match' | 'cover' | 'merge' | 'split';
/** Either the fields of items, or a form for an album. */
export type Editing = { kind: 'fields'; items: Items } | { kind: AlbumForm; album: AlbumOut };

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
