// What an account can make the server request: nothing on this machine or in its network, unless an administrator named
// it.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UserOut } from '../../server/auth/wire.ts';
import { isForeignAddress } from '../../server/outbound/public-addresses.ts';
import type { PodcastOut } from '../../server/podcasts/wire.ts';
import { startRadioHost, type RadioHost } from '../fakes/radio-host.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let host: RadioHost;
let listener: string;
let neighbour: Server;
let requestCount = 0;
beforeAll(async () => {
  neighbour = createServer((_req, res) => void (requestCount++, res.end('{}')));
  await new Promise<void>((resolve) => neighbour.listen(0, '0.0.0.0', resolve));
  host = await startRadioHost();
  server = await startServer();
  listener = await registerUser(server);
});
afterAll(async () => {
  neighbour.close();
  await server.close();
  await host.close();
});

/** Returns all addresses of this machine, each with a port on which a server listens and with an unused port. */
function addressesOfThisMachine(): string[] {
  const { port } = neighbour.address() as AddressInfo;
  const ownAddresses = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ address }) => !address.includes('%') && !address.startsWith('fe80'))
    .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
  const names = new Set([
    ...ownAddresses,
    '127.0.0.1',
    '[::1]',
    'localhost',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
    '2130706433',
  ]);
  return [...names].flatMap((name) => [`http://${name}:${port}`, `http://${name}:9`]);
}

const nameless = (text: string, url: string): string =>
  text.replaceAll(new URL(url).host, 'HOST').replaceAll(new URL(url).hostname, 'HOST');

test('an account that is no administrator reaches no own address, and gets one answer whatever is there', async () => {
  const answers = new Set<string>();
  for (const url of addressesOfThisMachine()) {
    const body = { token: 'key', url };
    const answer = await server.api(`/users/me/scrobbling?service=maloja`, { method: 'PUT', token: listener, body });
    answers.add(`${answer.status} ${nameless(answer.text, url)}`);
  }
  expect([...answers]).toEqual([expect.stringMatching(/^503 .*HOST is an address of this machine or inside/)]);
  const account = (await server.api<UserOut>('/users/me', { token: listener })).body;
  await server.api(`/users/${account.id}`, { method: 'PATCH', body: { can_podcast: true } });
  const errors = new Set<string>();
  for (const url of new Set(addressesOfThisMachine().map((address) => new URL(address).href))) {
    const { body } = await server.api<PodcastOut>('/podcasts', { method: 'POST', token: listener, body: { url } });
    await server.app.drain();
    const podcasts = (await server.api<PodcastOut[]>('/podcasts', { token: listener })).body;
    errors.add(nameless(podcasts.find(({ id }) => id === body.id)?.error ?? '', url));
  }
  expect([...errors]).toEqual([expect.stringMatching(/^HOST is an address of this machine or inside/)]);
  expect(requestCount).toBe(0);
});

test('public addresses of this machine and of its networks are its own, in every notation', () => {
  const ownInterfaces = [
    '127.0.0.1/8',
    '::1/128',
    'fd00::2/64',
    '10.0.0.2/24',
    '8.8.4.4/30',
    '9.9.9.9',
    '2600:1::5/128',
    '2600:2:0:ff00::1/56',
    'fe80::1%eth0/64',
  ];
  for (const address of [
    '8.8.4.4',
    '::ffff:8.8.4.4',
    '64:ff9b::8.8.4.4',
    '2600:1::5',
    '2600:0001:0:0::0005',
    '8.8.4.5',
    '::ffff:8.8.4.6',
    '9.9.9.9',
    '2600:1::6',
    '2600:2:0:ff77::1',
    '10.0.0.1',
  ])
    expect(isForeignAddress(address, ownInterfaces), address).toBe(false);
  for (const address of ['8.8.4.8', '9.9.9.8', '2600:1:0:1::5', '2600:2:0:fe00::1', '::ffff:8.8.4.8'])
    expect(isForeignAddress(address, ownInterfaces), address).toBe(true);
});

test('a station in the own network plays for everybody while an administrator stands for it', async () => {
  const hire = async (is_superuser: boolean): Promise<void> => {
    const account = (await server.api<UserOut>('/users/me', { token: listener })).body;
    await server.api(`/users/${account.id}`, { method: 'PATCH', body: { is_superuser } });
  };
  const addStation = async (path: string, token: string): Promise<number> => {
    const body = { name: path, stream_url: host.url + path };
    return (await server.api<{ id: number }>('/stations', { method: 'POST', token, body })).body.id;
  };
  const play = async (id: number): Promise<number> => {
    const headers = { Authorization: `Bearer ${listener}` };
    const answer = await fetch(`${server.url}/api/v1/stations/${id}/audio`, { headers });
    await answer.body?.cancel();
    return answer.status;
  };
  expect([
    await play(await addStation('/icecast', server.token)),
    await play(await addStation('/pls', server.token)),
  ]).toEqual([200, 200]);
  expect(await play(await addStation('/inside', server.token)), 'which sends on to another address').toBe(503);
  await hire(true);
  const id = await addStation('/icecast', listener);
  expect(await play(id)).toBe(200);
  await hire(false);
  expect(await play(id)).toBe(503);
});
