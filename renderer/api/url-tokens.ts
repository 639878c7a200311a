// The tokens in URLs of audio, covers and the event stream. They are valid for nothing else, and are renewed before
// they expire.
import { API, request, toQueryString } from './client.ts';
import type { TokenResponse } from './routes.ts';
import { getSession, setUrlTokens, startSession, type UrlTokens } from './session.ts';

const RENEWED_BEFORE_MS = 3_600_000;
const CHECKED_EVERY_MS = 600_000;

async function issue(token: string): Promise<UrlTokens> {
  const fetchToken = (scope: 'media' | 'events') =>
    request('POST /auth/media-token', { body: { scope }, headers: { Authorization: `Bearer ${token}` } });
  const [media, events] = await Promise.all([fetchToken('media'), fetchToken('events')]);
  return { media: media.token, events: events.token, untilMs: Date.now() + media.expires_in * 1_000 };
}

/** Returns the address of one download, with a token that is valid only for this download. */
export async function downloadUrl(path: string, query: Parameters<typeof toQueryString>[0] = {}): Promise<string> {
  const body = { scope: 'download' as const, path: path + toQueryString(query) };
  const { token } = await request('POST /auth/media-token', { body });
  return API + path + toQueryString({ ...query, token });
}

export async function signInWith(answer: TokenResponse): Promise<void> {
  startSession(answer, await issue(answer.access_token));
}

async function renew(): Promise<void> {
  const session = getSession();
  if (!session || (session.urls && session.urls.untilMs > Date.now() + RENEWED_BEFORE_MS)) return;
  const urls = await issue(session.token);
  if (getSession()?.token === session.token) setUrlTokens(urls);
}

/**
 * Keeps the tokens valid from now on. Resolves after the first attempt to renew them, which is repeated later if the
 * server cannot be reached.
 */
export async function keepUrlTokens(): Promise<void> {
  const tryRenew = (): Promise<void> => renew().catch(() => undefined); // the page displays connection errors
  setInterval(() => void tryRenew(), CHECKED_EVERY_MS);
  addEventListener('online', () => void tryRenew());
  await tryRenew();
}
