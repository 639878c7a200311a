// Which addresses count as one caller.
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * One household has a whole IPv6 /64, so its addresses count as one; an IPv4 address in IPv6 notation is that IPv4
 * address. What a proxy forwarded and is no address is `unknown`, all of it one caller.
 */
export function addressKey(address: string | undefined): string {
  const [bare = ''] = withoutPort(address ?? '').split('%'); // fe80::1%eth0
  const v4 = bare.replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIPv4(v4)) return v4;
  return isIPv6(bare) ? network64(bare) : 'unknown';
}

/** Some proxies write the port, which differs with each connection, behind the address that they forward. */
const withoutPort = (address: string): string =>
  address.replace(/^\[([^\]]{1,60})\](?::\d+)?$/, '$1').replace(/^([\d.]{7,15}):\d+$/, '$1');

function network64(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const filled =
    tail === undefined
      ? left
      : [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
  return `${filled
    .slice(0, 4)
    .map((part) => Number.parseInt(part, 16).toString(16))
    .join(':')}::/64`;
}

/** Says of an address whether it is one of these, or in one of these networks (`10.0.0.0/8`). */
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
