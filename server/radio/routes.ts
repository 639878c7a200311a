// REST API of internet radio.
import { z } from 'zod';
import { RadioStationIdIn } from '../db/ids.ts';
import { idParam } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import type { Relay } from './relay.ts';
import type { RadioService } from './service.ts';
import { StationIn, StationList, StationOut, toStationFields, toStationOut } from './wire.ts';

const StationParam = idParam(RadioStationIdIn);

export const radioRoutes = (radio: RadioService, relay: Relay): Route[] => [
  route(
    {
      method: 'get',
      path: '/stations',
      access: 'user',
      summary: 'Internet radio stations by name, with what they play',
      reply: StationList,
    },
    () => radio.list().map((station) => toStationOut(station, relay.titleOf(station.id))),
  ),
  route(
    {
      method: 'post',
      path: '/stations',
      access: 'superuser',
      summary: 'Add a station',
      body: StationIn,
      reply: StationOut,
      status: [201],
    },
    ({ user, body }) => toStationOut(radio.add(user.id, toStationFields(body)), undefined),
  ),
  route(
    {
      method: 'put',
      path: '/stations/:id',
      access: 'superuser',
      summary: 'Change name and addresses of a station',
      params: StationParam,
      body: StationIn,
      reply: StationOut,
    },
    ({ user, params, body }) =>
      toStationOut(radio.update(user.id, params.id, toStationFields(body)), relay.titleOf(params.id)),
  ),
  route(
    { method: 'delete', path: '/stations/:id', access: 'superuser', summary: 'Remove a station', params: StationParam },
    ({ params }) => radio.remove(params.id),
  ),
  route(
    {
      method: 'get',
      path: '/stations/:id/audio',
      access: 'stream',
      summary: 'What a station plays, relayed; with ICY titles for players that ask for them (`Icy-MetaData: 1`)',
      params: StationParam,
      query: z.object({ token: z.string().optional() }),
      produces: ['audio/mpeg', 'audio/aac', 'audio/ogg', 'application/ogg'],
    },
    ({ user, params, req, res, signal }) => relay.send(req, res, radio.get(params.id), user, signal),
  ),
];
