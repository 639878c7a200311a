import { expect, it } from 'vitest';
import { userAgentOf } from '../../../server/outbound/user-agent.ts';

it.each([
  [undefined, 'Tonearm/1.2.3'],
  ['me@example.org', 'Tonearm/1.2.3 ( me@example.org )'],
])('the contact %s is sent as %s', (contact, expected) => {
  expect(userAgentOf('1.2.3', contact)).toBe(expected);
});
