// HTTP servers for the fakes: they listen on the loopback interface, and close without waiting for open connections.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Starts the server and returns its address; port 0 chooses a free port. A server that comes back at its previous port
 * waits for that port, because another test may be using it.
 */
export async function serve(server: Server, port = 0): Promise<string> {
  while (!(await tryListen(server, port))) await sleep(100);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns false when the port is in use. */
const tryListen = (server: Server, port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error);
    server.once('error', onError).listen(port, '127.0.0.1', () => {
      server.off('error', onError);
      resolve(true);
    });
  });

export const stop = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
