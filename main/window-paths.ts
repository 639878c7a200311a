// The window in which a page is displayed. Other pages of the server (API docs, shares) are not part of the app.

export type WindowName = 'library' | 'player' | 'settings';

const NON_APP_PATHS = ['api', 'rest', 'share', 'stream', 'health'];
/** Every window may display the sign-in page, which returns to the window's own page. */
const ANY_WINDOW_PATHS = ['sign-in', 'setup'];

/** Returns the window of a path, which begins with a slash; undefined if the app does not display the page. */
export function windowOf(path: string): WindowName | 'any' | undefined {
  const firstSegment = /^\/([^/?#]*)/.exec(path)?.[1] ?? '';
  if (firstSegment === 'player' || firstSegment === 'settings') return firstSegment;
  if (ANY_WINDOW_PATHS.includes(firstSegment)) return 'any';
  return NON_APP_PATHS.includes(firstSegment) ? undefined : 'library';
}
