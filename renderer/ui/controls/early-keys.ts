// Keys typed between the shortcut that opens a field and the field having the focus: kept for it, and not taken as
// shortcuts. The code of the field may have to be loaded first.

let typedText: string | null = null;

function keepKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  event.stopImmediatePropagation();
  event.preventDefault();
  if (event.key === 'Escape') takeTypedAhead();
  else if (event.key === 'Backspace') typedText = (typedText ?? '').slice(0, -1);
  else if ([...event.key].length === 1) typedText += event.key;
}

/** From now on, until `takeTypedAhead`. */
export function keepTyped(): void {
  if (typedText !== null) return;
  typedText = '';
  addEventListener('keydown', keepKey, { capture: true });
}

/** What was typed meanwhile; keys go where the focus is from now on. */
export function takeTypedAhead(): string {
  removeEventListener('keydown', keepKey, { capture: true });
  const typed = typedText ?? '';
  typedText = null;
  return typed;
}
