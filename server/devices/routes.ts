// REST API of the devices of an account. A device is registered by its event stream, `GET /events?device_id=…`, and
// then reports what it plays; commands from one device to another are sent as events.
import { route, type Route } from '../http/route.ts';
import type { UserId } from '../db/ids.ts';
import type { DeviceRegistry } from './registry.ts';
import {
  DeviceCommandIn,
  DeviceIn,
  DeviceList,
  DeviceParam,
  HandOverIn,
  HandOverOut,
  toDeviceOut,
  toHandOver,
  toHandOverOut,
  type DeviceCommandEvent,
} from './wire.ts';

interface DeviceRoutesDeps {
  registry: DeviceRegistry;
  send: (userId: UserId, command: DeviceCommandEvent) => void;
}

export const deviceRoutes = ({ registry, send }: DeviceRoutesDeps): Route[] => [
  route(
    {
      method: 'get',
      path: '/devices',
      access: 'user',
      summary: 'Your open windows and devices, and what they play',
      reply: DeviceList,
    },
    ({ user }) => ({ items: registry.list(user.id).map(toDeviceOut) }),
  ),

  route(
    {
      method: 'put',
      path: '/devices/:device_id',
      access: 'user',
      summary: 'Report what this device plays; it exists while its event stream is open',
      params: DeviceParam,
      body: DeviceIn,
      problems: ['too_many_requests'],
    },
    ({ user, params, body }) =>
      registry.report(user.id, params.device_id, {
        name: body.name,
        trackId: body.track_id,
        positionMs: body.position_ms,
        isPlaying: body.playing,
        volume: body.volume,
        isMuted: body.muted,
      }),
  ),

  route(
    {
      method: 'post',
      path: '/devices/:device_id/commands',
      access: 'user',
      summary: 'Send a command to another device of yours',
      params: DeviceParam,
      body: DeviceCommandIn,
      problems: ['too_many_requests'],
    },
    ({ user, params, body }) => {
      registry.assertReachable(user.id, params.device_id, body.from);
      send(user.id, { to: params.device_id, ...body });
    },
  ),

  route(
    {
      method: 'put',
      path: '/devices/:device_id/hand-over',
      access: 'user',
      summary: 'Hand a queue over to another device of yours',
      params: DeviceParam,
      body: HandOverIn,
      longLists: ['track_ids'],
      problems: ['too_many_requests'],
    },
    async ({ user, params, body }) => {
      registry.assertReachable(user.id, params.device_id, body.from);
      await registry.handOver(user.id, params.device_id, toHandOver(body));
      send(user.id, { to: params.device_id, from: body.from, kind: 'take', hand_over: body.id });
    },
  ),

  route(
    {
      method: 'get',
      path: '/devices/:device_id/hand-over',
      access: 'user',
      summary: 'The queue that another device has handed over to this one',
      params: DeviceParam,
      reply: HandOverOut,
    },
    ({ user, params }) => toHandOverOut(registry.waitingHandOver(user.id, params.device_id)),
  ),
];
