// Ports for the programs that are measured.
import { createServer } from 'node:net';

/** Below the range of ports for outgoing connections, such as our own requests. */
const PORT_RANGE = { first: 20_000, last: 32_000 };
let lastPort = PORT_RANGE.first + (process.pid % (PORT_RANGE.last - PORT_RANGE.first));

export async function freePort(): Promise<number> {
  for (;;) {
    lastPort = lastPort < PORT_RANGE.last ? lastPort + 1 : PORT_RANGE.first;
    const port = lastPort;
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer()
        .once('error', () => resolve(false))
        .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
