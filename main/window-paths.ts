// Which window a page belongs to. The server's other pages (API docs, shares) are no part of the app.

export type WindowName = 'library' | 'player' | 'settings';

const NON_APP_PATHS = ['api', 'rest', 'share', 'stream', 'health'];
/** Any window may show the sign-in; it returns to its own page from there. */
const ANY_WINDOW = ['sign-in', 'setup'];

/** `path` begins with a slash. */
export function windowOf(path: string): WindowName | 'any' | undefined {
  const firstSegment = /^\/([^/?#]*)/.exec(path)?.[1] ?? '';
  if (firstSegment === 'player' || firstSegment === 'settings') return firstSegment;
  if (ANY_WINDOW.includes(firstSegment)) return 'any';
  return NON_APP_PATHS.includes(firstSegment) ? undefined : 'library';
}
