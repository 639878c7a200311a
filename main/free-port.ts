import { createServer } from 'node:net';

/** So many ports in a row are not in use by chance. */
const MAX_TRIED_PORTS = 100;

/** The next port above that nothing listens on; undefined when there is none near. */
export async function nextFreePort(used: number): Promise<number | undefined> {
  for (let port = used + 1; port <= Math.min(used + MAX_TRIED_PORTS, 65_535); port += 1)
    if (await isFree(port)) return port;
  return undefined;
}

/** Tries only this machine: listening on more addresses makes the firewall of Windows ask. */
const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
