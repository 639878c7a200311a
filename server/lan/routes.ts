// Everybody sees where their phone finds the library; only a superuser lets the network in.
import { route, type Route } from '../http/route.ts';
import type { Sharing } from './sharing.ts';
import { NetworkOut, SharingIn, toNetworkOut } from './wire.ts';

export const networkRoutes = (sharing: Sharing): Route[] => [
  route(
    {
      method: 'get',
      path: '/network',
      access: 'user',
      summary: 'Whether the network may reach this server, and where phones find it',
      reply: NetworkOut,
    },
    () => toNetworkOut(sharing.state()),
  ),

  route(
    {
      method: 'put',
      path: '/network/sharing',
      access: 'superuser',
      summary: 'Let the network in, or send it away at once; 409 where HOST comes from the environment',
      body: SharingIn,
      reply: NetworkOut,
    },
    async ({ body }) => {
      await sharing.share(body.enabled);
      return toNetworkOut(sharing.state());
    },
  ),
];
