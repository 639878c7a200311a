// Scrobbling to several services: signing in to each, their rules and errors, loves in both directions, and a week
// without network, after which nothing is lost or sent twice.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSealer } from '../../server/config/sealed-text.ts';
import type { UserId } from '../../server/db/ids.ts';
import type { ScrobblingOut } from '../../server/scrobbling/wire.ts';
import { LASTFM_KEYS, startAudioscrobbler, type FakeAudioscrobbler } from '../fakes/audioscrobbler.ts';
import { startListenBrainz } from '../fakes/listenbrainz.ts';
import { startMaloja } from '../fakes/maloja.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { spawnServer } from '../support/process.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const START_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
let lastfm: FakeAudioscrobbler;
let server: TestServer;
let clock: number;
let tracks: ReturnType<typeof trackMaker>;

beforeEach(async () => {
  clock = START_MS;
  lastfm = await startAudioscrobbler({ secret: LASTFM_KEYS.LASTFM_API_SECRET });
  server = await start();
  tracks = trackMaker(server.app);
});
afterEach(async () => {
  await server.close();
  await lastfm.close();
});

const start = (env: Record<string, string> = {}, dir?: string): Promise<TestServer> =>
  startServer({
    env: { ...LASTFM_KEYS, LASTFM_BASE_URL: lastfm.url, ...env },
    now: () => new Date(clock),
    ...(dir !== undefined && { dir }),
  });
async function restart(env: Record<string, string>): Promise<void> {
  const { dir } = server;
  await server.app.close();
  server = await start(env, dir);
  tracks = trackMaker(server.app);
}
const putCredentials = (service: string, body: object, token = server.token) =>
  server.api<ScrobblingOut>(`/users/me/scrobbling?service=${service}`, { method: 'PUT', body, token });
const status = async (service: string): Promise<ScrobblingOut> =>
  (await server.api<ScrobblingOut>(`/users/me/scrobbling?service=${service}`)).body;
async function signIn(service = 'lastfm', fake = lastfm, extraCredentials = {}): Promise<ScrobblingOut> {
  const { body } = await server.api<{ token: string; url: string }>(`/users/me/scrobbling/sign-in?service=${service}`, {
    method: 'POST',
  });
  fake.allow(body.token);
  const connectResponse = await putCredentials(service, { token: body.token, ...extraCredentials });
  expect(connectResponse.status).toBe(200);
  await server.app.drain();
  return connectResponse.body;
}
const play = (track_id: number, playedAt = clock, extraFields = {}) =>
  server.api('/history', {
    method: 'POST',
    body: { track_id, played_at: new Date(playedAt).toISOString(), ...extraFields },
  });
const like = (item_id: number, liked = true) =>
  server.api('/likes', { method: 'POST', body: { item_type: 'track', item_id, liked } });
const waitTwoHours = async (): Promise<void> => {
  clock += 2 * HOUR_MS;
  await server.app.drain();
};
const names = (fake = lastfm): string[] => fake.scrobbles.map(({ track }) => track);

describe('an account', () => {
  test('of Last.fm needs permission on its page, and the session key is stored encrypted', async () => {
    const { body } = await server.api<{ token: string; url: string }>('/users/me/scrobbling/sign-in?service=lastfm', {
      method: 'POST',
    });
    expect(body.url).toBe(`${lastfm.url}/api/auth/?api_key=${'k'.repeat(32)}&token=${body.token}`);
    expect((await putCredentials('lastfm', { token: body.token })).status).toBe(422);
    lastfm.allow(body.token);
    expect((await putCredentials('lastfm', { token: body.token })).body).toMatchObject({
      connected: true,
      username: 'ann_fm',
    });
    const row = server.app.db.$client.prepare('SELECT CAST(token AS TEXT) AS t FROM scrobble_accounts').get();
    expect(JSON.stringify(row)).not.toContain('session-key');
    expect((await server.api('/users/me/scrobbling/services')).text).not.toContain('session-key');
  });

  test('of Last.fm is only offered with the key of the owner', async () => {
    await restart({ LASTFM_API_SECRET: '' });
    const services = await server.api<ScrobblingOut[]>('/users/me/scrobbling/services');
    expect(services.body.map(({ service, enabled }) => [service, enabled])).toEqual([
      ['lastfm', false],
      ['librefm', true],
      ['listenbrainz', true],
      ['maloja', true],
    ]);
    expect((await server.api('/users/me/scrobbling/sign-in?service=lastfm', { method: 'POST' })).status).toBe(409);
  });

  test('whose key was sealed before keys belonged to an address goes on, and the key is sealed for its address', async () => {
    const maloja = await startMaloja();
    try {
      await putCredentials('maloja', { token: 'good-key', url: maloja.url });
      const client = server.app.db.$client;
      const secrets = JSON.parse(readFileSync(join(server.dir, 'secrets.json'), 'utf8')) as Record<string, string>;
      const sealer = createSealer(String(secrets['COMPAT_SECRET_KEY']), 'tonearm scrobbling token v1');
      const { sealed, salt } = sealer.seal(1 as UserId, 'good-key');
      client.prepare('UPDATE scrobble_accounts SET token = ?, token_salt = ?').run(sealed, salt);
      await restart({});
      const row = server.app.db.$client
        .prepare<[], { token: Buffer; salt: Buffer }>('SELECT token, token_salt AS salt FROM scrobble_accounts')
        .get() as { token: Buffer; salt: Buffer };
      expect(sealer.open(1 as UserId, { sealed: row.token, salt: row.salt })).toBeUndefined();
      await play(tracks.add({ title: 'Sealed' }));
      await server.app.drain();
      expect([...maloja.scrobbles.values()]).toMatchObject([{ title: 'Sealed' }]);
    } finally {
      await maloja.close();
    }
  });

  test('of Maloja is on a server of the user, in a private network only for administrators', async () => {
    const maloja = await startMaloja();
    try {
      const listener = await registerUser(server);
      expect((await putCredentials('maloja', { token: 'good-key', url: maloja.url }, listener)).status).toBe(503);
      expect(maloja.state.requests).toBe(0);
      expect((await putCredentials('maloja', { token: 'bad-key', url: maloja.url })).status).toBe(422);
      expect((await putCredentials('maloja', { token: 'good-key' })).status).toBe(422);
      expect((await putCredentials('maloja', { token: 'good-key', url: maloja.url })).body).toMatchObject({
        connected: true,
      });
      await play(tracks.add({ title: 'A' }));
      await play(tracks.add({ title: 'B' })); // this track is played at the same time
      await server.app.drain();
      expect([...maloja.scrobbles.values()]).toMatchObject([
        { artist: 'The Quays', title: 'A', time: START_MS / 1_000 },
        { title: 'B', time: START_MS / 1_000 + 1 },
      ]);
    } finally {
      await maloja.close();
    }
  });
});

describe('plays', () => {
  test('are sent signed, in batches of 50, but none of 30 seconds or less', async () => {
    await signIn();
    const id = tracks.add({ title: 'A', recordingMbid: '5f0f6a3c-1111-4222-8333-444455556666' });
    const items = Array.from({ length: 120 }, (_, n) => ({
      track_id: id,
      played_at: new Date(START_MS - (120 - n) * 200_000).toISOString(),
    }));
    await server.api('/history', { method: 'POST', body: { items } });
    await play(tracks.add({ title: 'Short' }, { durationMs: 30_000 }));
    await play(tracks.add({ title: 'Not so short' }, { durationMs: 30_500 }));
    await server.app.drain();
    expect(names()).toEqual([...Array.from({ length: 120 }, () => 'A'), 'Not so short']);
    // the last play may be sent with the rest of the others, or after them
    expect([3, 4]).toContain(lastfm.methods.filter((method) => method === 'track.scrobble').length);
    expect(lastfm.scrobbles[0]).toEqual({
      artist: 'The Quays',
      track: 'A',
      album: 'Harbour',
      duration: '200',
      mbid: '5f0f6a3c-1111-4222-8333-444455556666',
      timestamp: (START_MS - 120 * 200_000) / 1_000,
    });
  });

  test('meet errors that pass, that end the sign-in, and that no retry can change', async () => {
    await signIn();
    for (const fault of [
      { code: 11 },
      { code: 16, status: 500 },
      { code: 8 },
      { code: 26 },
      { body: '<html>', status: 200 },
    ])
      lastfm.next.push(fault);
    await play(tracks.add({ title: 'A' }));
    await server.app.drain();
    for (let attempt = 0; attempt < 6; attempt++) await waitTwoHours();
    expect([names(), await status('lastfm')]).toMatchObject([['A'], { queued: 0, problem: null }]);

    lastfm.ignored.set('Ignored', 1).set('Limited', 5);
    const items = ['Ignored', 'Limited', 'B'].map((title) => ({ track_id: tracks.add({ title }) }));
    await server.api('/history', { method: 'POST', body: { items } });
    await server.app.drain();
    expect([names(), await status('lastfm')]).toMatchObject([['A', 'B'], { queued: 1, refused: 1 }]);
    lastfm.ignored.clear();
    await waitTwoHours();
    expect(names()).toEqual(['A', 'B', 'Limited']);

    lastfm.sessions.clear();
    await play(tracks.add({ title: 'C' }));
    await server.app.drain();
    expect(await status('lastfm')).toMatchObject({
      stopped: true,
      queued: 1,
      problem: expect.stringContaining('Sign in again; until then, plays stay queued.'),
    });
    lastfm.sessions.set('session-key', 'ann_fm');
    await signIn();
    expect([names(), await status('lastfm')]).toMatchObject([
      ['A', 'B', 'Limited', 'C'],
      { stopped: false, queued: 0 },
    ]);
  });

  test('that two players report are sent once, to each service', async () => {
    const librefm = await startAudioscrobbler();
    await restart({ LIBREFM_BASE_URL: librefm.url });
    try {
      await signIn();
      await signIn('librefm', librefm);
      const id = tracks.add({ title: 'A' });
      await play(id, START_MS, { client: 'browser' });
      await play(id, START_MS, { client: 'phone' });
      await play(id, START_MS + 500, { client: 'phone' });
      await server.app.drain();
      expect([names(), names(librefm)]).toEqual([['A'], ['A']]);
    } finally {
      await librefm.close();
    }
  });
});

test('now playing goes to the service', async () => {
  await signIn();
  await server.api('/history/now-playing', { method: 'POST', body: { track_id: tracks.add({ title: 'A' }) } });
  expect(await until(() => lastfm.playing[0])).toBe('A');
});

describe('loves', () => {
  test('go both ways, and so do their removals', async () => {
    const add = (title: string): number => tracks.add({ title });
    const [a, b, c, d] = [add('A'), add('B'), add('C'), add('D')];
    await like(a);
    lastfm.love('THE QUAYS', 'b');
    lastfm.love('Unknown', 'Song');
    await signIn('lastfm', lastfm, { sync_loves: true });
    const liked = async (): Promise<boolean[]> => {
      const query = [a, b, c, d].map((id) => `item_id=${id}`).join('&');
      const { body } = await server.api<{ liked: boolean }[]>(`/likes/state?item_type=track&${query}`);
      return body.map((state) => state.liked);
    };
    const listLoved = (): string[] => [...lastfm.loved.values()].map(({ track }) => track).sort();
    expect([await liked(), listLoved()]).toEqual([
      [true, true, false, false],
      ['A', 'Song', 'b'],
    ]);

    await like(c);
    await like(b, false);
    await waitTwoHours();
    expect([await liked(), listLoved()]).toEqual([
      [true, false, true, false],
      ['A', 'C', 'Song'],
    ]);

    lastfm.unlove('The Quays', 'A');
    lastfm.love('The Quays', 'D');
    expect((await server.api('/users/me/scrobbling/loves?service=lastfm', { method: 'POST' })).status).toBe(204);
    await server.app.drain();
    expect([await liked(), listLoved()]).toEqual([
      [false, false, true, true],
      ['C', 'D', 'Song'],
    ]);

    lastfm.next.push({ body: '<html>', status: 200 }); // an error of the service removes no like
    await server.api('/users/me/scrobbling/loves?service=lastfm', { method: 'POST' });
    await server.app.drain();
    expect(await liked()).toEqual([false, false, true, true]);
  });

  test('of ListenBrainz are recordings', async () => {
    const listenbrainz = await startListenBrainz();
    await restart({ LISTENBRAINZ_BASE_URL: listenbrainz.url });
    try {
      const mbid = '5f0f6a3c-1111-4222-8333-444455556666';
      await like(tracks.add({ title: 'A', recordingMbid: mbid }));
      await like(tracks.add({ title: 'Without' }));
      await putCredentials('listenbrainz', { token: 'good-token', sync_loves: true });
      await server.app.drain();
      expect([...listenbrainz.loved.keys()]).toEqual([mbid]);
      expect(await status('listenbrainz')).toMatchObject({ problem: null, loves_synced_at: expect.any(String) });
    } finally {
      await listenbrainz.close();
    }
  });

  test('stay apart for an account that does not ask for it', async () => {
    await like(tracks.add({ title: 'A' }));
    expect(await signIn()).toMatchObject({ sync_loves: false });
    expect(lastfm.loved.size).toBe(0);
  });
});

describe('plays with which a service always fails', () => {
  const BROKEN_TITLES = Array.from({ length: 12 }, (_, n) => `Broken ${n}`);
  const GOOD_TITLES = Array.from({ length: 70 }, (_, n) => `Song ${n}`);

  test('let the others pass, are named, and in the end set aside', async () => {
    const [listenbrainz, maloja] = await Promise.all([startListenBrainz(), startMaloja()]);
    await restart({ LISTENBRAINZ_BASE_URL: listenbrainz.url });
    try {
      await signIn();
      await putCredentials('listenbrainz', { token: 'good-token' });
      await putCredentials('maloja', { token: 'good-key', url: maloja.url });
      for (const { brokenTitles } of [lastfm, listenbrainz, maloja.state])
        for (const title of BROKEN_TITLES) brokenTitles.add(title);
      // a batch of broken titles comes first, and one is among the good ones
      const titles = [...BROKEN_TITLES.slice(1), ...GOOD_TITLES.slice(0, 40), 'Broken 0', ...GOOD_TITLES.slice(40)];
      const items = titles.map((title, n) => ({
        track_id: tracks.add({ title }),
        played_at: new Date(START_MS - (100 - n) * 200_000).toISOString(),
      }));
      await server.api('/history', { method: 'POST', body: { items } });
      const listAcceptedTitles = () => [
        names(),
        listenbrainz.listens().map(({ track_metadata: { track_name: title } }) => title),
        [...maloja.scrobbles.values()].map(({ title }) => title),
      ];
      const services = ['lastfm', 'listenbrainz', 'maloja'];
      await server.app.drain();
      await waitTwoHours(); // after too many failures in a row a play is tried later, after the others
      expect(listAcceptedTitles().map((serviceTitles) => serviceTitles.toSorted())).toEqual(
        services.map(() => GOOD_TITLES.toSorted()),
      );
      for (const service of services)
        expect(await status(service)).toMatchObject({ queued: 12, problem: expect.stringContaining('“Broken') });
      for (let n = 0; n < 5; n++) {
        clock += HOUR_MS;
        await play(tracks.add({ title: `Later ${n}` }));
        await waitTwoHours();
      }
      for (const service of services) {
        const { queued, refused, refusals, submitted } = await status(service);
        expect({ queued, refused, submitted }).toEqual({ queued: 0, refused: 12, submitted: 75 });
        expect(refusals.map(({ title }) => title).toSorted()).toEqual(BROKEN_TITLES.toSorted());
      }
      expect(listAcceptedTitles().map((serviceTitles) => serviceTitles.length)).toEqual([75, 75, 75]);
    } finally {
      await Promise.all([listenbrainz.close(), maloja.close()]);
    }
  });

  test('are not those of an outage', async () => {
    await signIn();
    lastfm.brokenTitles.add('A').add('B');
    await play(tracks.add({ title: 'A' }), START_MS);
    await play(tracks.add({ title: 'B' }), START_MS + 400_000);
    for (let n = 0; n < 8; n++) await waitTwoHours();
    expect(await status('lastfm')).toMatchObject({ queued: 2, refused: 0 });
    lastfm.brokenTitles.clear();
    await waitTwoHours();
    expect([names().toSorted(), await status('lastfm')]).toMatchObject([['A', 'B'], { queued: 0, problem: null }]);
  });

  test('and one that Maloja moved by a second, with the answer lost, is there once', async () => {
    const maloja = await startMaloja();
    try {
      maloja.scrobbles.set(START_MS / 1_000, { artist: 'Somebody', title: 'Else', time: START_MS / 1_000 });
      await putCredentials('maloja', { token: 'good-key', url: maloja.url });
      maloja.state.silences = 1;
      await play(tracks.add({ title: 'A' }), START_MS);
      await server.app.drain();
      await waitTwoHours();
      expect([...maloja.scrobbles.values()].map(({ title, time }) => [title, time - START_MS / 1_000])).toEqual([
        ['Else', 0],
        ['A', 1],
      ]);
      expect(await status('maloja')).toMatchObject({ queued: 0, refused: 0, submitted: 1, problem: null });
    } finally {
      await maloja.close();
    }
  });
});

describe('a week without network', () => {
  test('with 2,000 plays, restarts and answers that never arrive loses and doubles nothing', async () => {
    const [listenbrainz, maloja] = await Promise.all([startListenBrainz(), startMaloja()]);
    const env = { LISTENBRAINZ_BASE_URL: listenbrainz.url };
    await restart(env);
    try {
      await signIn();
      await putCredentials('listenbrainz', { token: 'good-token' });
      await server.app.drain();
      await Promise.all([lastfm.goAway(), listenbrainz.goAway()]);
      const ids = Array.from({ length: 20 }, (_, n) => tracks.add({ title: `Song ${n}` }));
      const times: number[] = [];
      for (let day = 0; day < 7; day++) {
        const dayStart = START_MS + day * 24 * HOUR_MS;
        const items = Array.from({ length: day === 6 ? 200 : 300 }, (_, n) => {
          times.push(dayStart + n * 280_000);
          return { track_id: ids[n % 20], played_at: new Date(dayStart + n * 280_000).toISOString() };
        });
        clock = dayStart + 24 * HOUR_MS;
        if (day === 6) await putCredentials('maloja', { token: 'good-key', url: maloja.url });
        if (day === 6) await maloja.goAway();
        await server.api('/history', { method: 'POST', body: { items } });
        // these plays come from another player
        await server.api('/history', { method: 'POST', body: { items: items.slice(0, 50) } });
        await server.app.drain();
        await restart(env);
      }
      expect([await status('lastfm'), await status('listenbrainz'), await status('maloja')]).toMatchObject([
        { queued: 2_000, submitted: 0, stopped: false },
        { queued: 2_000, submitted: 0, stopped: false },
        { queued: 200, submitted: 0, stopped: false },
      ]);
      await Promise.all([lastfm.comeBack(), listenbrainz.comeBack(), maloja.comeBack()]);
      for (let round = 0; round < 4; round++) {
        lastfm.next.push('silence'); // the service accepts the batch, but the connection breaks
        listenbrainz.silences.left = 1;
        maloja.state.silences = 1;
        await waitTwoHours();
        await restart(env);
      }
      await waitTwoHours();
      const seconds = times.map((time) => time / 1_000);
      const isSame = (sentTimes: readonly (number | undefined)[], expectedTimes: number[]): boolean =>
        new Set(sentTimes).size === sentTimes.length &&
        sentTimes.length === expectedTimes.length &&
        new Set([...sentTimes, ...expectedTimes]).size === expectedTimes.length;
      expect(lastfm.scrobbles).toHaveLength(2_000);
      expect(
        isSame(
          lastfm.scrobbles.map(({ timestamp }) => timestamp),
          seconds,
        ),
      ).toBe(true);
      expect(
        isSame(
          listenbrainz.listens().map(({ listened_at: at }) => at),
          seconds,
        ),
      ).toBe(true);
      expect(isSame([...maloja.scrobbles.keys()], seconds.slice(1_800))).toBe(true);
      expect([await status('lastfm'), await status('maloja')]).toMatchObject([
        { queued: 0, refused: 0, submitted: 2_000 },
        { queued: 0, refused: 0, submitted: 200 },
      ]);
    } finally {
      await Promise.all([listenbrainz.close(), maloja.close()]);
    }
  });

  test('ends with a kill while plays are being sent, and none is sent twice', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'tonearm-scrobbling-'));
    const env = { ...LASTFM_KEYS, LASTFM_BASE_URL: lastfm.url };
    await server.close();
    clock = Date.now();
    server = await start({}, dir);
    try {
      tracks = trackMaker(server.app);
      await signIn();
      const id = tracks.add({ title: 'A' });
      const items = Array.from({ length: 60 }, (_, n) => ({
        track_id: id,
        played_at: new Date(clock - (60 - n) * 200_000).toISOString(),
      }));
      const setStopped = server.app.db.$client.prepare<[number]>('UPDATE scrobble_accounts SET is_stopped = ?');
      setStopped.run(1); // stopped, so that the plays are still queued when the other process starts
      await server.api('/history', { method: 'POST', body: { items } });
      setStopped.run(0);
      await server.app.close();
      lastfm.hold();
      let child = await spawnServer(['--data-dir', dir, '--port', '0'], env);
      await until(() => lastfm.held() > 0);
      await child.kill();
      lastfm.release();
      await until(() => lastfm.scrobbles.length === 50);
      child = await spawnServer(['--data-dir', dir, '--port', '0'], env);
      await until(() => lastfm.scrobbles.length >= 60);
      await child.kill();
      expect(new Set(lastfm.scrobbles.map(({ timestamp }) => timestamp)).size).toBe(60);
      expect(lastfm.scrobbles).toHaveLength(60);
    } finally {
      server = await start();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
