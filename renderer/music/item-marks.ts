// Marks the elements that belong to items: spread `markItems` on a card or row, and the element has the menu (right
// click, long press, Shift+F10), the keys and the drag of those items. The handlers are on the window
// (use-item-input.ts), because a list has hundreds of rows.
import { useSyncExternalStore } from 'react';
import type { Items } from './items.ts';

/** A table is marked once as a whole; this function returns the items of the row that contains an element. */
type ItemsAt = (target: Element) => Items | null;

const marks = new WeakMap<Element, ItemsAt>();

export const markItems = (items: Items | ItemsAt) => ({
  'data-items': true,
  ref: (element: HTMLElement | null) => {
    if (element) marks.set(element, typeof items === 'function' ? items : () => items);
  },
});

/** Returns the items that an element belongs to. */
export function itemsAt(target: EventTarget | null): Items | null {
  if (!(target instanceof Element)) return null;
  const markedElement = target.closest('[data-items]');
  return (markedElement && marks.get(markedElement)?.(target)) ?? null;
}

export interface OpenMenu {
  items: Items;
  /** Window coordinates. */
  x: number;
  y: number;
  /** The height of the element that the menu opens below, or above where there is no space. */
  height: number;
}

const listeners = new Set<() => void>();
let open: OpenMenu | null = null;

let opener: Element | null = null;

function show(next: OpenMenu | null, from: Element | null = null): void {
  opener?.setAttribute('aria-expanded', 'false');
  opener = from?.hasAttribute('aria-haspopup') ? from : null;
  opener?.setAttribute('aria-expanded', 'true');
  open = next;
  for (const listener of listeners) listener();
}

export const closeItemMenu = (): void => show(null);
export const openItemMenuAt = (items: Items, x: number, y: number): void => show({ items, x, y, height: 1 });
/** Opens the menu below an element: a button, or the focused row. */
export function openItemMenu(items: Items, element: Element): void {
  const { left, top, height } = element.getBoundingClientRect();
  show({ items, x: left, y: top, height }, element);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useOpenItemMenu = (): OpenMenu | null => useSyncExternalStore(subscribe, () => open);
