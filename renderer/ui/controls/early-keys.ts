// Keeps keys that are typed between the shortcut that opens a field and the focus of the field, and does not run them
// as shortcuts. The code of the field may have to be loaded first.

let typedText: string | null = null;

function keepKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  event.stopImmediatePropagation();
  event.preventDefault();
  if (event.key === 'Escape') takeTypedAhead();
  else if (event.key === 'Backspace') typedText = (typedText ?? '').slice(0, -1);
  else if ([...event.key].length === 1) typedText += event.key;
}

/** Keeps typed keys until `takeTypedAhead`. */
export function keepTyped(): void {
  if (typedText !== null) return;
  typedText = '';
  addEventListener('keydown', keepKey, { capture: true });
}

/** Returns the text typed since `keepTyped`; later keys go to the focused element. */
export function takeTypedAhead(): string {
  removeEventListener('keydown', keepKey, { capture: true });
  const text = typedText ?? '';
  typedText = null;
  return text;
}
