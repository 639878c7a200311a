// Quotes text for command lines that are printed to be copied.
import { visibleText } from '../runtime/visible-text.ts';

/** Quotes a word for a POSIX shell where that is needed; invisible characters become question marks. */
export function quotedForShell(text: string): string {
  const visible = visibleText(text);
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(visible) ? visible : `'${visible.replaceAll("'", String.raw`'\''`)}'`;
}
