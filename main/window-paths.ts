// Which window a page of ours belongs to. The server's other pages (its documentation, what somebody shared) are no
// part of the app.

export type WindowName = 'library' | 'player' | 'settings';

const ELSEWHERE = ['api', 'rest', 'share', 'stream', 'health'];
/** Any window may stand at the door; it goes back to its own page from there. */
const DOORS = ['sign-in', 'setup'];

/** `path` begins with a slash. */
export function windowOf(path: string): WindowName | 'door' | undefined {
  const first = /^\/([^/?#]*)/.exec(path)?.[1] ?? '';
  if (first === 'player' || first === 'settings') return first;
  if (DOORS.includes(first)) return 'door';
  return ELSEWHERE.includes(first) ? undefined : 'library';
}
