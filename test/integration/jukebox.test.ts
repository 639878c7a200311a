// A Subsonic client controls a window that is offered as a speaker: the window uses REST and events, the client the
// Subsonic API.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JukeboxOut } from '../../server/jukebox/wire.ts';
import { jsonFaults } from '../support/subsonic-schema.ts';
import { openPhone, type Phone, type PhoneParams } from '../support/phone.ts';
import { makeSampleLibrary } from '../support/sample-library.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let phone: Phone;
let time: number;
beforeEach(async () => {
  time = Date.now();
  server = await startServer({ now: () => new Date(time) });
  makeSampleLibrary(server.app.db, { artists: 5, albums: 5, tracks: 20 }, 1);
  phone = await openPhone(server);
});
afterEach(() => server.close());

const speaker = (report?: object, speakerId = 'window-1') =>
  server.api<JukeboxOut>('/jukebox/speaker', {
    method: 'PUT',
    body: { speaker_id: speakerId, name: 'Living room', ...(report && { report }) },
  });
const control = (action: string, params: PhoneParams = {}) =>
  phone.ask<{ currentIndex: number; playing: boolean; gain: number; position: number }>(
    'jukeboxControl',
    { action, ...params },
    'jukeboxStatus',
  );
const getJukebox = async (): Promise<JukeboxOut> => (await server.api<JukeboxOut>('/jukebox')).body;

describe('the jukebox', () => {
  it('is an error until a window offers itself, and when it withdraws or stops reporting', async () => {
    expect((await phone.get('jukeboxControl', { action: 'start' })).body.error?.code).toBe(50);
    await speaker();
    expect(await control('status')).toMatchObject({ currentIndex: -1, playing: false });
    await server.api('/jukebox/speaker/window-1', { method: 'DELETE' });
    expect((await phone.get('jukeboxControl', { action: 'get' })).body.error?.code).toBe(50);
    await speaker();
    time += 60_000;
    expect((await phone.get('jukeboxControl', { action: 'status' })).body.error?.code).toBe(50);
  });

  it('plays what a client adds, and the window gets every step', async () => {
    await speaker();
    const receivedStates: JukeboxOut[] = [];
    const ownAccount = await server.api<{ id: number }>('/users/me');
    const unsubscribe = server.app.events.subscribe(
      { id: ownAccount.body.id as never, isSuperuser: false },
      undefined,
      ({ name, data }) => {
        if (name === 'jukebox') receivedStates.push(JSON.parse(data) as JukeboxOut);
      },
    );
    await control('set', { id: ['tr-1', 'tr-2', 'tr-999'] });
    await control('add', { id: 'tr-3' });
    expect(await control('start')).toMatchObject({ currentIndex: 0, playing: true, position: 0 });
    time += 5_000;
    expect(await control('status')).toMatchObject({ position: 5 });
    expect(await control('skip', { index: 2, offset: 30 })).toMatchObject({
      currentIndex: 2,
      position: 30,
      playing: true,
    });
    expect(await control('setGain', { gain: 0.25 })).toMatchObject({ gain: 0.25 });
    unsubscribe();
    expect(await control('skip', { index: 2, offset: 9e12 })).toMatchObject({ position: 7 * 86_400 });
    expect(
      receivedStates.map(({ version, track_ids, current_index, playing, gain }) => [
        version,
        track_ids.length,
        current_index,
        playing,
        gain,
      ]),
    ).toEqual([
      [1, 2, 0, false, 0.8],
      [2, 3, 0, false, 0.8],
      [3, 3, 0, true, 0.8],
      [4, 3, 2, true, 0.8],
      [5, 3, 2, true, 0.25],
    ]);
  });

  it('accepts a window’s report unless a client changed something meanwhile', async () => {
    await speaker();
    await control('set', { id: ['tr-1', 'tr-2'] });
    const { version } = await getJukebox();
    await speaker({ version, current_index: 1, position_ms: 7_000, playing: true, gain: 0.5 });
    expect(await control('status')).toMatchObject({ currentIndex: 1, position: 7, playing: true, gain: 0.5 });
    await control('stop');
    await speaker({ version, current_index: 0, position_ms: 0, playing: true, gain: 1 });
    expect(await control('status')).toMatchObject({ currentIndex: 1, playing: false, gain: 0.5 });
  });

  it('keeps its position while songs are added and removed', async () => {
    await speaker();
    await control('set', { id: ['tr-1', 'tr-2', 'tr-3', 'tr-4'] });
    await control('skip', { index: 2 });
    expect(await control('remove', { index: 0 })).toMatchObject({ currentIndex: 1, playing: true });
    expect(await control('shuffle')).toMatchObject({ currentIndex: 0, playing: true });
    const { track_ids } = await getJukebox();
    expect([track_ids[0], track_ids.toSorted((a, b) => a - b)]).toEqual([3, [2, 3, 4]]);
    expect(await control('clear')).toMatchObject({ currentIndex: -1, playing: false });
    for (const [action, params] of [
      ['remove', {}],
      ['skip', {}],
      ['setGain', {}],
    ] as const)
      expect((await phone.get('jukeboxControl', { action, ...params })).body.error?.code, action).toBe(10);
    expect((await phone.get('jukeboxControl', { action: 'explode' })).body.error?.code).toBe(0);
  });

  it('answers as documented, and belongs to one user', async () => {
    await speaker();
    await control('set', { id: ['tr-1', 'tr-2'] });
    for (const action of ['get', 'status', 'start']) {
      const { text } = await phone.get('jukeboxControl', { action });
      expect(jsonFaults('jukeboxControl', JSON.parse(text)), action).toEqual([]);
    }
    const otherPhone = await openPhone(server, { token: await registerUser(server) });
    expect((await otherPhone.get('jukeboxControl', { action: 'stop' })).body.error?.code).toBe(50);
    expect((await getJukebox()).playing).toBe(true);
  });

  it('moves to the window that offers itself last', async () => {
    await speaker();
    await speaker(undefined, 'window-2');
    expect((await getJukebox()).speaker).toEqual({ id: 'window-2', name: 'Living room' });
    await server.api('/jukebox/speaker/window-1', { method: 'DELETE' });
    expect((await getJukebox()).speaker?.id).toBe('window-2');
  });
});
