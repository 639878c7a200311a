// A combination of keys in Electron's notation: https://www.electronjs.org/docs/latest/api/accelerator

const NAMED_KEYS: Record<string, string> = {
  ' ': 'Space',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
};
const OTHER_KEYS = /^(?:Home|End|PageUp|PageDown|Insert|Delete|F(?:[1-9]|1\d|2[0-4]))$/;

type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey'>;

/** Returns undefined while only modifiers are held, and for keys that other programs need. */
export function acceleratorOf({ key, code, ctrlKey, altKey, shiftKey, metaKey }: Pressed): string | undefined {
  if (!ctrlKey && !altKey && !metaKey) return undefined;
  // uses `code`, because with Alt held a letter may type another character
  const name =
    /^(?:Key|Digit)([A-Z0-9])$/.exec(code)?.[1] ?? NAMED_KEYS[key] ?? (OTHER_KEYS.test(key) ? key : undefined);
  if (name === undefined) return undefined;
  return [ctrlKey && 'Control', altKey && 'Alt', shiftKey && 'Shift', metaKey && 'Command', name]
    .filter(Boolean)
    .join('+');
}
