// Scrobbling to ListenBrainz: plays are sent once, kept while it is unreachable, and stopped with a reason when it
// rejects them.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ScrobblingOut } from '../../server/scrobbling/wire.ts';
import { startListenBrainz, type FakeListenBrainz } from '../fakes/listenbrainz.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

let service: FakeListenBrainz;
let server: TestServer;
let clock: number;
let tracks: ReturnType<typeof trackMaker>;
const START_MS = Date.UTC(2026, 0, 1);

beforeEach(async () => {
  clock = START_MS;
  service = await startListenBrainz();
  server = await start();
  tracks = trackMaker(server.app);
});
afterEach(async () => {
  await server.close();
  await service.close();
});

const start = (dir?: string, env = {}): Promise<TestServer> =>
  startServer({
    env: { LISTENBRAINZ_BASE_URL: service.url, ...env },
    now: () => new Date(clock),
    ...(dir !== undefined && { dir }),
  });
const connect = (token = 'good-token') =>
  server.api<ScrobblingOut>('/users/me/scrobbling', { method: 'PUT', body: { token } });
const status = async (token = server.token): Promise<ScrobblingOut> =>
  (await server.api<ScrobblingOut>('/users/me/scrobbling', { token })).body;
const play = (track_id: number, playedAt = clock, extraFields = {}) =>
  server.api('/history', {
    method: 'POST',
    body: { track_id, played_at: new Date(playedAt).toISOString(), ...extraFields },
  });
const titles = (): string[] => service.listens().map(({ track_metadata }) => track_metadata.track_name);

describe('an account', () => {
  test('is accepted when the service knows the token, and shown without it', async () => {
    expect(await status()).toMatchObject({ connected: false, enabled: true, username: null, queued: 0 });
    const { status: code, text } = await connect();
    expect([code, text.includes('good-token')]).toEqual([200, false]);
    expect(await status()).toMatchObject({ connected: true, username: 'ann_lb', problem: null });
    expect(
      JSON.stringify(server.app.db.$client.prepare('SELECT CAST(token AS TEXT) AS t FROM scrobble_accounts').get()),
    ).not.toContain('good-token');
  });

  test('is rejected otherwise', async () => {
    expect((await connect('bad-token')).status).toBe(422);
    service.next.push({ status: 502, body: '<html>bad gateway</html>' });
    expect((await connect()).status).toBe(503);
    expect((await connect('with blanks')).status).toBe(422);
    expect((await status()).connected).toBe(false);
  });

  test('can be disconnected, and nothing is pending any more', async () => {
    await connect();
    expect((await server.api('/users/me/scrobbling', { method: 'DELETE' })).status).toBe(204);
    await play(tracks.add({ title: 'A' }));
    await server.app.drain();
    expect([titles(), await status()]).toMatchObject([[], { connected: false, queued: 0 }]);
  });

  test('is not used for plays of other users', async () => {
    await connect();
    const listener = await registerUser(server);
    await server.api('/history', { method: 'POST', body: { track_id: tracks.add({ title: 'A' }) }, token: listener });
    await server.app.drain();
    expect([titles(), (await status(listener)).connected]).toEqual([[], false]);
  });
});

describe('plays', () => {
  test('are sent with the metadata of the track', async () => {
    await connect();
    await play(
      tracks.add({ title: 'Lighthouse', recordingMbid: '5f0f6a3c-1111-4222-8333-444455556666' }),
      START_MS + 999,
      { played_ms: 100_000 },
    );
    await server.app.drain();
    expect(service.submissions).toMatchObject([
      {
        listen_type: 'single',
        token: 'good-token',
        payload: [
          {
            listened_at: START_MS / 1_000,
            track_metadata: {
              artist_name: 'The Quays',
              track_name: 'Lighthouse',
              release_name: 'Harbour',
              additional_info: {
                recording_mbid: '5f0f6a3c-1111-4222-8333-444455556666',
                duration_ms: 200_000,
                submission_client: 'Tonearm',
              },
            },
          },
        ],
      },
    ]);
    expect(await status()).toMatchObject({
      queued: 0,
      submitted: 1,
      last_submitted_at: new Date(START_MS).toISOString(),
    });
  });

  test('are sent once, but not short, anonymous or removed ones', async () => {
    const [a, b, c, d] = ['A', 'B', 'C', 'D'].map((title) =>
      tracks.add({ title, ...(title === 'C' && { artists: [] }) }),
    );
    await service.goAway();
    await service.comeBack();
    await connect();
    service.next.push({ status: 503 }); // this error keeps all of them pending
    await play(a as number, START_MS);
    await server.app.drain();
    await play(a as number, START_MS);
    await play(b as number, START_MS, { played_ms: 99_000 });
    await play(c as number);
    const { body } = await server.api<{ id: number }>('/history', { method: 'POST', body: { track_id: d } });
    await server.api(`/history/${body.id}`, { method: 'DELETE' });
    clock += 60_000;
    await server.app.drain();
    expect([titles(), (await status()).queued]).toEqual([['A'], 0]);
  });

  test('have a client name, and no duration that the service would reject', async () => {
    await connect();
    const { $client } = server.app.db;
    for (const [title, durationMs] of [
      ['None', 0],
      ['Too long', 25 * 86_400_000],
      ['Usual', 200_000],
    ] as const) {
      const id = tracks.add({ title });
      $client.prepare('UPDATE tracks SET duration_ms = ? WHERE id = ?').run(durationMs, id);
      await play(id);
    }
    await server.app.drain();
    expect(
      service
        .listens()
        .map(({ track_metadata: { track_name, additional_info } }) => [track_name, additional_info?.['duration_ms']]),
    ).toEqual([
      ['None', undefined],
      ['Too long', undefined],
      ['Usual', 200_000],
    ]);
    expect([...service.userAgents]).toEqual([expect.stringMatching(/^Tonearm\/\S+$/)]);
  });

  test('are sent in batches, the oldest report first', async () => {
    const id = tracks.add({ title: 'A' });
    await connect();
    const items = Array.from({ length: 250 }, (_, i) => ({
      track_id: id,
      played_at: new Date(START_MS - (250 - i) * 200_000).toISOString(),
    }));
    await server.api('/history', { method: 'POST', body: { items } });
    await server.app.drain();
    expect(service.submissions.map(({ listen_type, payload }) => `${listen_type} ${payload.length}`)).toEqual([
      'import 100',
      'import 100',
      'import 50',
    ]);
    expect(service.listens().map(({ listened_at }) => listened_at)).toEqual(
      items.map(({ played_at }) => Date.parse(played_at) / 1_000),
    );
  });

  test('wait while the service is unreachable, also across a restart, and none is lost', async () => {
    await connect();
    const ids = ['A', 'B', 'C'].map((title) => tracks.add({ title }));
    await service.goAway();
    for (const id of ids.slice(0, 2)) await play(id);
    await server.app.drain();
    expect(await status()).toMatchObject({
      queued: 2,
      submitted: 0,
      stopped: false,
      problem: expect.stringMatching(
        /^ListenBrainz cannot be reached \(.+\)\. Plays stay queued and will be sent later\.$/,
      ),
    });
    const { dir } = server;
    const firstServer = server;
    await firstServer.app.close();
    await service.comeBack();
    clock += 3_600_000;
    server = await start(dir);
    await play(ids[2] as number);
    await server.app.drain();
    expect([titles(), await status()]).toMatchObject([['A', 'B', 'C'], { queued: 0, submitted: 3, problem: null }]);
  });

  test('stop with a reason when the token is rejected, and continue with another', async () => {
    await connect();
    const id = tracks.add({ title: 'A' });
    service.tokens.clear();
    await play(id);
    await server.app.drain();
    expect(await status()).toMatchObject({
      stopped: true,
      queued: 1,
      problem: expect.stringContaining('Enter a new one; until then, plays stay queued.'),
    });
    const requestCount = service.requests.length;
    await play(id, START_MS - 900_000);
    await server.app.drain();
    expect(service.requests).toHaveLength(requestCount);
    service.tokens.set('new-token', 'ann_lb');
    await connect('new-token');
    await server.app.drain();
    expect([service.listens().length, await status()]).toMatchObject([2, { stopped: false, queued: 0, problem: null }]);
  });

  test('that the service rejects do not block the others', async () => {
    await connect();
    service.refusedTitles.add('Bad');
    const items = Array.from({ length: 30 }, (_, i) => ({
      track_id: tracks.add({ title: i === 17 ? 'Bad' : `Song ${i}` }),
    }));
    await server.api('/history', { method: 'POST', body: { items } });
    await server.app.drain();
    expect(titles()).toEqual(Array.from({ length: 30 }, (_, i) => `Song ${i}`).filter((title) => title !== 'Song 17'));
    expect(await status()).toMatchObject({ queued: 0, refused: 1, submitted: 29 });
  });

  test('wait as long as the service says', async () => {
    await connect();
    service.next.push({ status: 429, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-in': '0' } });
    await play(tracks.add({ title: 'A' }));
    await server.app.drain();
    expect(titles()).toEqual(['A']);
  });

  test('are kept, and not sent, while the server does not allow it', async () => {
    await connect();
    const id = tracks.add({ title: 'A' });
    const { dir } = server;
    await server.app.close();
    server = await start(dir, { LISTENBRAINZ_ENABLED: 'false' });
    await play(id);
    await server.app.drain();
    expect([titles(), await status()]).toMatchObject([[], { enabled: false, connected: true, queued: 1 }]);
    expect((await connect()).status).toBe(409);
  });
});

test('answers of a network’s sign-in page or of a proxy take nothing from the queue', async () => {
  await connect();
  service.next.push({ status: 200, body: '<html>Sign in to this network</html>' });
  await play(tracks.add({ title: 'A' }));
  await server.app.drain();
  expect([titles(), (await status()).queued]).toEqual([[], 1]);
  const noSuchHost = { status: 404, body: '<html>no such host</html>' };
  service.next.push(noSuchHost, noSuchHost); // one response for the look-up of what was sent, one for the plays
  clock += 3_600_000;
  await server.app.drain();
  expect([titles(), await status()]).toMatchObject([[], { queued: 1, refused: 0 }]);
  clock += 3_600_000;
  await server.app.drain();
  expect([titles(), (await status()).queued]).toEqual([['A'], 0]);
});

test('now playing is sent, and an unreachable service does no harm', async () => {
  await connect();
  const id = tracks.add({ title: 'A' });
  const submission = service.nextSubmission();
  await server.api('/history/now-playing', { method: 'POST', body: { track_id: id } });
  expect(await submission).toMatchObject({
    listen_type: 'playing_now',
    payload: [{ track_metadata: { track_name: 'A' } }],
  });
  await service.goAway();
  expect((await server.api('/history/now-playing', { method: 'POST', body: { track_id: id } })).status).toBe(204);
  await service.comeBack();
  expect((await status()).queued).toBe(0);
});
