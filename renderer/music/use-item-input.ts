// Input handlers for all items of a window: right click, long press and Shift+F10 open their menu, keys run actions on
// the focused item, and dragging an item drags its tracks.
import { useEffect, useRef } from 'react';
import { closeItemMenu, itemsAt, openItemMenu, openItemMenuAt } from './item-marks.ts';
import { isTrackDrag, startTrackDrag } from './track-drag.ts';

const LONG_PRESS_MS = 500;
/** If the finger moves further than this, it is scrolling. */
const MAX_MOVE_PX = 10;
/** A click within this time after the finger was lifted belongs to the long press. */
const CLICK_WITHIN_MS = 100;

export function useItemInput(): void {
  const press = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number } | null>(null);
  useEffect(() => {
    const listen = new AbortController();
    const addListener = <K extends keyof WindowEventMap>(
      name: K,
      handle: (event: WindowEventMap[K]) => void,
      options: AddEventListenerOptions = {},
    ) => addEventListener(name, handle, { ...options, signal: listen.signal });
    const endPress = () => {
      clearTimeout(press.current?.timer);
      press.current = null;
    };

    addListener('contextmenu', (event) => {
      const items = itemsAt(event.target);
      // text fields keep the browser's menu, which contains Paste
      if (!items || (event.target as Element).closest('input, textarea, [role="menu"], [role="dialog"] a')) return;
      event.preventDefault();
      endPress();
      // a contextmenu event from the keyboard has no coordinates
      if (event.clientX === 0 && event.clientY === 0) openItemMenu(items, event.target as Element);
      else openItemMenuAt(items, event.clientX, event.clientY);
    });
    addListener('keydown', (event) => {
      if (event.key !== 'ContextMenu' && !(event.key === 'F10' && event.shiftKey)) return;
      const focused = document.activeElement;
      const items = itemsAt(focused);
      if (!items || !focused) return;
      event.preventDefault();
      openItemMenu(items, focused);
    });
    // Android fires contextmenu on a long press, iOS does not
    addListener('pointerdown', (event) => {
      endPress();
      const items = event.pointerType === 'touch' ? itemsAt(event.target) : null;
      if (!items) return;
      const { clientX: x, clientY: y } = event;
      const open = () => {
        press.current = null;
        const end = new AbortController();
        addEventListener('click', swallow, { capture: true, once: true, signal: end.signal });
        addEventListener('pointerup', () => setTimeout(() => end.abort(), CLICK_WITHIN_MS), { once: true });
        openItemMenuAt(items, x, y);
      };
      press.current = { timer: setTimeout(open, LONG_PRESS_MS), x, y };
    });
    addListener('pointermove', ({ clientX, clientY }) => {
      if (press.current && Math.hypot(clientX - press.current.x, clientY - press.current.y) > MAX_MOVE_PX) endPress();
    });
    for (const name of ['pointerup', 'pointercancel', 'dragstart'] as const) addListener(name, endPress);
    addListener('scroll', endPress, { capture: true, passive: true });

    addListener('dragstart', (event) => {
      if (isTrackDrag(event)) return;
      const items = itemsAt(event.target);
      if (items) startTrackDrag(event, { count: items.count, load: items.load }, items.name);
    });
    return () => {
      endPress();
      closeItemMenu();
      listen.abort();
    };
  }, []);
}

/** Suppresses the click at the end of a long press. */
const swallow = (event: MouseEvent): void => {
  event.preventDefault();
  event.stopPropagation();
};
