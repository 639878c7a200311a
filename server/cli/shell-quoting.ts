// Text in a command line that is printed to be copied.
import { visibleText } from '../runtime/visible-text.ts';

/** One word for a POSIX shell, in single quotes unless it needs none; invisible characters become question marks. */
export function quotedForShell(text: string): string {
  const visible = visibleText(text);
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(visible) ? visible : `'${visible.replaceAll("'", String.raw`'\''`)}'`;
}
