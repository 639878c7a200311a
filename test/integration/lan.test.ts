// A switch shares the server on the network, tested with real connections to this machine's network address.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LiveSettings } from '../../server/config/live-settings.ts';
import { createAnnouncement } from '../../server/lan/announcement.ts';
import { createNetworkAccess } from '../../server/lan/network-access.ts';
import type { NetworkOut } from '../../server/lan/wire.ts';
import {
  hasMulticast,
  holdMulticastPort,
  lanAddress,
  lanAddressV6,
  listenForServices,
  openConnection,
  tryConnect,
  type Announcement,
} from '../support/lan.ts';
import { spawnServer } from '../support/process.ts';
import { quiet, registerUser, startServer, type TestServer } from '../support/server.ts';
import { sayLeftOut } from '../support/left-out.ts';

let server: TestServer;
afterEach(async () => {
  await server?.close();
});

const portOf = ({ url }: { url: string }): number => Number(new URL(url).port);
const start = async (env: Record<string, string> = {}): Promise<void> => {
  server = await startServer({ env });
};
const state = async (): Promise<NetworkOut> => (await server.api<NetworkOut>('/network')).body;
const share = (enabled: boolean) =>
  server.api<NetworkOut & { detail: string }>('/network/sharing', { method: 'PUT', body: { enabled } });
const LAN = lanAddress ?? '';

describe.runIf(lanAddress !== undefined)('sharing on the network', () => {
  it('is off at first: only this computer can connect', async () => {
    await start();
    expect(await state()).toEqual({
      shared: false,
      locked_because: null,
      problem: null,
      port: portOf(server),
      addresses: [],
      name: null,
      registration_open: true,
    });
    expect(await tryConnect(LAN, portOf(server))).toBe('ECONNREFUSED');
  });

  it('listens on the network address while it runs, and shows the address for phones', async () => {
    await start({ ALLOW_REGISTRATION: 'false' });
    const { status, body } = await share(true);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      shared: true,
      problem: null,
      registration_open: false,
      name: { url: expect.stringMatching(/^http:\/\/tonearm-[a-z0-9-]+\.local:\d+$/) as string },
    });
    expect(body.addresses).toContainEqual({
      url: `http://${LAN}:${portOf(server)}`,
      address: LAN,
      family: 'ipv4',
      interface: expect.stringMatching(/./) as string,
    });
    expect((await fetch(`http://${LAN}:${portOf(server)}/api/v1/health`)).status).toBe(200);
    expect(server.app.settings.list().find(({ name }) => name === 'HOST')).toMatchObject({
      value: '0.0.0.0',
      origin: 'file',
      isPending: false,
    });
  });

  it('switched off, the port and all network connections are closed, and this computer stays connected', async () => {
    await start();
    await share(true);
    const port = portOf(server);
    const [localConnection, lanConnection] = [await openConnection('127.0.0.1', port), await openConnection(LAN, port)];
    expect(await localConnection.ask('/health')).toMatch(/^HTTP\/1\.1 200/);
    // the event stream is a response without an end
    expect(await lanConnection.ask(`/api/v1/events?token=${server.token}`)).toMatch(/^HTTP\/1\.1 200/);
    expect((await share(false)).body).toMatchObject({ shared: false, addresses: [], name: null });
    expect(await tryConnect(LAN, port)).toBe('ECONNREFUSED');
    await lanConnection.closed;
    expect(await localConnection.ask('/health')).toMatch(/^HTTP\/1\.1 200/);
    localConnection.end();
    expect((await state()).shared).toBe(false);
  });

  it('can be switched off over the network, and that request still gets its response', async () => {
    await start();
    await share(true);
    const response = await fetch(`http://${LAN}:${portOf(server)}/api/v1/network/sharing`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${server.token}`, 'Content-Type': 'application/json' },
      body: '{"enabled":false}',
    });
    expect(await response.json()).toMatchObject({ shared: false });
    expect(await tryConnect(LAN, portOf(server))).toBe('ECONNREFUSED');
  });

  it('never refuses this computer while it is being switched', async () => {
    await start();
    let isSwitching = true;
    const refusedAddresses: string[] = [];
    const knocking = (async () => {
      while (isSwitching) {
        const response = await tryConnect('127.0.0.1', portOf(server));
        if (response !== 'connected') refusedAddresses.push(response);
      }
    })();
    for (const enabled of [true, false, true, false, true, false]) await share(enabled);
    isSwitching = false;
    await knocking;
    expect(refusedAddresses).toEqual([]);
  });

  it('switched back and forth quickly ends in the last state, with one listener per address', async () => {
    await start();
    await Promise.all([true, false, true].map(share));
    expect(await state()).toMatchObject({ shared: true, problem: null });
    expect(await tryConnect(LAN, portOf(server))).toBe('connected');
  });

  it('answers over the network only to its own names, and to no other site', async () => {
    await start();
    await share(true);
    const port = portOf(server);
    const getStatusLine = async (headers: Record<string, string>): Promise<string> => {
      const connection = await openConnection(LAN, port);
      const response = await connection.ask('/api/v1/auth/status', headers);
      connection.end();
      return response.split('\r\n')[0] ?? '';
    };
    const { host } = new URL((await state()).name?.url ?? '');
    expect([
      await getStatusLine({}),
      await getStatusLine({ Host: host }),
      await getStatusLine({ Origin: `http://${LAN}:${port}` }),
    ]).toEqual(Array.from({ length: 3 }, () => 'HTTP/1.1 200 OK'));
    expect([
      await getStatusLine({ Host: 'evil.example' }),
      await getStatusLine({ Host: `${LAN}.evil.example` }),
      await getStatusLine({ Origin: 'http://evil.example' }),
    ]).toEqual(Array.from({ length: 3 }, () => 'HTTP/1.1 403 Forbidden'));
  });

  it('reports which program uses the port, and takes it as soon as it is free', async () => {
    await start();
    const otherServer = createServer();
    await new Promise<void>((resolve) => {
      otherServer.listen(portOf(server), LAN, resolve);
    });
    const { body } = await share(true);
    expect(body.addresses.map(({ address }) => address)).not.toContain(LAN);
    if (body.addresses.length === 0) expect(body.problem).toContain(`Port ${portOf(server)} on ${LAN} is in use`);
    await new Promise((resolve) => otherServer.close(resolve));
    expect((await share(true)).body.addresses.map(({ address }) => address)).toContain(LAN);
  });

  it('is on again after a restart', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'tonearm-shared-'));
    writeFileSync(join(dir, 'settings.json'), '{"host": "0.0.0.0"}');
    const child = await spawnServer(['--data-dir', dir, '--port', '0']);
    expect(new URL(child.url).hostname).toBe('127.0.0.1');
    expect([await tryConnect('127.0.0.1', portOf(child)), await tryConnect(LAN, portOf(child))]).toEqual([
      'connected',
      'connected',
    ]);
    expect(await child.kill('SIGTERM')).toBe(0);
    expect(child.output()).toContain(`On your network: http://${LAN}:${portOf(child)}\n`);
    rmSync(dir, { recursive: true, force: true });
  });

  it('is fixed if HOST was set on the command line', async () => {
    await start({ HOST: '0.0.0.0' });
    expect(await state()).toMatchObject({
      shared: true,
      locked_because: expect.stringMatching(
        /^HOST = 0\.0\.0\.0 comes from the environment or the command line/,
      ) as string,
    });
    expect((await state()).addresses.map(({ address }) => address)).toContain(LAN);
    const response = await share(false);
    expect([response.status, response.body.detail]).toEqual([409, expect.stringMatching(/can only be changed there/)]);
    expect(await tryConnect(LAN, portOf(server))).toBe('connected');
  });
});

it.runIf(lanAddressV6 !== undefined)(
  'with HOST = :: it is reachable over IPv6 too, as soon as it is set, and the switch closes both',
  async () => {
    await start();
    expect((await server.api('/settings', { method: 'PATCH', body: { host: '::' } })).status).toBe(200);
    const { addresses } = (await share(true)).body;
    const url = `http://[${lanAddressV6}]:${portOf(server)}`;
    expect(addresses).toContainEqual(expect.objectContaining({ url, family: 'ipv6' }));
    expect((await fetch(`${url}/api/v1/health`)).status).toBe(200);
    expect(await tryConnect('127.0.0.1', portOf(server))).toBe('connected');
    await share(false);
    expect(await tryConnect(lanAddressV6 ?? '', portOf(server))).toBe('ECONNREFUSED');
  },
);

describe('the switch', () => {
  it('is for superusers; users see the address for phones, and without signing in nothing is shown', async () => {
    await start();
    const token = await registerUser(server);
    expect((await server.api('/network', { token })).status).toBe(200);
    expect((await server.api('/network/sharing', { method: 'PUT', body: { enabled: true }, token })).status).toBe(403);
    expect([
      (await server.api('/network', { token: null })).status,
      (await server.api('/network/sharing', { method: 'PUT', body: { enabled: true }, token: null })).status,
    ]).toEqual([401, 401]);
    for (const body of [{}, { enabled: 'yes' }, { enabled: true, host: '::' }])
      expect((await server.api('/network/sharing', { method: 'PUT', body })).status).toBe(422);
    expect((await state()).shared).toBe(false);
  });
});

/** Loopback addresses stand in for a network that comes and goes. Only Linux has more than one loopback address. */
describe.runIf(process.platform === 'linux')('a laptop that changes its network', () => {
  const interfacesWith = (...addresses: string[]) => ({
    wifi: addresses.map((address) => ({ address, family: 'IPv4', internal: false }) as NetworkInterfaceInfo),
  });

  it('is reached at its new address only, and reports when there is none', async () => {
    let interfaces = interfacesWith('127.0.0.2');
    let host = '0.0.0.0';
    const values: Record<string, unknown> = { PORT: 0, ALLOW_REGISTRATION: true, TRUSTED_PROXIES: [] };
    const settings: Parameters<typeof createNetworkAccess>[0]['settings'] = {
      get: ((name: string) => (name === 'HOST' ? host : values[name])) as LiveSettings['get'],
      change: async ({ HOST }) => {
        host = HOST;
      },
      onChange: () => () => undefined,
    };
    const sharing = createNetworkAccess({ settings, hostOrigin: 'file', log: quiet, interfaces: () => interfaces });
    await sharing.start((_req, res) => res.end());
    const { port } = sharing.state();
    expect([await tryConnect('127.0.0.2', port), await tryConnect('127.0.0.3', port)]).toEqual([
      'connected',
      'ECONNREFUSED',
    ]);
    interfaces = interfacesWith('127.0.0.3');
    await sharing.share(true);
    expect([
      await tryConnect('127.0.0.2', port),
      await tryConnect('127.0.0.3', port),
      await tryConnect('127.0.0.1', port),
    ]).toEqual(['ECONNREFUSED', 'connected', 'connected']);
    expect(sharing.state().addresses).toEqual([
      { address: '127.0.0.3', family: 'ipv4', interfaceName: 'wifi', url: `http://127.0.0.3:${port}` },
    ]);
    interfaces = interfacesWith();
    await sharing.share(true);
    expect(sharing.state()).toMatchObject({
      isShared: true,
      addresses: [],
      problem: 'This computer is not connected to a network.',
      name: undefined,
    });
    await sharing.stop();
    sharing.end();
  });
});

describe('the announcement', () => {
  let works = false;
  beforeAll(async () => {
    works = lanAddress !== undefined && (await hasMulticast());
  });

  it('is received by browsers and phone apps while the library is shared, and withdrawn afterwards', async () => {
    await start();
    if (!works) return expect((await share(true)).status, 'and without multicast the server lives').toBe(200);
    const ears = [listenForServices('http'), listenForServices('subsonic')];
    await share(true);
    const { name } = await state();
    const isOfServer = ({ port }: { port: number }): boolean => port === portOf(server);
    for (const ear of ears) await ear.until((announcements) => announcements.some(isOfServer));
    const [http, subsonic] = ears.map((ear) => ear.heard().find(isOfServer));
    expect(http).toMatchObject({
      name: expect.stringMatching(/^Tonearm on ./) as string,
      host: new URL(name?.url ?? '').hostname,
      txt: { path: '/' },
    });
    expect(http?.addresses).toContain(LAN);
    expect(subsonic).toMatchObject({ name: http?.name, txt: { path: '/rest' } });
    await share(false);
    for (const ear of ears) {
      await ear.until((announcements) => !announcements.some(isOfServer));
      await ear.close();
    }
    expect(name?.problem).toBeNull();
  });

  it('of two servers with one name has two names, and both are found', async () => {
    if (!works) return sayLeftOut('No multicast: two servers with one name are NOT tested.');
    const name = `Tonearm on attic ${process.pid}`;
    const ear = listenForServices('http');
    const servers = [1, 2].map(() => createAnnouncement({ log: quiet }));
    for (const [i, announcer] of servers.entries())
      await announcer.show({ name, host: 'tonearm-attic.local', port: 4_000 + i, hasIpv6: false });
    const listOwnAnnouncements = (announcements: readonly Announcement[]): string[] =>
      announcements
        .filter((announcement) => announcement.name.startsWith(name))
        .map((announcement) => `${announcement.name}: ${announcement.port}`);
    await ear.until((announcements) => listOwnAnnouncements(announcements).length === 2);
    expect(listOwnAnnouncements(ear.heard()).sort()).toEqual([`${name} (2): 4001`, `${name}: 4000`]);
    for (const announcer of servers) await announcer.show(undefined);
    await ear.close();
  });

  it('that is not possible is reported, and the server keeps running', async () => {
    const heldPort = await holdMulticastPort();
    if (!heldPort) return sayLeftOut('Another program has the port of multicast: a port that is taken is NOT tested.');
    await start();
    expect((await share(true)).status).toBe(200);
    if (lanAddress !== undefined) await expect.poll(async () => (await state()).name?.problem).toMatch(/EADDRINUSE/);
    expect((await share(false)).body.shared).toBe(false);
    await new Promise<void>((resolve) => {
      heldPort.close(resolve);
    });
  });
});
