// The server's listening sockets. Each address has its own HTTP server for the same application, so that one listener
// can be closed with its connections while the others stay open.
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createNetServer, type AddressInfo } from 'node:net';
import { AppError } from '../errors.ts';
import type { Connections } from './connections.ts';
import { urlHost } from './lan-addresses.ts';

/** Maximum size of the head of a request: clients send play queues of thousands of ids in the URL. */
const MAX_REQUEST_HEAD = 256 * 1024;
/** When a client switches network access off over the network, this delay lets it get the response. */
const CLOSE_DELAY_MS = 200;

export type Listeners = ReturnType<typeof createListeners>;

export function createListeners(app: RequestListener, connections: Connections) {
  const servers = new Map<string, Server>();
  const closingServers = new Set<Server>();
  let port = 0;
  let problems: string[] = [];
  let following: Promise<void> = Promise.resolve();
  let isStopped = false;

  async function openListener(host: string): Promise<void> {
    const server = await listen(app, connections, host, port);
    if (isStopped) return void server.close();
    servers.set(host, server);
    ({ port } = server.address() as AddressInfo);
  }

  /** Stops accepting connections, and closes the existing ones shortly after. */
  function closeListener(host: string): void {
    const server = servers.get(host);
    if (!server) return;
    servers.delete(host);
    closingServers.add(server);
    server.close(() => closingServers.delete(server));
    setTimeout(() => server.closeAllConnections(), CLOSE_DELAY_MS).unref();
  }

  async function change(hosts: string[]): Promise<void> {
    const inTheWay: string[] = [];
    for (const host of hosts.filter((address) => !servers.has(address)))
      await openListener(host).catch(() => inTheWay.push(host));
    for (const host of servers.keys()) if (!hosts.includes(host)) closeListener(host);
    problems = [];
    for (const host of inTheWay)
      await openListener(host).catch((error: unknown) =>
        problems.push(error instanceof AppError ? error.message : String(error)),
      ); // a second attempt, because a listener that was just closed may have used the port
  }

  return {
    /**
     * Starts listening. All addresses use the same port. Throws an AppError if listening on the first address fails.
     */
    async start(wishedPort: number, [firstHost = '', ...otherHosts]: string[]): Promise<void> {
      port = wishedPort;
      await openListener(firstHost);
      await change([firstHost, ...otherHosts]);
    },

    /** Opens missing listeners, then closes those of other hosts. Failures are listed in `problems`. */
    follow(hosts: string[]): Promise<void> {
      following = following.then(() => change(hosts));
      return following;
    },

    port: (): number => port,
    isOpen: (host: string): boolean => servers.has(host),
    problems: (): string[] => problems,

    /** Stops accepting connections. */
    stop(): void {
      isStopped = true;
      for (const server of servers.values()) server.close();
    },

    /** Closes the existing connections. */
    end(): void {
      for (const server of [...servers.values(), ...closingServers]) server.closeAllConnections();
      connections.end();
    },
  };
}

function listen(app: RequestListener, connections: Connections, host: string, port: number): Promise<Server> {
  const server = createServer(
    {
      maxHeaderSize: MAX_REQUEST_HEAD,
      keepAliveTimeout: 65_000,
      headersTimeout: connections.limits.headMs,
      connectionsCheckingInterval: connections.limits.checkMs,
      requestTimeout: 0, // no limit, because a large upload takes its time; see connections.ts
    },
    connections.inTurn(app),
  );
  connections.watch(server);
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(new AppError('unavailable', listenProblem(cause, host, port), { cause })),
    );
    server.listen(port, host, () => resolve(server));
  });
}

/** Throws the error that listening at this address would cause. Nothing listens there afterwards. */
export function assertCanListen(host: string, port: number): Promise<void> {
  const attempt = createNetServer();
  return new Promise((resolve, reject) => {
    attempt.once('error', (cause: NodeJS.ErrnoException) =>
      reject(new AppError('unavailable', listenProblem(cause, host, port), { cause })),
    );
    attempt.listen(port, host, () => attempt.close(() => resolve()));
  });
}

function listenProblem(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE')
    return `Port ${port} on ${host} is in use. Stop the program that uses it, or choose another port with --port.`;
  if (error.code === 'EACCES')
    return `Port ${port} may not be used by this account. Choose one above 1023 with --port.`;
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `${host} is not an address of this machine. Choose another with --host.`;
  return `Cannot listen on ${urlHost(host)}:${port} (${error.message}).`;
}
