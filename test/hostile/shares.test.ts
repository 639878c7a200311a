// Playback and downloads through the link of a share end with the share, and with the rights of its owner.
import { mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UserOut } from '../../server/auth/wire.ts';
import { makeLibrary } from '../support/library.ts';
import { OFFLINE, openPhone, type Phone } from '../support/phone.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

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
  ['its end', ({ id }) => phone.get('updateShare', { id, expires: '1' }), 404],
  ['the right of its owner', () => server.api(`/users/${owner}`, { method: 'PATCH', body: { can_share: false } }), 404],
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
