// The mixes of a listener's day stay the same, wherever and whenever they are requested.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TrackId } from '../../server/db/ids.ts';
import type { MixesOut, MixTracksOut } from '../../server/likeness/wire.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { addSoundLibrary, analyzeSoundLibrary } from '../support/sound-library.ts';

const HOUR_MS = 3_600_000;
const NOON = Date.UTC(2026, 5, 1, 12);
let nowMs = NOON;
let dir: string;
let server: TestServer;
let byGenre: TrackId[][];

beforeEach(async () => {
  nowMs = NOON;
  dir = mkdtempSync(join(tmpdir(), 'tonearm-mixes-'));
  server = await startServer({ dir, now: () => new Date(nowMs) });
  byGenre = addSoundLibrary(server.app.db, { artists: 4, albums: 2, tracks: 4 });
  analyzeSoundLibrary(server.app.db, byGenre);
  await server.app.likeness.sounds.refresh();
});
afterEach(async () => {
  await server.close();
  rmSync(dir, { recursive: true });
});

async function restart(): Promise<void> {
  const { token } = server;
  await server.close();
  server = await startServer({ dir, now: () => new Date(nowMs), setUp: false });
  server.token = token;
}

const getBody = async <T>(path: string): Promise<T> => (await server.api<T>(path)).body;
const idsOf = ({ items }: MixTracksOut): number[] => items.map(({ track }) => track.id);

async function mixes(offsetMinutes = 0): Promise<[id: string, tracks: number[]][]> {
  const query = `?utc_offset_minutes=${offsetMinutes}`;
  const { items } = await getBody<MixesOut>(`/mixes${query}`);
  return Promise.all(
    items.map(async ({ id }): Promise<[string, number[]]> => [
      id,
      idsOf(await getBody<MixTracksOut>(`/mixes/${id}${query}`)),
    ]),
  );
}

async function playAt(hour: number): Promise<void> {
  for (const n of Array.from({ length: 12 }).keys()) {
    const played_at = new Date(Date.UTC(2026, 4, 20 + n, hour)).toISOString();
    await server.api('/history', { method: 'POST', body: { track_id: byGenre[2]?.[2 * n], played_at } });
  }
}

test('mixes stay until the day is over in its time zone, wherever they are requested from, and after a restart', async () => {
  const [today, ...simultaneous] = await Promise.all([mixes(), mixes(60), mixes(-60)]);
  expect(today.length).toBeGreaterThan(1);
  expect(simultaneous).toEqual([today, today]);
  for (const offset of [-720, -300, 330, 840]) expect(await mixes(offset), `offset ${offset}`).toEqual(today);
  nowMs = NOON + 11 * HOUR_MS;
  expect(await mixes(-720)).toEqual(today);
  await restart();
  expect(await mixes(600)).toEqual(today);
});

test('mixes change when the day is over in its time zone, even where the date is still the same', async () => {
  const today = await mixes();
  nowMs = NOON + 13 * HOUR_MS;
  const next = await mixes(-720);
  expect(next).not.toEqual(today);
  expect(next[0]?.[1]).not.toEqual(today[0]?.[1]);
  expect(await mixes(0)).toEqual(next);
});

test('mixes depend on the listener and the day', async () => {
  const today = await mixes();
  server.app.db.$client.exec('DELETE FROM daily_mixes');
  expect(await mixes()).toEqual(today);
});

test('excluded artists leave mixes at once and return when allowed again; deleted tracks are left out', async () => {
  const [[mix, ids] = ['', []]] = await mixes();
  const mixNow = async (): Promise<number[]> => idsOf(await getBody<MixTracksOut>(`/mixes/${mix}`));
  await server.api(`/radio/never/tracks/${ids[2]}`, { method: 'PUT' });
  expect(await mixNow()).toEqual(ids.filter((id) => id !== ids[2]));
  await server.api(`/radio/never/tracks/${ids[2]}`, { method: 'DELETE' });
  expect(await mixNow()).toEqual(ids);
  await server.api(`/tracks/${ids[0]}`, { method: 'DELETE' });
  expect(await mixNow()).toEqual(ids.slice(1));
});

test('one mix is for the hour with the most plays, whatever the current hour', async () => {
  await playAt(20);
  const { items } = await getBody<MixesOut>('/mixes?utc_offset_minutes=60');
  expect(items.find(({ kind }) => kind === 'hour')?.subject).toBe('21');
});

test('mixes are deleted with the account', async () => {
  const account = { username: 'guest', password: 'a long enough one' };
  await server.api('/users', { method: 'POST', body: account });
  const { access_token, user } = (
    await server.api<{ access_token: string; user: { id: number } }>('/auth/login', { method: 'POST', body: account })
  ).body;
  await server.api('/mixes', { token: access_token });
  const count = server.app.db.$client
    .prepare<[number], number>('SELECT count(*) FROM daily_mixes WHERE user_id = ?')
    .pluck();
  expect(count.get(user.id)).toBe(1);
  await server.api(`/users/${user.id}`, { method: 'DELETE' });
  expect(count.get(user.id)).toBe(0);
});

test('damaged mixes are made again', async () => {
  const today = await mixes();
  server.app.db.$client.prepare("UPDATE daily_mixes SET mixes = '[{'").run();
  const otherMixes = await mixes();
  expect(otherMixes.length).toBe(today.length);
  expect(await mixes()).toEqual(otherMixes);
});

test('a library that has grown to half as much again has other mixes on the same day', async () => {
  const fewMixes = await mixes();
  addSoundLibrary(server.app.db, { genres: ['House'], artists: 4, albums: 2, tracks: 4 });
  expect(await mixes()).toEqual(fewMixes);
  addSoundLibrary(server.app.db, { genres: ['Jazz', 'Krautrock', 'Latin'], artists: 4, albums: 2, tracks: 4 });
  expect(await mixes()).not.toEqual(fewMixes);
});
