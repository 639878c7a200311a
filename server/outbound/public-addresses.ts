// Decides which addresses are on the public internet. Everything else (loopback, local networks, carrier-grade NAT,
// multicast, reserved and documentation ranges) is private, also as IPv4-mapped IPv6. Source: the IANA special-purpose
// address registries.
import { lookup } from 'node:dns';
import { lookup as lookupNow } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { OutboundError, toOutboundError } from './outbound-error.ts';

const PRIVATE_V4_RANGES: readonly [string, number][] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // link-local; cloud machines provide credentials here
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16],
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
];
const PRIVATE_V6_RANGES: readonly [string, number][] = [
  ['2001::', 23], // protocol assignments, Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
];
/** 96-bit prefixes before an IPv4 address: IPv4-mapped, and NAT64. */
const V4_IN_V6_PREFIXES = ['::ffff:', '64:ff9b::'];

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');
const privateV4 = new BlockList();
for (const [net, bits] of PRIVATE_V4_RANGES) privateV4.addSubnet(net, bits, 'ipv4');
const privateV6 = new BlockList();
for (const [net, bits] of PRIVATE_V6_RANGES) privateV6.addSubnet(net, bits, 'ipv6');
const v4InsideV6 = V4_IN_V6_PREFIXES.map((prefix) => {
  const [range, privateRanges] = [new BlockList(), new BlockList()];
  range.addSubnet(`${prefix}0.0.0.0`, 96, 'ipv6');
  for (const [net, bits] of PRIVATE_V4_RANGES) privateRanges.addSubnet(`${prefix}${net}`, 96 + bits, 'ipv6');
  return { whole: range, closed: privateRanges };
});

/** Returns whether an address is public; false for text that is not an address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return false; // an address with a zone (`%eth0`) is link-local
  if (family === 4) return !privateV4.check(address, 'ipv4');
  for (const { whole: range, closed: privateRanges } of v4InsideV6) {
    if (range.check(address, 'ipv6')) return !privateRanges.check(address, 'ipv6');
  }
  return globalUnicast.check(address, 'ipv6') && !privateV6.check(address, 'ipv6');
}

/** The smallest IPv6 network of a home; an interface may report a smaller one, down to its own address. */
const HOME_PREFIX_BITS = 64;

/**
 * Returns the networks of all interfaces (`192.0.2.7/24`). A machine may have public addresses: its own services listen
 * behind them, and with IPv6 the other devices of a home have public addresses, too.
 */
const ownNetworks = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address, cidr }) => cidr ?? address),
  );

/** Returns whether an address is public and outside of the networks that this machine is in. */
export function isForeignAddress(address: string, networks: readonly string[] = ownNetworks()): boolean {
  if (!isPublicAddress(address)) return false;
  const list = new BlockList();
  for (const network of networks) {
    const [bare = '', bits] = network.replace(/%[^/]*/, '').split('/');
    if (!isPublicAddress(bare)) continue; // already refused above; ::1 with a whole /64 would cover all IPv4 addresses
    if (isIP(bare) === 6) {
      list.addSubnet(bare, Math.min(HOME_PREFIX_BITS, Number(bits ?? 128)), 'ipv6');
      continue;
    }
    const v4Bits = Number(bits ?? 32);
    list.addSubnet(bare, v4Bits, 'ipv4');
    for (const prefix of V4_IN_V6_PREFIXES) list.addSubnet(prefix + bare, 96 + v4Bits, 'ipv6');
  }
  return !list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

/**
 * A `lookup` for sockets: resolves a name to public addresses of other machines only, and fails when it has none. The
 * socket connects to the address that was checked, which rules out DNS rebinding. Not called for numeric addresses.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const allowedAddresses = addresses.filter(({ address }) => isForeignAddress(address));
    const [firstAllowed] = allowedAddresses;
    if (!firstAllowed) return callback(privateAddress(hostname), '', 0);
    if (options.all) callback(null, allowedAddresses);
    else callback(null, firstAllowed.address, firstAllowed.family);
  });
};

/**
 * Checks an address for programs that open it by themselves. Throws OutboundError when the name cannot be resolved, or
 * when any of its addresses belongs to this machine or to a private network.
 */
export async function assertPublic({ protocol, hostname, host }: URL): Promise<void> {
  if (protocol !== 'http:' && protocol !== 'https:') throw otherScheme(protocol);
  const addresses = await lookupNow(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch((error: unknown) => {
    throw toOutboundError(error, host);
  });
  if (!addresses.every(({ address }) => isForeignAddress(address))) throw privateAddress(host);
}

export const otherScheme = (protocol: string): OutboundError =>
  new OutboundError('scheme', `${protocol} addresses are not fetched, only http and https`);
export const privateAddress = (host: string): OutboundError =>
  new OutboundError('private_address', `${host} is an address of this machine or inside a private network`);
