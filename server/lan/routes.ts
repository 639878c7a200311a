// REST API of network access. All users see the addresses at which phones reach the server; superusers switch access on
// and off.
import { route, type Route } from '../http/route.ts';
import type { NetworkAccess } from './network-access.ts';
import { NetworkOut, SharingIn, toNetworkOut } from './wire.ts';

export const networkRoutes = (network: NetworkAccess): Route[] => [
  route(
    {
      method: 'get',
      path: '/network',
      access: 'user',
      summary: 'Whether the network can reach this server, and at which addresses',
      reply: NetworkOut,
    },
    () => toNetworkOut(network.state()),
  ),

  route(
    {
      method: 'put',
      path: '/network/sharing',
      access: 'superuser',
      summary: 'Allow or deny access from the network; 409 if HOST is set in the environment',
      body: SharingIn,
      strict: true,
      reply: NetworkOut,
    },
    async ({ body }) => {
      await network.share(body.enabled);
      return toNetworkOut(network.state());
    },
  ),
];
