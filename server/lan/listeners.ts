// Where the server listens. Each address has an HTTP server of its own over the same application, so that one can be
// closed, and those who came in by it sent away, while the others go on.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '../errors.ts';
import { urlHost } from './lan-addresses.ts';

/** Clients send play queues of thousands of ids in the address. */
const MAX_REQUEST_HEAD = 256 * 1024;
/** For the answer to whoever closed the door on themselves. */
const LAST_WORDS_MS = 200;

export type Listeners = ReturnType<typeof createListeners>;

export function createListeners(app: RequestListener) {
  const open = new Map<string, Server>();
  const leaving = new Set<Server>();
  let port = 0;
  let problems: string[] = [];
  let following: Promise<void> = Promise.resolve();
  let isStopped = false;

  async function openDoor(host: string): Promise<void> {
    const server = await listen(app, host, port);
    if (isStopped) return void server.close();
    open.set(host, server);
    ({ port } = server.address() as AddressInfo);
  }

  /** Nobody comes in from now on; whoever is in has a moment. */
  function shut(host: string): void {
    const server = open.get(host);
    if (!server) return;
    open.delete(host);
    leaving.add(server);
    server.close(() => leaving.delete(server));
    setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS).unref();
  }

  async function change(hosts: string[]): Promise<void> {
    const inTheWay: string[] = [];
    for (const host of hosts.filter((one) => !open.has(one))) await openDoor(host).catch(() => inTheWay.push(host));
    for (const host of open.keys()) if (!hosts.includes(host)) shut(host);
    problems = [];
    for (const host of inTheWay)
      await openDoor(host).catch((error: unknown) =>
        problems.push(error instanceof AppError ? error.message : String(error)),
      ); // perhaps one that is shut now held the port
  }

  return {
    /** Throws an AppError that names the port when the first address cannot be had; the port is the same for all. */
    async start(wished: number, [first = '', ...others]: string[]): Promise<void> {
      port = wished;
      await openDoor(first);
      await change([first, ...others]);
    },

    /** Opens what is missing, and then closes what is too much. What cannot be opened is told by `problems`. */
    follow(hosts: string[]): Promise<void> {
      following = following.then(() => change(hosts));
      return following;
    },

    port: (): number => port,
    isOpen: (host: string): boolean => open.has(host),
    /** In words. */
    problems: (): string[] => problems,

    /** No new callers. */
    stop(): void {
      isStopped = true;
      for (const server of open.values()) server.close();
    },

    /** And none of the old ones. */
    end(): void {
      for (const server of [...open.values(), ...leaving]) server.closeAllConnections();
    },
  };
}

function listen(app: RequestListener, host: string, port: number): Promise<Server> {
  // a large upload takes its time
  const server = createServer({ maxHeaderSize: MAX_REQUEST_HEAD, keepAliveTimeout: 65_000, requestTimeout: 0 }, app);
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(new AppError('unavailable', listenProblem(cause, host, port), { cause })),
    );
    server.listen(port, host, () => resolve(server));
  });
}

function listenProblem(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE')
    return `Port ${port} on ${host} is in use. Stop the program that uses it, or choose another with --port.`;
  if (error.code === 'EACCES')
    return `Port ${port} may not be used by this account. Choose one above 1023 with --port.`;
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `${host} is no address of this machine. Choose another with --host.`;
  return `Cannot listen on ${urlHost(host)}:${port} (${error.message}).`;
}
