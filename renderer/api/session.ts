// The session: access token and user, kept across reloads and shared with other tabs of the same browser.
import { asJson, asWord, isRecord, storedChoice } from '../stored-choice.ts';
import type { TokenResponse, UserOut } from './routes.ts';

/** Tokens for URLs; see url-tokens.ts. */
export interface UrlTokens {
  media: string;
  events: string;
  untilMs: number;
}
interface Session {
  token: string;
  user: UserOut;
  /** Undefined in a session that an older version stored. */
  urls?: UrlTokens;
}

const session = storedChoice<Session | null>({
  name: 'session',
  key: 'tonearm.session',
  initial: null,
  ...asJson<Session | null>((value) =>
    isRecord(value) && 'token' in value && 'user' in value ? (value as unknown as Session) : undefined,
  ),
});
const leftOnPurpose = storedChoice<'' | '1'>({
  name: 'session',
  key: 'tonearm.left',
  initial: '',
  ...asWord(['', '1']),
});

export const getSession = session.get;
/** Returns whether the last user signed out by hand and nobody has signed in since; kept across restarts. */
export const isLeftOnPurpose = (): boolean => leftOnPurpose.get() === '1';

export function startSession(answer: TokenResponse, urls: UrlTokens): void {
  leftOnPurpose.set(undefined);
  session.set({ token: answer.access_token, user: answer.user, urls });
}

export function setUrlTokens(urls: UrlTokens): void {
  const current = getSession();
  if (current) session.set({ ...current, urls });
}

export function setSessionUser(user: UserOut): void {
  const current = getSession();
  if (current && JSON.stringify(current.user) !== JSON.stringify(user)) session.set({ ...current, user });
}

export const signOut = (): void => session.set(undefined);

export function leaveOnPurpose(): void {
  leftOnPurpose.set('1');
  signOut();
}

export const onSessionChange = session.onChange;
export const useSession = session.use;
