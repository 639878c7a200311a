// Finds free ports for the measured programs.
import { createServer } from 'node:net';

/** Ports below the range from which the system takes ports for outgoing connections. */
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
