// HTTP servers of fakes: they listen on the loopback interface, and close without waiting for open connections.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts the server and returns its address; port 0 chooses a free port. */
export async function serve(server: Server, port = 0): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export const stop = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
