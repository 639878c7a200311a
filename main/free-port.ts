import { createServer } from 'node:net';

/** This many consecutive ports are never all in use by chance. */
const MAX_TRIED_PORTS = 100;

/** Returns the next port above `usedPort` on which nothing listens; undefined if none of the tried ports is free. */
export async function nextFreePort(usedPort: number): Promise<number | undefined> {
  for (let port = usedPort + 1; port <= Math.min(usedPort + MAX_TRIED_PORTS, 65_535); port += 1)
    if (await isFree(port)) return port;
  return undefined;
}

/**
 * Returns whether nothing listens on the port. Only the loopback address is tried, because listening on more addresses
 * makes the firewall of Windows ask.
 */
const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
