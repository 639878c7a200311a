import type { NetworkInterfaceInfo } from 'node:os';
import { expect, it } from 'vitest';
import { addressesFor } from '../../../server/settings/addresses.ts';

const at = (address: string, more: { family?: 'IPv4' | 'IPv6'; internal?: boolean } = {}) => ({ address, family: 'IPv4', internal: false, ...more }) as NetworkInterfaceInfo;
const INTERFACES = { lo: [at('127.0.0.1', { internal: true })], eth0: [at('192.168.1.5'), at('fe80::1', { family: 'IPv6' })], odd: [at('169.254.9.9')], wifi: [at('10.0.0.7')] };

it.each([
  ['127.0.0.1', []],
  ['localhost', []],
  ['::1', []],
  ['0.0.0.0', ['http://192.168.1.5:4747', 'http://10.0.0.7:4747']],
  ['::', ['http://192.168.1.5:4747', 'http://10.0.0.7:4747']],
  ['192.168.1.5', ['http://192.168.1.5:4747']],
  ['fd00::2', ['http://[fd00::2]:4747']],
])('a server that listens on %s is reached at %j', (host, expected) => {
  expect(addressesFor(host, 4747, INTERFACES)).toEqual(expected);
});
