import type { KeyboardEvent } from 'react';

/** Moves the focus with arrow keys, Home and End between the `[data-stop]` elements of a list that is not virtual. */
export function moveAmongRows(event: KeyboardEvent<HTMLElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-stop]')];
  const stopIndex = stops.indexOf((event.target as HTMLElement).closest<HTMLElement>('[data-stop]') ?? document.body);
  const to = { ArrowDown: stopIndex + 1, ArrowUp: stopIndex - 1, Home: 0, End: stops.length - 1 }[event.key];
  if (stopIndex < 0 || to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  stops[Math.min(stops.length - 1, Math.max(0, to))]?.focus();
}
