// Shapes of the network access API.
import { z } from 'zod';
import { event } from '../events/event.ts';
import type { NetworkState } from './network-access.ts';

export const SharingIn = z.strictObject({ enabled: z.boolean() });

export const networkEvent = event(
  'network',
  z.object({ shared: z.boolean() }),
  'Access from the network was switched on or off. Only sent to superusers.',
);

export const NetworkOut = z
  .object({
    shared: z.boolean().meta({ description: 'whether other devices on the network can reach this server' }),
    locked_because: z.string().nullable().meta({ description: 'why the switch cannot be used; null if it can' }),
    problem: z.string().nullable().meta({ description: 'why the server cannot be reached although it is shared' }),
    port: z.int(),
    addresses: z
      .array(
        z.object({
          url: z.string(),
          address: z.string(),
          family: z.enum(['ipv4', 'ipv6']),
          interface: z.string().meta({ description: 'the system’s name of the interface; empty if unknown' }),
        }),
      )
      .meta({ description: 'addresses for phones, most likely first; empty while not shared' }),
    name: z
      .object({
        url: z.string().meta({ description: 'requires multicast DNS; stays valid when the address changes' }),
        problem: z.string().nullable(),
      })
      .nullable()
      .meta({ description: 'the multicast DNS announcement; null while not shared' }),
    registration_open: z.boolean().meta({ description: 'whether anybody who reaches it can create an account' }),
  })
  .meta({ id: 'NetworkOut' });
export type NetworkOut = z.output<typeof NetworkOut>;

export const toNetworkOut = ({
  isShared,
  lockedBecause,
  problem,
  port,
  addresses,
  name,
  isRegistrationOpen,
}: NetworkState): NetworkOut => ({
  shared: isShared,
  locked_because: lockedBecause ?? null,
  problem: problem ?? null,
  port,
  addresses: addresses.map(({ url, address, family, interfaceName }) => ({
    url,
    address,
    family,
    interface: interfaceName,
  })),
  name: name ? { url: name.url, problem: name.problem ?? null } : null,
  registration_open: isRegistrationOpen,
});
