// Determines the addresses of the local network: which to listen on, and which of them a phone can use. Pure.
import type { NetworkInterfaceInfo } from 'node:os';

export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

export interface LanAddress {
  address: string;
  family: 'ipv4' | 'ipv6';
  /** The system's name of the interface, such as `eth0` or `Wi-Fi`. */
  interfaceName: string;
}

export const ALL_ADDRESSES = '0.0.0.0';
export const LOOPBACK_ADDRESS = '127.0.0.1';
const [EVERYWHERE_V6, ONLY_HERE_V6] = ['::', '::1'];

/** Interfaces to containers and virtual machines, which phones cannot reach. */
const INTERNAL_INTERFACE = /^(docker|br-|veth|virbr|vmnet|vboxnet|vnet|lxc|podman|cni|flannel|vEthernet)/i;
/** Interfaces of tunnels, which only phones in the same tunnel can reach. */
const TUNNEL_INTERFACE = /^(tun|tap|wg|utun|tailscale|zt|ppp)/i;

export const isOnlyHere = (host: string): boolean => /^(localhost|127(\.\d+){3}|::1)$/i.test(host);

/**
 * Returns the addresses to listen on for a value of HOST. "All addresses" is split into loopback and each single
 * address, so that network access can be switched without interrupting local connections.
 */
export function listenOn(host: string, interfaces: Interfaces): string[] {
  if (host !== ALL_ADDRESSES && host !== EVERYWHERE_V6) return [host];
  const addresses = lanAddresses(interfaces)
    .filter(({ family }) => family === 'ipv4' || host === EVERYWHERE_V6)
    .map(({ address }) => address);
  return [LOOPBACK_ADDRESS, ...(host === EVERYWHERE_V6 ? [ONLY_HERE_V6] : []), ...addresses];
}

/** Returns the addresses at which a phone can reach a server with this HOST, the most likely one first. */
export function phoneAddresses(host: string, interfaces: Interfaces): LanAddress[] {
  if (isOnlyHere(host)) return [];
  const addresses = lanAddresses(interfaces).filter(({ interfaceName }) => !INTERNAL_INTERFACE.test(interfaceName));
  if (host === ALL_ADDRESSES || host === EVERYWHERE_V6) {
    const rank = ({ family, interfaceName }: LanAddress): number =>
      (TUNNEL_INTERFACE.test(interfaceName) ? 2 : 0) + (family === 'ipv6' ? 1 : 0);
    return addresses
      .filter(({ family }) => family === 'ipv4' || host === EVERYWHERE_V6)
      .sort((a, b) => rank(a) - rank(b));
  }
  const interfaceName = addresses.find(({ address }) => address === host)?.interfaceName ?? '';
  return [{ address: host, family: host.includes(':') ? 'ipv6' : 'ipv4', interfaceName }];
}

/** Returns the addresses without loopback and link-local ones (169.254, fe80), which would also need a scope. */
function lanAddresses(interfaces: Interfaces): LanAddress[] {
  return Object.entries(interfaces).flatMap(([interfaceName, addresses = []]) =>
    addresses
      .filter(({ internal, address }) => !internal && !/^(169\.254\.|fe[89ab])/i.test(address))
      .map(({ address, family }) => ({
        address,
        family: family === 'IPv6' ? ('ipv6' as const) : ('ipv4' as const),
        interfaceName,
      })),
  );
}

/** Writes an address as it is written in a URL. */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);
