// The devices of an account, which exist while their event streams are open: what they play, commands, hand-overs.
import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeviceCommandEvent, DeviceOut, HandOverOut } from '../../server/devices/wire.ts';
import { makeSampleLibrary } from '../support/sample-library.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const [DESK, KITCHEN, STRANGER] = ['desk-0001', 'kitchen-0001', 'stranger-0001'];

let server: TestServer;
let streams: IncomingMessage[];
let time: number;
beforeEach(async () => {
  time = Date.now();
  streams = [];
  server = await startServer({ now: () => new Date(time) });
  makeSampleLibrary(server.app.db, { artists: 5, albums: 5, tracks: 20 }, 1);
});
afterEach(async () => {
  streams.forEach((stream) => stream.destroy());
  await server.close();
});

interface Stream {
  /** The names and data of the events that arrived. */
  events: { name: string; data: unknown }[];
  close: () => void;
}

async function openStream(deviceId: string, token = server.token): Promise<Stream> {
  const { body } = await server.api<{ token: string }>('/auth/media-token', {
    method: 'POST',
    body: { scope: 'events' },
    token,
  });
  const request = get(`${server.url}/api/v1/events?device_id=${deviceId}&token=${body.token}`);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  streams.push(response);
  const events: Stream['events'] = [];
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const messages = (text + chunk).split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const [, name, data] = /event: (\w+)\ndata: (.*)$/.exec(message) ?? [];
      if (name !== undefined && data !== undefined) events.push({ name, data: JSON.parse(data) });
    }
  });
  response.on('error', () => undefined);
  return { events, close: () => response.destroy() };
}

const STATE = { track_id: null, position_ms: 0, playing: false, volume: 0.8, muted: false };
const report = (id: string, state: object = {}, token = server.token) =>
  server.api(`/devices/${id}`, { method: 'PUT', body: { name: `Name of ${id}`, ...STATE, ...state }, token });
const command = (to: string, body: object, token = server.token) =>
  server.api(`/devices/${to}/commands`, { method: 'POST', body, token });
const listDevices = async (token = server.token): Promise<DeviceOut[]> =>
  (await server.api<{ items: DeviceOut[] }>('/devices', { token })).body.items;
const HAND_OVER = {
  id: 'hand-over-1',
  from: DESK,
  track_ids: [3, 999, 4, 5],
  current_index: 2,
  position_ms: 5_000,
  playing: true,
  shuffle: true,
  repeat: 'all',
  listening: { play_id: 'one', started_at: '2026-01-02T03:04:05.000Z', heard_ms: 4_000, reported_ms: null },
  context: '{"from":"An album"}',
};
const handOver = (to: string, body: object = {}, token = server.token) =>
  server.api(`/devices/${to}/hand-over`, { method: 'PUT', body: { ...HAND_OVER, ...body }, token });
const commandsIn = ({ events }: Stream): DeviceCommandEvent[] =>
  events.filter(({ name }) => name === 'device_command').map(({ data }) => data as DeviceCommandEvent);

describe('devices', () => {
  it('exist while their event stream is open', async () => {
    expect((await report(DESK)).status).toBe(404);
    const desk = await openStream(DESK);
    expect(await listDevices()).toEqual([]);
    expect((await report(DESK, { track_id: 3, position_ms: 1_000, playing: true })).status).toBe(204);
    expect(await listDevices()).toMatchObject([
      { id: DESK, name: `Name of ${DESK}`, track: { id: 3 }, position_ms: 1_000, playing: true, volume: 0.8 },
    ]);
    desk.close();
    await until(listDevices, (devices) => devices.length === 0);
  });

  it('tell each other what changes, but a single device tells nobody', async () => {
    const desk = await openStream(DESK);
    await report(DESK);
    await report(DESK, { volume: 0.3 });
    expect(desk.events).toEqual([]);
    const kitchen = await openStream(KITCHEN);
    await report(KITCHEN);
    await until(
      () => desk.events.length,
      (count) => count > 0,
    );
    const previousCount = desk.events.length;
    kitchen.close();
    await until(
      () => desk.events.length,
      (count) => count > previousCount,
    );
    expect(desk.events.filter(({ name }) => name !== 'devices')).toEqual([]);
  });

  it('that play and fall silent without closing their stream are gone after 45 s', async () => {
    await openStream(DESK);
    await report(DESK, { track_id: 3, playing: true });
    time += 46_000;
    expect(await listDevices()).toEqual([]);
    await report(DESK, { track_id: 3, playing: false });
    time += 3_600_000;
    expect(await listDevices()).toHaveLength(1);
  });

  it('hand a queue over, with the place that it has reached, without tracks that are gone', async () => {
    const [, kitchen] = [await openStream(DESK), await openStream(KITCHEN)];
    await report(DESK, { track_id: 5, playing: true });
    await report(KITCHEN);
    expect((await server.api(`/devices/${KITCHEN}/hand-over`)).status).toBe(404);
    expect((await handOver(KITCHEN)).status).toBe(204);
    await until(
      () => commandsIn(kitchen),
      (commands) => commands.length === 1,
    );
    expect(commandsIn(kitchen)).toEqual([{ to: KITCHEN, from: DESK, kind: 'take', hand_over: HAND_OVER.id }]);
    time += 1_500;
    const { body } = await server.api<HandOverOut>(`/devices/${KITCHEN}/hand-over`);
    expect(body.tracks.map(({ id }) => id)).toEqual([3, 4, 5]);
    expect(body).toMatchObject({
      from: DESK,
      current_index: 1,
      position_ms: 6_500,
      shuffle: true,
      repeat: 'all',
      listening: HAND_OVER.listening,
      context: HAND_OVER.context,
    });
  });

  it('get commands once: nobody who connects later hears them', async () => {
    const desk = await openStream(DESK);
    const kitchen = await openStream(KITCHEN);
    await report(DESK);
    await report(KITCHEN);
    const { status } = await command(KITCHEN, { kind: 'volume', from: DESK, volume: 0.25 });
    expect(status).toBe(204);
    await until(
      () => commandsIn(desk).length + commandsIn(kitchen).length,
      (count) => count === 2,
    );
    expect(commandsIn(kitchen)).toEqual([{ to: KITCHEN, from: DESK, kind: 'volume', volume: 0.25 }]);
    const late = await openStream(`${KITCHEN}-again`);
    await report(`${KITCHEN}-again`);
    await until(
      () => late.events.length,
      (count) => count > 0,
    );
    expect(commandsIn(late)).toEqual([]);
    kitchen.close();
    await until(listDevices, (devices) => devices.length === 2);
    expect((await command(KITCHEN, { kind: 'pause', from: DESK })).status).toBe(404);
  });

  it('of somebody else are neither seen nor controlled, also by an administrator', async () => {
    const listener = await registerUser(server, 'listener');
    const kitchen = await openStream(KITCHEN, listener);
    await openStream(DESK);
    await openStream(STRANGER);
    await report(KITCHEN, { track_id: 3, playing: true }, listener);
    await report(DESK);
    await report(STRANGER);
    expect((await listDevices()).map(({ id }) => id)).toEqual([DESK, STRANGER]);
    expect((await listDevices(listener)).map(({ id }) => id)).toEqual([KITCHEN]);
    expect((await report(KITCHEN)).status).toBe(404);
    for (const kind of ['play', 'pause', 'give'])
      expect((await command(KITCHEN, { kind, from: DESK })).status).toBe(404);
    // the command comes from a device of somebody else
    expect((await command(DESK, { kind: 'give', from: KITCHEN })).status).toBe(404);
    expect((await handOver(KITCHEN)).status).toBe(404);
    expect((await server.api(`/devices/${KITCHEN}/hand-over`)).status).toBe(404);
    await command(DESK, { kind: 'pause', from: STRANGER });
    expect(kitchen.events).toEqual([]);
    expect((await listDevices(listener))[0]).toMatchObject({ playing: true, track: { id: 3 } });
  });

  it('are not believed: names, numbers, ids and sizes have limits', async () => {
    await openStream(DESK);
    await openStream(KITCHEN);
    await report(KITCHEN);
    expect((await report(DESK, { name: ' ' })).status).toBe(422);
    expect((await report(DESK, { name: 'x'.repeat(61) })).status).toBe(422);
    expect((await report(DESK, { volume: 1.1 })).status).toBe(422);
    expect((await report(DESK, { position_ms: -1 })).status).toBe(422);
    expect((await report('x')).status).toBe(422);
    expect((await report(`${DESK}%0Aevent`)).status).toBe(422);
    expect((await report(DESK, { track_id: 999, playing: true })).status).toBe(204);
    expect((await listDevices())[0]).toMatchObject({ track: null });
    expect((await command(KITCHEN, { kind: 'explode', from: DESK })).status).toBe(422);
    expect((await command(KITCHEN, { kind: 'rename', from: DESK, name: 'x'.repeat(61) })).status).toBe(422);
    expect((await handOver(KITCHEN, { track_ids: [] })).status).toBe(422);
    expect((await handOver(KITCHEN, { track_ids: Array.from({ length: 2_001 }, () => 3) })).status).toBe(422);
    expect((await handOver(KITCHEN, { context: 'x'.repeat(50_001) })).status).toBe(422);
    expect((await handOver(KITCHEN, { track_ids: [999], current_index: 7 })).status).toBe(204);
    expect((await server.api<HandOverOut>(`/devices/${KITCHEN}/hand-over`)).body.tracks).toEqual([]);
  });

  it('cannot flood the others', async () => {
    await openStream(DESK);
    const kitchen = await openStream(KITCHEN);
    await report(DESK);
    await report(KITCHEN);
    const statuses: number[] = [];
    for (let sent = 0; sent < 220; sent++)
      statuses.push((await command(KITCHEN, { kind: 'volume', from: DESK, volume: 1 })).status);
    expect(statuses.filter((status) => status === 204).length).toBe(198);
    expect(statuses.at(-1)).toBe(429);
    expect((await report(DESK)).status).toBe(429);
    await until(
      () => commandsIn(kitchen).length,
      (count) => count === 198,
    );
    time += 11_000;
    expect((await report(DESK)).status).toBe(204);
  });
});
