// Jumps to one setting: the address of the settings window names it, /settings#SECTION/SETTING.
import { useEffect, useRef, useState, useSyncExternalStore, type RefObject } from 'react';

/** How long a setting is marked after a jump. */
const MARKED_MS = 2_500;
const CONTROLS = ['[role="slider"]', 'input', 'select', 'textarea', 'button', 'summary', 'a[href]']
  .map((control) => `${control}:not(:disabled)`)
  .join();

interface Address {
  section: string;
  /** Empty for the section as a whole. */
  setting: string;
}

function readAddress(): Address {
  const [section = '', setting = ''] = decodeURIComponent(location.hash.slice(1)).split('/', 2);
  return { section, setting };
}

/** A new object for every jump, also to the same address. */
let address = readAddress();
const listeners = new Set<() => void>();

function follow(): void {
  address = readAddress();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) for (const event of ['popstate', 'hashchange']) addEventListener(event, follow);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) for (const event of ['popstate', 'hashchange']) removeEventListener(event, follow);
  };
}

export const useAddress = (): Address => useSyncExternalStore(subscribe, () => address);

/** Opens what the address names, also if it is open already. */
export function jumpTo(next: string): void {
  if (location.hash !== `#${next}`) history.pushState(null, '', `#${next}`);
  follow();
}

/** Scrolls to the setting, marks it and focuses its control, whenever the address names it. */
export function useJumpTarget(name: string | undefined): { ref: RefObject<HTMLDivElement | null>; isMarked: boolean } {
  const ref = useRef<HTMLDivElement>(null);
  const [isMarked, setMarked] = useState(false);
  const current = useAddress();
  useEffect(() => {
    const row = ref.current;
    if (!row || name === undefined || current.setting !== name) return undefined;
    row.closest('details')?.setAttribute('open', '');
    row.scrollIntoView({ block: 'center' });
    const control = row.querySelector('[data-control]')?.querySelector<HTMLElement>(CONTROLS);
    row.tabIndex = -1; // for a setting without a control that can be used now
    (control ?? row.querySelector<HTMLElement>(CONTROLS) ?? row).focus({ preventScroll: true });
    setMarked(true);
    const timer = setTimeout(() => setMarked(false), MARKED_MS);
    return () => {
      clearTimeout(timer);
      setMarked(false);
    };
  }, [current, name]);
  return { ref, isMarked };
}
