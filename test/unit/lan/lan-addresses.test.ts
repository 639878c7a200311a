import type { NetworkInterfaceInfo } from 'node:os';
import { expect, it } from 'vitest';
import { isOnlyHere, listenOn, phoneAddresses } from '../../../server/lan/lan-addresses.ts';

const toInterface = (address: string, { internal: isInternal = false } = {}) =>
  ({ address, family: address.includes(':') ? 'IPv6' : 'IPv4', internal: isInternal }) as NetworkInterfaceInfo;
const INTERFACES = {
  lo: [toInterface('127.0.0.1', { internal: true }), toInterface('::1', { internal: true })],
  docker0: [toInterface('172.17.0.1')],
  tailscale0: [toInterface('100.64.0.9')],
  eth0: [toInterface('192.168.1.5'), toInterface('fd00::5'), toInterface('fe80::1')],
  odd: [toInterface('169.254.9.9')],
  'Wi-Fi': [toInterface('10.0.0.7'), toInterface('FE80::2')],
};

it.each([
  ['127.0.0.1', ['127.0.0.1']],
  ['localhost', ['localhost']],
  ['192.168.1.5', ['192.168.1.5']],
  ['0.0.0.0', ['127.0.0.1', '172.17.0.1', '100.64.0.9', '192.168.1.5', '10.0.0.7']],
  ['::', ['127.0.0.1', '::1', '172.17.0.1', '100.64.0.9', '192.168.1.5', 'fd00::5', '10.0.0.7']],
])('HOST = %s means %j', (host, expected) => {
  expect(listenOn(host, INTERFACES)).toEqual(expected);
});

it.each([
  ['127.0.0.1', []],
  ['localhost', []],
  ['::1', []],
  [
    '0.0.0.0',
    [
      ['192.168.1.5', 'ipv4', 'eth0'],
      ['10.0.0.7', 'ipv4', 'Wi-Fi'],
      ['100.64.0.9', 'ipv4', 'tailscale0'],
    ],
  ],
  [
    '::',
    [
      ['192.168.1.5', 'ipv4', 'eth0'],
      ['10.0.0.7', 'ipv4', 'Wi-Fi'],
      ['fd00::5', 'ipv6', 'eth0'],
      ['100.64.0.9', 'ipv4', 'tailscale0'],
    ],
  ],
  ['192.168.1.5', [['192.168.1.5', 'ipv4', 'eth0']]],
  ['fd00::2', [['fd00::2', 'ipv6', '']]],
  ['music.home', [['music.home', 'ipv4', '']]],
])('a phone reaches a server with HOST = %s at %j', (host, expected) => {
  expect(
    phoneAddresses(host, INTERFACES).map(({ address, family, interfaceName }) => [address, family, interfaceName]),
  ).toEqual(expected);
});

it.each([
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['LOCALHOST', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['1270.0.0.1', false],
  ['192.168.1.5', false],
  ['localhost.example', false],
])('%s is only this computer: %s', (host, expected) => {
  expect(isOnlyHere(host)).toBe(expected);
});
