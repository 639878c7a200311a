// Text in a command line that is printed to be copied.

/** What would act on the terminal, or look like other text than it is. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** One word for a POSIX shell, in single quotes unless it needs none; invisible characters become question marks. */
export function quotedForShell(text: string): string {
  const visible = text.replaceAll(INVISIBLE, '?');
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(visible) ? visible : `'${visible.replaceAll("'", String.raw`'\''`)}'`;
}
