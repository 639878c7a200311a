// This machine's own address on its network, and whether multicast works there. What is left out without is said once,
// loudly.
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import Bonjour from 'bonjour-service';
import { PATIENCE_MS } from './until.ts';

export const lanAddress = Object.values(networkInterfaces())
  .flatMap((found = []) => found)
  .find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))?.address;
if (lanAddress === undefined)
  console.warn('\n*** This machine is on no network: sharing with other devices is NOT tested. ***\n');

/** One that a phone could use: not only on this cable. */
export const lanAddressV6 = Object.values(networkInterfaces())
  .flatMap((found = []) => found)
  .find(({ family, internal, address }) => family === 'IPv6' && !internal && !/^fe[89ab]/i.test(address))?.address;
if (lanAddressV6 === undefined)
  console.warn('\n*** This machine has no IPv6 address on its network: sharing over IPv6 is NOT tested. ***\n');

const ANSWER_MS = 10_000;

export interface Heard {
  name: string;
  host: string;
  port: number;
  addresses?: string[];
  txt?: unknown;
}

/** Somebody else on the network who looks for services of a type. */
export function listenForServices(type: string) {
  const radio = new Bonjour({}, () => undefined);
  const browser = radio.find({ type });
  const heard: Heard[] = [];
  const wishes = new Set<() => void>();
  const note = (): void => wishes.forEach((check) => check());
  browser.on('up', (service: Heard) => {
    heard.push(service);
    note();
  });
  browser.on('down', (service: Heard) => {
    heard.splice(
      heard.findIndex(({ name, port }) => name === service.name && port === service.port),
      1,
    );
    note();
  });
  return {
    /**
     * Resolves when there is such a service, or none any more; rejects when that takes longer than any machine needs.
     */
    until: (test: (heard: readonly Heard[]) => boolean): Promise<void> =>
      new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error(`heard only ${JSON.stringify(heard)}`)), PATIENCE_MS);
        const check = (): void => {
          if (!test(heard)) return;
          clearTimeout(limit);
          wishes.delete(check);
          resolve();
        };
        wishes.add(check);
        check();
      }),
    heard: (): readonly Heard[] => heard,
    close: (): Promise<void> =>
      new Promise((resolve) => {
        browser.stop();
        radio.destroy(() => resolve());
      }),
  };
}

/** One process announces, another socket of it listens: what a network without multicast does not carry. */
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
      (one) =>
        new Promise<void>((resolve) => {
          one.destroy(() => resolve());
        }),
    ),
  );
  if (!works)
    console.warn('\n*** Multicast does not work on this machine: announcing to the network is NOT tested. ***\n');
  return works;
}

/** Takes multicast's port for itself alone, as no polite program does; undefined where somebody has it already. */
export const holdMulticastPort = (): Promise<UdpSocket | undefined> =>
  new Promise((resolve) => {
    const socket = createSocket({ type: 'udp4', reuseAddr: false });
    socket.once('error', () => resolve(undefined)).bind(5353, () => resolve(socket));
  });

/** A connection that stays open, with requests by hand. */
export async function openConnection(address: string, port: number) {
  const socket: Socket = connect(port, address);
  socket.setEncoding('utf8');
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => resolve()).once('error', reject);
  });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve()).on('error', () => undefined);
  });
  return {
    closed,
    /** Sends a request and gives the beginning of the answer. */
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

/** `connected`, or the reason of the system. */
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
