// Which window a page belongs to. The server's other pages (API docs, shares) are no part of the app.

export type WindowName = 'library' | 'player' | 'settings';

const ELSEWHERE = ['api', 'rest', 'share', 'stream', 'health'];
/** Any window may show the sign-in; it returns to its own page from there. */
const ANY_WINDOW = ['sign-in', 'setup'];

/** `path` begins with a slash. */
export function windowOf(path: string): WindowName | 'any' | undefined {
  const first = /^\/([^/?#]*)/.exec(path)?.[1] ?? '';
  if (first === 'player' || first === 'settings') return first;
  if (ANY_WINDOW.includes(first)) return 'any';
  return ELSEWHERE.includes(first) ? undefined : 'library';
}
