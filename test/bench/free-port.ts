// Ports for the programs that are measured.
import { createServer } from 'node:net';

/** Below the range of ports for outgoing connections, such as our own requests. */
const PORTS = { first: 20_000, last: 32_000 };
let lastPort = PORTS.first + (process.pid % (PORTS.last - PORTS.first));

export async function freePort(): Promise<number> {
  for (;;) {
    lastPort = lastPort < PORTS.last ? lastPort + 1 : PORTS.first;
    const port = lastPort;
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer()
        .once('error', () => resolve(false))
        .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
