// Decides which addresses count as one caller.
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * Returns the key of a caller. A household has a whole IPv6 /64, so its addresses share a key; an IPv4 address in IPv6
 * notation has the key of the IPv4 address. Forwarded texts that are no address all have the key `unknown`.
 */
export function addressKey(address: string | undefined): string {
  const [bareAddress = ''] = withoutPort(address ?? '').split('%'); // removes a zone, as in fe80::1%eth0
  const v4 = bareAddress.replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIPv4(v4)) return v4;
  return isIPv6(bareAddress) ? network64(bareAddress) : 'unknown';
}

/** Removes the port that some proxies append to the forwarded address; it differs with each connection. */
const withoutPort = (address: string): string =>
  address.replace(/^\[([^\]]{1,60})\](?::\d+)?$/, '$1').replace(/^([\d.]{7,15}):\d+$/, '$1');

function network64(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::');
  const leadingGroups = head === '' ? [] : head.split(':');
  const trailingGroups = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined
      ? leadingGroups
      : [
          ...leadingGroups,
          ...Array.from({ length: 8 - leadingGroups.length - trailingGroups.length }, () => '0'),
          ...trailingGroups,
        ];
  return `${groups
    .slice(0, 4)
    .map((part) => Number.parseInt(part, 16).toString(16))
    .join(':')}::/64`;
}

/** Returns a function that checks whether an address is one of the list, or in one of its networks (`10.0.0.0/8`). */
export function inNetworks(networks: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => address !== undefined && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}
