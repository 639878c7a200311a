// Which addresses count as one caller.
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * One household has a whole IPv6 /64, so its addresses count as one; an IPv4 address in IPv6 notation is that IPv4
 * address.
 */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  const v4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (v4 !== undefined) return v4;
  const bare = address.split('%')[0] ?? address; // fe80::1%eth0
  return isIPv6(bare) ? network64(bare) : address;
}

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
