// Which addresses "the network" means: where to listen for it, and which of them a phone can use. Pure.
import type { NetworkInterfaceInfo } from 'node:os';

export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

export interface LanAddress {
  address: string;
  family: 'ipv4' | 'ipv6';
  /** As the system calls it: `eth0`, `Wi-Fi`. */
  interfaceName: string;
}

export const EVERYWHERE = '0.0.0.0';
export const ONLY_HERE = '127.0.0.1';
const [EVERYWHERE_V6, ONLY_HERE_V6] = ['::', '::1'];

/** Bridges to containers and virtual machines on this computer: no phone is there. */
const INSIDE = /^(docker|br-|veth|virbr|vmnet|vboxnet|vnet|lxc|podman|cni|flannel|vEthernet)/i;
/** Tunnels: a phone reaches them only when it is in the same one. */
const TUNNEL = /^(tun|tap|wg|utun|tailscale|zt|ppp)/i;

export const isOnlyHere = (host: string): boolean => /^(localhost|127(\.\d+){3}|::1)$/i.test(host);

/**
 * The addresses that a setting of HOST stands for. "Everywhere" is taken apart into this computer and each of its
 * addresses, so that the network can be let in and sent away while whoever is here notices nothing.
 */
export function listenOn(host: string, interfaces: Interfaces): string[] {
  if (host !== EVERYWHERE && host !== EVERYWHERE_V6) return [host];
  const found = lanAddresses(interfaces)
    .filter(({ family }) => family === 'ipv4' || host === EVERYWHERE_V6)
    .map(({ address }) => address);
  return [ONLY_HERE, ...(host === EVERYWHERE_V6 ? [ONLY_HERE_V6] : []), ...found];
}

/** Those at which a server with this HOST can be reached from a phone, the likeliest first. */
export function phoneAddresses(host: string, interfaces: Interfaces): LanAddress[] {
  if (isOnlyHere(host)) return [];
  const found = lanAddresses(interfaces).filter(({ interfaceName }) => !INSIDE.test(interfaceName));
  if (host === EVERYWHERE || host === EVERYWHERE_V6) {
    const rank = ({ family, interfaceName }: LanAddress): number =>
      (TUNNEL.test(interfaceName) ? 2 : 0) + (family === 'ipv6' ? 1 : 0);
    return found.filter(({ family }) => family === 'ipv4' || host === EVERYWHERE_V6).sort((a, b) => rank(a) - rank(b));
  }
  const interfaceName = found.find(({ address }) => address === host)?.interfaceName ?? '';
  return [{ address: host, family: host.includes(':') ? 'ipv6' : 'ipv4', interfaceName }];
}

/**
 * Without this computer itself, and without addresses that were made up because nobody gave one (169.254, fe80): those
 * need more than an address.
 */
function lanAddresses(interfaces: Interfaces): LanAddress[] {
  return Object.entries(interfaces).flatMap(([interfaceName, found = []]) =>
    found
      .filter(({ internal, address }) => !internal && !/^(169\.254\.|fe[89ab])/i.test(address))
      .map(({ address, family }) => ({
        address,
        family: family === 'IPv6' ? ('ipv6' as const) : ('ipv4' as const),
        interfaceName,
      })),
  );
}

/** As it stands in a web address. */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);
