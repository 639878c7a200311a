// The session: access token and user, kept across reloads and shared with other tabs of the same browser.
import { useSyncExternalStore } from 'react';
import type { TokenResponse, UserOut } from '../../server/auth/wire.ts';

/** For URLs; see url-tokens.ts. */
export interface UrlTokens {
  media: string;
  events: string;
  untilMs: number;
}
interface Session {
  token: string;
  user: UserOut;
  /** Absent in a session from an older version. */
  urls?: UrlTokens;
}

const KEY = 'tonearm.session';
const LEFT = 'tonearm.left';
const listeners = new Set<() => void>();
let current = read();

function read(): Session | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    return stored && typeof stored === 'object' && 'token' in stored && 'user' in stored ? (stored as Session) : null;
  } catch {
    return null;
  }
}

function set(session: Session | null): void {
  current = session;
  if (session) localStorage.setItem(KEY, JSON.stringify(session));
  else localStorage.removeItem(KEY);
  for (const listener of listeners) listener();
}

addEventListener('storage', (event) => {
  if (event.key !== KEY) return;
  current = read();
  for (const listener of listeners) listener();
});

export const getSession = (): Session | null => current;
/** Whether the last user here signed out by hand and nobody signed in since; kept across restarts. */
export const isLeftOnPurpose = (): boolean => localStorage.getItem(LEFT) !== null;

export function startSession(answer: TokenResponse, urls: UrlTokens): void {
  localStorage.removeItem(LEFT);
  set({ token: answer.access_token, user: answer.user, urls });
}

export function setUrlTokens(urls: UrlTokens): void {
  if (current) set({ ...current, urls });
}

export function setSessionUser(user: UserOut): void {
  if (current && JSON.stringify(current.user) !== JSON.stringify(user)) set({ ...current, user });
}

export const signOut = (): void => set(null);

export function leaveOnPurpose(): void {
  localStorage.setItem(LEFT, '1');
  signOut();
}

export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useSession = (): Session | null => useSyncExternalStore(onSessionChange, getSession);
