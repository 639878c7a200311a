import { useRef, type KeyboardEvent } from 'react';

const PAUSE_MS = 900;
/** Single-key shortcuts of the window; with Shift they are typed. */
const TAKEN = 'elpq';

/** Letters typed in quick succession, as one text; undefined for other keys. */
export function useTypeAhead(): (event: KeyboardEvent) => string | undefined {
  const typed = useRef({ text: '', at: 0 });
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || [...event.key].length !== 1) return undefined;
    const now = Date.now();
    const before = now - typed.current.at < PAUSE_MS ? typed.current.text : '';
    if (before === '' && (TAKEN.includes(event.key) || !/[\p{L}\p{N}]/u.test(event.key))) return undefined;
    typed.current = { text: before + event.key, at: now };
    return typed.current.text;
  };
}
