// Requests to a server in another process.
import type { TokenResponse } from '../../server/auth/wire.ts';
import { ADMIN } from './server.ts';
import { until } from './until.ts';

interface Reply {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Signs in, after creating the account if none exists. */
export async function clientOf(server: { url: string; setupToken: string | undefined }) {
  const { url } = server;
  let token = '';
  async function sendRequest(path: string, method = 'GET', body?: unknown): Promise<Reply> {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        Connection: 'close',
        ...(token !== '' && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }
  const { setup_required } = (await sendRequest('/auth/status')).body as { setup_required: boolean };
  const session = setup_required
    ? await sendRequest('/auth/setup', 'POST', { ...ADMIN, setup_token: await until(() => server.setupToken) })
    : await sendRequest('/auth/login', 'POST', ADMIN);
  token = (session.body as TokenResponse).access_token;
  return {
    ask: sendRequest,
    read: async <T>(path: string): Promise<T> => (await sendRequest(path)).body as T,
  };
}
