// Internet radio from a station to the player, over REST and Subsonic, also with faulty station servers.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StationOut } from '../../server/radio/wire.ts';
import { RADIO_AUDIO, startRadioHost, type RadioHost } from '../fakes/radio-host.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

let host: RadioHost;
let server: TestServer;
let phone: Phone;

beforeAll(async () => {
  host = await startRadioHost();
  server = await startServer({ stationsFrom: new URL(host.url) });
  phone = await openPhone(server);
});
afterAll(async () => {
  await server.close();
  await host.close();
});

const add = async (path: string): Promise<number> => {
  const body = { name: `Station ${path}`, stream_url: host.url + path };
  const { status, body: station } = await server.api<StationOut>('/stations', { method: 'POST', body });
  expect(status).toBe(201);
  return station.id;
};
const titleOf = async (id: number): Promise<string | null | undefined> =>
  (await server.api<StationOut[]>('/stations')).body.find((station) => station.id === id)?.title;

interface ReceivedRequest {
  headers: Record<string, unknown>;
  bytes: () => Buffer;
  stop: () => void;
}
/** Listens to a station until the returned function is called. */
const listen = (id: number, headers: Record<string, string> = {}): Promise<ReceivedRequest> =>
  new Promise((resolve, reject) => {
    const audioChunks: Buffer[] = [];
    const streamRequest = request(phone.address('stream', { id: `ir-${id}` }), { headers }, (res) => {
      res.on('data', (chunk: Buffer) => audioChunks.push(chunk)).on('error', () => undefined);
      resolve({ headers: res.headers, bytes: () => Buffer.concat(audioChunks), stop: () => streamRequest.destroy() });
    });
    streamRequest.on('error', reject).end();
  });

describe('a station', () => {
  it.each(['/icecast', '/shoutcast', '/pls'])(
    'at %s plays without the titles in its stream, which are shown',
    async (path) => {
      host.title = Buffer.from('First Song');
      const id = await add(path);
      expect(await titleOf(id)).toBe(null);
      const { headers, bytes, stop } = await listen(id);
      expect(headers).toMatchObject({
        'content-type': 'audio/mpeg',
        'accept-ranges': 'none',
        'cache-control': 'no-store',
      });
      expect(headers).not.toHaveProperty('icy-metaint');
      expect(await until(() => titleOf(id))).toBe('First Song');
      host.title = Buffer.from('Second Söng', 'latin1');
      await until(
        () => titleOf(id),
        (title) => title === 'Second Söng',
      );
      await until(() => bytes().length > 3 * RADIO_AUDIO.length);
      expect(bytes().every((byte) => byte === 0xaa)).toBe(true);
      stop();
      await until(host.listening, (count) => count === 0);
      await until(
        () => titleOf(id),
        (title) => title === null,
      );
    },
  );

  it('gives titles to players that ask for them, in UTF-8 and at an interval of our own', async () => {
    host.title = Buffer.from('Sæglópur', 'latin1');
    const id = await add('/icecast');
    const { headers, bytes, stop } = await listen(id, { 'Icy-MetaData': '1' });
    expect(headers).toMatchObject({ 'icy-metaint': '16000', 'icy-name': 'Harbour FM', 'icy-br': '128' });
    const text = await until(
      () => bytes().subarray(16_000).toString(),
      (rest) => rest.includes("';"),
    );
    expect(text).toMatch(/^.StreamTitle='Sæglópur';\0*/);
    stop();
  });

  it.each(['/liar', '/mad'])('at %s that tells a wrong interval is asked again without titles', async (path) => {
    host.requests.length = 0;
    const id = await add(path);
    const { bytes, stop } = await listen(id);
    await until(() => bytes().length > 2 * RADIO_AUDIO.length);
    stop();
    expect(host.requests).toEqual([`${path} with titles`, `${path} without`]);
  });

  it.each([
    ['/page', /no audio/],
    ['/hls', /names no stream/],
    ['/gone', /status 404/],
    ['/inside', /inside a private network/],
    ['/head', /not HTTP/],
  ])('at %s says what is wrong', async (path, problem) => {
    const id = await add(path);
    const { status, body } = await server.api<{ detail: string }>(`/stations/${id}/audio`);
    expect([status, body.detail]).toEqual([503, expect.stringMatching(problem)]);
    const streamAnswer = await phone.get('stream', { id: `ir-${id}`, f: 'json' });
    expect(streamAnswer.body).toMatchObject({ status: 'failed', error: { code: 0 } });
    await until(host.listening, (count) => count === 0);
  });

  it('is changed and removed by administrators only, and heard within the limit of the account', async () => {
    const id = await add('/icecast');
    const member = await registerUser(server, 'listener');
    const change = { name: 'Harbour', stream_url: `${host.url}/icecast`, home_page_url: 'https://harbour.example/' };
    const putAs = (token: string) => server.api<StationOut>(`/stations/${id}`, { method: 'PUT', body: change, token });
    expect((await putAs(member)).status).toBe(403);
    expect((await putAs(server.token)).body).toMatchObject({ ...change, title: null });
    const user = await server.api<{ id: number }>('/users/me', { token: member });
    await server.api(`/users/${user.body.id}`, { method: 'PATCH', body: { max_bitrate_kbps: 96 } });
    const refusal = await server.api<{ detail: string }>(`/stations/${id}/audio`, { token: member });
    expect([refusal.status, refusal.body.detail]).toEqual([403, expect.stringMatching(/96 kbps/)]);
    expect((await server.api(`/stations/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await server.api(`/stations/${id}/audio`)).status).toBe(404);
  });
});
