// REST API of scrobbling. Users see and change only their own accounts.
import type { UserId } from '../db/ids.ts';
import { route, type Route } from '../http/route.ts';
import type { ScrobbleAccounts } from './accounts.ts';
import type { ScrobblerName } from './scrobblers.ts';
import { ScrobblerQuery, ScrobblingIn, ScrobblingList, ScrobblingOut, SignInOut, toScrobblingOut } from './wire.ts';

interface ScrobblingRouteDeps {
  accounts: ScrobbleAccounts;
  syncLoves: (userId: UserId, service: ScrobblerName) => Promise<void>;
}

export const scrobblingRoutes = ({ accounts, syncLoves }: ScrobblingRouteDeps): Route[] => [
  route(
    {
      method: 'get',
      path: '/users/me/scrobbling/services',
      access: 'user',
      summary: 'The scrobbling services, and your account at each',
      reply: ScrobblingList,
    },
    ({ user }) => accounts.statuses(user.id).map(toScrobblingOut),
  ),

  route(
    {
      method: 'get',
      path: '/users/me/scrobbling',
      access: 'user',
      summary: 'Whether your plays are sent to a service, and the state of the queue',
      query: ScrobblerQuery,
      reply: ScrobblingOut,
    },
    ({ user, query }) => toScrobblingOut(accounts.status(user.id, query.service)),
  ),

  route(
    {
      method: 'post',
      path: '/users/me/scrobbling/sign-in',
      access: 'user',
      summary: 'Start signing in to a service with a page for it (Last.fm, Libre.fm)',
      query: ScrobblerQuery,
      reply: SignInOut,
      secret: true,
    },
    ({ query }) => accounts.startSignIn(query.service),
  ),

  route(
    {
      method: 'put',
      path: '/users/me/scrobbling',
      access: 'user',
      summary: 'Start sending your plays to a service; 422 for a token that it does not accept',
      query: ScrobblerQuery,
      body: ScrobblingIn,
      strict: true,
      reply: ScrobblingOut,
    },
    async ({ user, query, body: { token, url, sync_loves: syncing } }) =>
      toScrobblingOut(await accounts.connect(user.id, query.service, { token, url, syncLoves: syncing })),
  ),

  route(
    {
      method: 'post',
      path: '/users/me/scrobbling/loves',
      access: 'user',
      summary: 'Compare your liked tracks with the loved songs at a service now',
      query: ScrobblerQuery,
    },
    ({ user, query }) => syncLoves(user.id, query.service),
  ),

  route(
    {
      method: 'delete',
      path: '/users/me/scrobbling',
      access: 'user',
      summary: 'Stop scrobbling to a service and delete the token',
      query: ScrobblerQuery,
    },
    ({ user, query }) => accounts.disconnect(user.id, query.service),
  ),
];
