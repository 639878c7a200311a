// Under which addresses other devices on the network reach this server.
import type { NetworkInterfaceInfo } from 'node:os';

const ALL = new Set(['0.0.0.0', '::']);
const ONLY_HERE = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i;

/** None when it listens to this computer alone. IPv4 first: that is what people can type into a phone. */
export function addressesFor(host: string, port: number, interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): string[] {
  if (ONLY_HERE.test(host)) return [];
  if (!ALL.has(host)) return [toAddress(host, port)];
  return Object.values(interfaces).flatMap((found) => found ?? [])
    .filter(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.')) // 169.254: nobody gave it a real one
    .map(({ address }) => toAddress(address, port));
}

const toAddress = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
