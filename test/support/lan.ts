// This machine's network address, and whether multicast works there. Skipped tests are reported once, visibly.
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import Bonjour from 'bonjour-service';
import { PATIENCE_MS } from './until.ts';
import { sayLeftOut } from './left-out.ts';

export const lanAddress = Object.values(networkInterfaces())
  .flatMap((addresses = []) => addresses)
  .find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))?.address;
if (lanAddress === undefined) sayLeftOut('This machine is on no network: sharing with other devices is NOT tested.');

/** A network address that a phone could use: not link-local. */
export const lanAddressV6 = Object.values(networkInterfaces())
  .flatMap((addresses = []) => addresses)
  .find(({ family, internal, address }) => family === 'IPv6' && !internal && !/^fe[89ab]/i.test(address))?.address;
if (lanAddressV6 === undefined)
  sayLeftOut('This machine has no IPv6 address on its network: sharing over IPv6 is NOT tested.');

const ANSWER_MS = 10_000;

export interface Announcement {
  name: string;
  host: string;
  port: number;
  addresses?: string[];
  txt?: unknown;
}

/** Imitates another program on the network that searches for services of a type. */
export function listenForServices(type: string) {
  const radio = new Bonjour({}, () => undefined);
  const browser = radio.find({ type });
  const announcements: Announcement[] = [];
  const wishes = new Set<() => void>();
  const note = (): void => wishes.forEach((check) => check());
  browser.on('up', (service: Announcement) => {
    announcements.push(service);
    note();
  });
  browser.on('down', (service: Announcement) => {
    announcements.splice(
      announcements.findIndex(({ name, port }) => name === service.name && port === service.port),
      1,
    );
    note();
  });
  return {
    /** Resolves when the announcements pass the test; rejects after more time than any machine needs. */
    until: (test: (announced: readonly Announcement[]) => boolean): Promise<void> =>
      new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error(`heard only ${JSON.stringify(announcements)}`)), PATIENCE_MS);
        const check = (): void => {
          if (!test(announcements)) return;
          clearTimeout(limit);
          wishes.delete(check);
          resolve();
        };
        wishes.add(check);
        check();
      }),
    heard: (): readonly Announcement[] => announcements,
    close: (): Promise<void> =>
      new Promise((resolve) => {
        browser.stop();
        radio.destroy(() => resolve());
      }),
  };
}

/** Returns whether multicast works: announces a service and listens on another socket. */
export async function hasMulticast(): Promise<boolean> {
  const radio = new Bonjour({}, () => undefined);
  (radio as unknown as { server: { mdns: { on(event: 'error', listener: () => void): void } } }).server.mdns.on(
    'error',
    () => undefined,
  );
  const ear = new Bonjour({}, () => undefined);
  const works = await new Promise<boolean>((resolve) => {
    const limit = setTimeout(() => resolve(false), ANSWER_MS);
    ear.find({ type: 'tonearm-test' }, () => {
      clearTimeout(limit);
      resolve(true);
    });
    radio.publish({ name: `test ${process.pid}`, type: 'tonearm-test', port: 1, probe: false });
  });
  await Promise.all(
    [radio, ear].map(
      (announcement) =>
        new Promise<void>((resolve) => {
          announcement.destroy(() => resolve());
        }),
    ),
  );
  if (!works) sayLeftOut('Multicast does not work on this machine: announcing to the network is NOT tested.');
  return works;
}

/** Binds the mDNS port exclusively; undefined if another program uses it. */
export const holdMulticastPort = (): Promise<UdpSocket | undefined> =>
  new Promise((resolve) => {
    const socket = createSocket({ type: 'udp4', reuseAddr: false });
    socket.once('error', () => resolve(undefined)).bind(5353, () => resolve(socket));
  });

/** Opens a connection that stays open, for raw requests. */
export async function openConnection(address: string, port: number) {
  const socket: Socket = connect(port, address);
  socket.setEncoding('utf8');
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => resolve()).once('error', reject);
  });
  const whenClosed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve()).on('error', () => undefined);
  });
  return {
    closed: whenClosed,
    /** Sends a request and returns the start of the response. */
    ask: (path: string, headers: Record<string, string> = {}): Promise<string> =>
      new Promise((resolve, reject) => {
        socket
          .once('data', (text: Buffer | string) => resolve(text.toString()))
          .once('close', () => reject(new Error('the connection was closed')));
        const lines = Object.entries({ Host: `${address}:${port}`, ...headers }).map(
          ([name, value]) => `${name}: ${value}\r\n`,
        );
        socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
      }),
    end: (): void => void socket.destroy(),
  };
}

/** Connects to an address; returns `connected`, or the system's error code. */
export const tryConnect = (address: string, port: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, address);
    socket
      .once('connect', () => {
        socket.destroy();
        resolve('connected');
      })
      .once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
