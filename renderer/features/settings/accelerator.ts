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

/** Undefined while only modifiers are held, and for keys that would be taken from other programs. */
export function acceleratorOf({ key, code, ctrlKey, altKey, shiftKey, metaKey }: Pressed): string | undefined {
  if (!ctrlKey && !altKey && !metaKey) return undefined;
  // the code: with Alt held a letter may type something else
  const name =
    /^(?:Key|Digit)([A-Z0-9])$/.exec(code)?.[1] ?? NAMED_KEYS[key] ?? (OTHER_KEYS.test(key) ? key : undefined);
  if (name === undefined) return undefined;
  return [ctrlKey && 'Control', altKey && 'Alt', shiftKey && 'Shift', metaKey && 'Command', name]
    .filter(Boolean)
    .join('+');
}
