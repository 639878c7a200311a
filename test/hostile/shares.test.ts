// Guests of a share reach nothing else, guess no password, and what they play and save ends with the share and with the
// rights of its owner.
import { mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { UserOut } from '../../server/auth/wire.ts';
import { makeLibrary } from '../support/library.ts';
import { OFFLINE, openPhone, type Phone } from '../support/phone.ts';
import { ADMIN, registerUser, startServer, type TestServer } from '../support/server.ts';

let dir: string;
let server: TestServer;
let owner: number;
let phone: Phone;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-shares-'));
  // the files are larger than the buffers of a connection
  const music = makeLibrary(
    { tracks: 2, messy: 0, seed: 'shares', formats: ['wav'], seconds: '200' },
    join(dir, 'music'),
  );
  server = await startServer({ env: { ...OFFLINE, LOCAL_MEDIA_IMPORT_PATH: music.dir } });
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  const token = await registerUser(server, 'sharer');
  owner = (await server.api<UserOut>('/users/me', { token })).body.id;
  phone = await openPhone(server, { token });
});
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

interface Share {
  id: string;
  url: string;
}
const makeShare = async (): Promise<Share> =>
  (await phone.ask<{ share: Share[] }>('createShare', { id: 'tr-1' }, 'shares')).share[0]!;

/** Opens a download that receives nothing until `end`, which returns whether everything arrived. */
async function openDownload(url: string) {
  const [answer] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
  answer.on('error', () => undefined); // this error means that the download was interrupted
  const isClosed = new Promise((resolve) => answer.once('close', resolve));
  expect(answer.statusCode).toBe(200);
  return {
    async end(): Promise<'whole' | 'broken off'> {
      answer.resume();
      await isClosed;
      return answer.complete ? 'whole' : 'broken off';
    },
  };
}

test.each<[string, (share: Share) => Promise<unknown>, number]>([
  ['its deletion', ({ id }) => phone.get('deleteShare', { id }), 404],
  ['its end', ({ id }) => phone.get('updateShare', { id, expires: '1' }), 410],
  ['the right of its owner', () => server.api(`/users/${owner}`, { method: 'PATCH', body: { can_share: false } }), 410],
])('of a track and of all tracks, with %s', async (_title, end, status) => {
  const share = await makeShare();
  const open = await Promise.all([openDownload(`${share.url}/0`), openDownload(`${share.url}/zip`)]);
  await end(share);
  expect(await Promise.all(open.map((download) => download.end()))).toEqual(['broken off', 'broken off']);
  expect((await fetch(share.url)).status).toBe(status);
  await server.api(`/users/${owner}`, { method: 'PATCH', body: { can_share: true } });
});

test('of all tracks, when its owner may save no files any more; playing goes on', async () => {
  const share = await makeShare();
  const [playedTrack, savedZip] = await Promise.all([openDownload(`${share.url}/0`), openDownload(`${share.url}/zip`)]);
  await server.api(`/users/${owner}`, { method: 'PATCH', body: { can_download: false } });
  expect([await playedTrack.end(), await savedZip.end()]).toEqual(['whole', 'broken off']);
});

describe('a guest with the link of one track', () => {
  let token: string;
  let cookie: string;
  beforeAll(async () => {
    const answer = await server.api<{ path: string }>('/shares', {
      method: 'POST',
      body: { track_ids: [1], kind: 'track', password: 'open sesame', allows_saving: true },
    });
    token = answer.body.path.replace('/share/', '');
    const unlocked = await enter(token, 'open sesame');
    expect(unlocked.status).toBe(204);
    cookie = unlocked.headers.getSetCookie()[0]!.split(';', 1)[0]!;
    expect((await ask(`/share/${token}/0`)).status).toBe(200);
  });
  const enter = (share: string, password: string, from = '203.0.113.9') =>
    fetch(`${server.url}/share/${share}/password`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': from },
      body: JSON.stringify({ password }),
    });
  /** Requests an address as it is, with everything that the guest was given. */
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const [answer] = (await once(
      get(server.url, { path, agent: false, headers: { Cookie: cookie, ...headers } }),
      'response',
    )) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    return { status: answer.statusCode ?? 0, type: answer.headers['content-type'] ?? '', bytes: Buffer.concat(chunks) };
  };

  test.each([
    'TOKEN/1',
    'TOKEN/-1',
    'TOKEN/00000',
    'TOKEN/0x0',
    'TOKEN/1/cover',
    'TOKEN/0/../1',
    'TOKEN/0%2f..%2f1',
    'TOKEN/..%2f..%2fapi/v1/tracks/2',
    'TOKEN/../../api/v1/stream/2',
    'TOKEN/%2e%2e/%2e%2e/rest/getIndexes',
    'TOKEN//api/v1/tracks',
    'TOKEN/content/1',
    'TOKEN/0/lyrics',
    'TOKEN/zip/2',
    'TOKEN%00/0',
    'TOKEN;/1',
  ])('gets no other audio, picture or list from /share/%s', async (path) => {
    const { status, type } = await ask(`/share/${path.replace('TOKEN', token)}`);
    const isFirstTrack = path === 'TOKEN/00000';
    expect([status < 300 && !type.startsWith('text/html'), status < 500]).toEqual([isFirstTrack, true]);
  });

  test.each([
    '/api/v1/tracks',
    '/api/v1/stream/1',
    '/api/v1/tracks/1/cover',
    '/api/v1/albums/1/cover',
    '/api/v1/shares',
  ])('is nobody at %s', async (path) => {
    for (const [query, headers] of [
      ['', {}],
      [`?token=${token}`, {}],
      ['', { Authorization: `Bearer ${token}` }],
      ['', { Authorization: `Bearer ${cookie.split('=')[1]}` }],
    ] as [string, Record<string, string>][])
      expect((await ask(path + query, headers)).status).toBe(401);
  });

  test('is nobody to phones', async () => {
    for (const query of [`apiKey=${token}`, `u=admin&p=${token}`, `u=admin&p=open%20sesame`]) {
      const { bytes } = await ask(`/rest/ping?${query}&v=1.16.1&c=test&f=json`);
      expect(bytes.toString()).toContain('"status":"failed"');
    }
  });

  test.each([
    'tonearm_share=',
    'tonearm_share=0',
    `tonearm_share=${'a'.repeat(43)}`,
    'tonearm_share=%00',
    'x=1; =; ;;',
  ])('needs the pass of this share: %s', async (forged) => {
    expect((await ask(`/share/${token}/0`, { Cookie: forged })).status).toBe(403);
    expect((await ask(`/share/${token}/content`, { Cookie: forged })).status).toBe(403);
  });

  test('guesses a password ten times, and the right one is then refused too; others and the account are not', async () => {
    const { body } = await server.api<{ path: string }>('/shares', {
      method: 'POST',
      body: { track_ids: [1], kind: 'track', password: 'another one' },
    });
    const share = body.path.replace('/share/', '');
    const guesses = await Promise.all(Array.from({ length: 12 }, (_, n) => enter(share, `wrong guess ${n}`)));
    expect(guesses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array<number>(10).fill(403),
      429,
      429,
    ]);
    const rightOne = await enter(share, 'another one');
    expect([rightOne.status, Number(rightOne.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await enter(token, 'open sesame')).status).toBe(204);
    const signIn = await server.api('/auth/login', { method: 'POST', token: null, body: ADMIN });
    expect(signIn.status).toBe(200);
  });

  test('is cut off when the password changes', async () => {
    const { body } = await server.api<{ id: number; path: string }>('/shares', {
      method: 'POST',
      body: { track_ids: [1], kind: 'track', allows_saving: true },
    });
    const open = await openDownload(`${server.url}${body.path}/0`);
    await server.api(`/shares/${body.id}`, { method: 'PATCH', body: { password: 'from now on' } });
    expect(await open.end()).toBe('broken off');
    expect((await ask(`${body.path}/0`)).status).toBe(403);
  });

  test('saves nothing more when saving is taken back; playing goes on', async () => {
    const { body } = await server.api<{ id: number; path: string }>('/shares', {
      method: 'POST',
      body: { track_ids: [1], kind: 'track', allows_saving: true },
    });
    const address = `${server.url}${body.path}`;
    const open = await Promise.all([
      openDownload(`${address}/0`),
      openDownload(`${address}/zip`),
      openDownload(`${address}/0?save=true`),
    ]);
    await server.api(`/shares/${body.id}`, { method: 'PATCH', body: { allows_saving: false } });
    expect(await Promise.all(open.map((download) => download.end()))).toEqual(['whole', 'broken off', 'broken off']);
  });
});
