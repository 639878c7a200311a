// The state of sharing on the wire.
import { z } from 'zod';
import { event } from '../events/event.ts';
import type { NetworkState } from './sharing.ts';

export const SharingIn = z.strictObject({ enabled: z.boolean() });

export const networkEvent = event(
  'network',
  z.object({ shared: z.boolean() }),
  'Other devices may reach this server from now on, or not any more; to superusers.',
);

export const NetworkOut = z
  .object({
    shared: z.boolean().meta({ description: 'whether other devices on the network may reach this server' }),
    locked_because: z.string().nullable().meta({ description: 'why the switch cannot be used; null when it can' }),
    problem: z.string().nullable().meta({ description: 'why nobody can reach the server although it is shared' }),
    port: z.int(),
    addresses: z
      .array(
        z.object({
          url: z.string(),
          address: z.string(),
          family: z.enum(['ipv4', 'ipv6']),
          interface: z.string().meta({ description: 'as the system calls it; empty when it is not known' }),
        }),
      )
      .meta({ description: 'for phones, the likeliest first; none while it is not shared' }),
    name: z
      .object({
        url: z.string().meta({ description: 'works where multicast DNS does, also after the address has changed' }),
        problem: z.string().nullable(),
      })
      .nullable()
      .meta({ description: 'what the network is told; null while it is not shared' }),
    registration_open: z.boolean().meta({ description: 'whoever reaches the server can make an account' }),
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
