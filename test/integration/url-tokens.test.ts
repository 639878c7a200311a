// Tokens for URLs: each is valid for one kind of resource and nothing else, and expires with the account's access
// tokens.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UrlTokenOut } from '../../server/auth/wire.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let track: number;
let playlist: number;
beforeAll(async () => {
  server = await startServer();
  track = trackMaker(server.app).add({ title: 'Tide' });
  const { body } = await server.api<{ id: number }>('/playlists', { method: 'POST', body: { name: 'Mine' } });
  playlist = body.id;
});
afterAll(() => server.close());

const issue = async (body: unknown, token = server.token): Promise<UrlTokenOut> =>
  (await server.api<UrlTokenOut>('/auth/media-token', { method: 'POST', body, token })).body;
/** Returns whether the token was accepted at a URL, whatever else the route responds. */
async function isAccepted(path: string, token: string): Promise<boolean> {
  const abort = new AbortController();
  const { status } = await fetch(`${server.url}/api/v1${path}?token=${token}`, { signal: abort.signal });
  abort.abort();
  return status !== 401;
}

test('a token for URLs works for its scope alone', async () => {
  const exportPath = `/playlists/${playlist}/export.m3u8`;
  const media = await issue({ scope: 'media' });
  const events = await issue({ scope: 'events' });
  const download = await issue({ scope: 'download', path: exportPath });
  const otherToken = await issue({ scope: 'download', path: '/playlists/99/export.m3u8' });
  expect(media.expires_in).toBe(86_400);
  const checkAccepted = async (path: string): Promise<boolean[]> => {
    const answers: boolean[] = [];
    for (const { token } of [media, events, download, otherToken]) answers.push(await isAccepted(path, token));
    return answers;
  };
  expect(await checkAccepted(`/stream/${track}`)).toEqual([true, false, false, false]);
  expect(await checkAccepted(`/tracks/${track}/cover`)).toEqual([true, false, false, false]);
  expect(await checkAccepted('/events')).toEqual([false, true, false, false]);
  expect(await checkAccepted(exportPath)).toEqual([false, false, true, false]);
  for (const { token } of [media, events, download]) {
    expect((await server.api('/users/me', { token })).status).toBe(401);
    expect((await server.api('/auth/media-token', { method: 'POST', body: { scope: 'media' }, token })).status).toBe(
      401,
    );
    expect((await server.api(`/tracks/${track}`, { method: 'DELETE', token })).status).toBe(401);
  }
});

test('an access token still works at URLs', async () => {
  expect(await isAccepted(`/stream/${track}`, server.token)).toBe(true);
});

test('it ends when the password changes', async () => {
  const signedIn = await registerUser(server, 'ann');
  const { token } = await issue({ scope: 'media' }, signedIn);
  expect(await isAccepted(`/stream/${track}`, token)).toBe(true);
  const change = { password: 'another long password', current_password: 'long enough password' };
  await server.api('/users/me', { method: 'PATCH', body: change, token: signedIn });
  expect(await isAccepted(`/stream/${track}`, token)).toBe(false);
});
