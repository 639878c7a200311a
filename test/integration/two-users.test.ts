// Calls every route as a second user, with the ids of the first one's private data: nothing is found, nothing is
// disclosed, nothing changes. A new route with an id in its path has to be listed here if its data is shared by all
// users.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Route } from '../../server/http/route.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { ADMIN, registerUser, startServer, type TestServer } from '../support/server.ts';

/** A word that all texts of Ann's data contain. */
const SECRET_TEXT = 'annssecret';
/**
 * Matches paths of data that all users share, data without an owner, and data under an id that is the same for
 * everybody.
 */
const SHARED =
  /^\/(tracks|albums|album-regroupings|artists|sources|stream|downloads|review|share|stats\/year|duplicates|edits|merges|podcasts|podcast-episodes|stations|radio\/never|mixes|people|tags)\//;
/** Routes that return the caller's own data under an id that everybody knows or may choose. */
const OWN_BY_SHARED_ID = new Set(['put /bookmarks/:track_id', 'delete /jukebox/speaker/:speaker_id']);
/** Matches routes in which editors see everybody's tracks, and other users only their own. */
const TRASH_PATH = /^\/trash\//;
const SPEAKER_ID = 'one-window';
const DEVICE_ID = 'anns-window';

let server: TestServer;
/** Ends the event stream of Ann's window. */
const stream = new AbortController();
let ann: string;
let bob: string;
let trackId: number;
let hers: Record<string, string>;
let bodies: Record<string, unknown>;
let queries: Record<string, string>;

const nameOf = ({ spec }: Route): string => `${spec.method} ${spec.path}`;
const createItem = async <T = { id: number }>(path: string, body: unknown, method = 'POST'): Promise<T> => {
  const answer = await server.api<T>(path, { method, body, token: ann });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return answer.body;
};

beforeAll(async () => {
  server = await startServer({ env: { LISTENBRAINZ_ENABLED: 'false' } });
  [ann, bob] = [await registerUser(server, 'ann'), await registerUser(server, 'bob')];
  const tracks = trackMaker(server.app);
  trackId = tracks.add({ title: 'Everybody’s' });
  await createItem('/likes', { item_type: 'track', item_id: trackId, liked: true, rating: 3 });
  const play = await createItem('/history', { track_id: trackId, client: SECRET_TEXT });
  await createItem('/queue', { track_ids: [trackId], client: SECRET_TEXT }, 'PUT');
  await createItem(`/bookmarks/${trackId}`, { position_ms: 5, comment: SECRET_TEXT }, 'PUT');
  await createItem('/history/now-playing', { track_id: trackId, client: SECRET_TEXT });
  await createItem('/jukebox/speaker', { speaker_id: SPEAKER_ID, name: SECRET_TEXT }, 'PUT');
  await fetch(`${server.url}/api/v1/events?device_id=${DEVICE_ID}`, {
    headers: { Authorization: `Bearer ${ann}` },
    signal: stream.signal,
  });
  const deviceState = {
    name: SECRET_TEXT,
    track_id: trackId,
    position_ms: 0,
    playing: false,
    volume: 1,
    muted: false,
  };
  const handOver = {
    id: 'hand-over-1',
    from: DEVICE_ID,
    track_ids: [trackId],
    current_index: 0,
    position_ms: 0,
    playing: true,
    shuffle: false,
    repeat: 'off',
    listening: null,
    context: SECRET_TEXT,
  };
  await createItem(`/devices/${DEVICE_ID}`, deviceState, 'PUT');
  await createItem(`/devices/${DEVICE_ID}/hand-over`, handOver, 'PUT');
  const form = new FormData();
  form.append('file', new Blob([`A,B,${SECRET_TEXT},1700000000`]), `${SECRET_TEXT}.csv`);
  const importResponse = await createItem('/history/import', form);
  await server.app.drain();
  const trashedTrack = tracks.add({ title: SECRET_TEXT, artists: ['Ann'], album: 'Hers' });
  server.app.db.$client
    .prepare("UPDATE tracks SET uploaded_by = (SELECT id FROM users WHERE username = 'ann') WHERE id = ?")
    .run(trashedTrack);
  await createItem(`/tracks/${trashedTrack}`, undefined, 'DELETE');
  const share = await createItem('/shares', { track_ids: [trackId], description: SECRET_TEXT });
  const { id: password } = await createItem('/users/me/app-passwords', { name: SECRET_TEXT });
  const [session] = (await server.api<{ id: number }[]>('/users/me/sessions', { token: ann })).body;
  hers = {
    '/users/me/app-passwords/:id': `${password}`,
    '/users/me/sessions/:id': `${session?.id}`,
    '/trash/:id': `${trashedTrack}`,
    '/history/:id': `${play.id}`,
    '/history/imports/:id': `${importResponse.id}`,
    '/bookmarks/:track_id': `${trackId}`,
    '/shares/:id': `${share.id}`,
    '/jukebox/speaker/:speaker_id': SPEAKER_ID,
    '/devices/:device_id': DEVICE_ID,
  };
  bodies = {
    'put /devices/:device_id': deviceState,
    'post /devices/:device_id/commands': { kind: 'pause', from: DEVICE_ID },
    'put /devices/:device_id/hand-over': handOver,
  };
  queries = {};
  if (server.app.routes.some((route) => nameOf(route) === 'post /playlists')) await makePlaylist();
});
afterAll(async () => {
  stream.abort();
  await server.close();
});

async function makePlaylist(): Promise<void> {
  const { id } = await createItem('/playlists', { name: SECRET_TEXT });
  const {
    entries: [entry],
  } = await createItem<{ entries: [{ entry_id: number }] }>(`/playlists/${id}/tracks`, { track_ids: [trackId] });
  Object.assign(hers, { '/playlists/:id': `${id}`, ':entry_id': `${entry.entry_id}`, ':version': '1' });
  Object.assign(hers, { ':track_id': `${trackId}` });
  Object.assign(bodies, {
    'patch /playlists/:id': { name: 'Bob’s', is_public: true },
    'post /playlists/:id/tracks': { track_ids: [trackId] },
    'put /playlists/:id/tracks': { entry_ids: [entry.entry_id] },
    'post /playlists/:id/tracks/move': { entry_ids: [entry.entry_id], before_entry_id: null },
    'post /playlists/:id/tracks/remove': { all_but: [] },
    'post /playlists/:id/restore': { version: 1 },
  });
  Object.assign(queries, {
    'delete /playlists/:id/tracks': `?entry_id=${entry.entry_id}`,
    'get /playlists/:id/contains': `?track_id=${trackId}`,
    'delete /playlists/:id': '?forever=false',
  });
}

/** Routes that Bob may call, with a private id in their path. */
const privateRoutes = (): Route[] =>
  server.app.routes.filter(
    ({ spec }) =>
      spec.access !== 'superuser' && spec.access !== 'public' && spec.path.includes(':') && !SHARED.test(spec.path),
  );

/** Returns the route's path with Ann's ids; undefined if this test knows no such id. */
function pathOf(route: Route): string | undefined {
  const { path } = route.spec;
  const base = Object.keys(hers)
    .filter(
      (prefix) =>
        prefix.startsWith('/') && (path === prefix || path.startsWith(`${prefix}/`) || path.startsWith(`${prefix}.`)),
    )
    .toSorted((a, b) => b.length - a.length)[0];
  if (base === undefined) return undefined;
  const filledPath = path
    .replace(base, base.replace(/:\w+/, hers[base] as string))
    .replaceAll(/:\w+/g, (name) => hers[name] ?? name);
  return filledPath.includes(':') ? undefined : `${filledPath}${queries[nameOf(route)] ?? ''}`;
}

const ask = (route: Route, token: string) =>
  server.api(pathOf(route) ?? '', {
    method: route.spec.method.toUpperCase(),
    token,
    ...(route.spec.body && { body: bodies[nameOf(route)] ?? {} }),
  });

/** Returns all of Ann's rows in every table, and the rows that refer to them. */
function everythingOfAnn(): Record<string, unknown[]> {
  const client = server.app.db.$client;
  const { id } = client.prepare("SELECT id FROM users WHERE username = 'ann'").get() as { id: number };
  const tables = client
    .prepare(
      "SELECT m.name AS name, c.name AS owner FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name IN ('user_id', 'owner_id', 'playlist_id')",
    )
    .all() as { name: string; owner: string }[];
  expect(tables.length).toBeGreaterThan(8);
  return Object.fromEntries(
    tables.map(({ name, owner }) => [
      `${name}.${owner}`,
      client
        .prepare(owner === 'playlist_id' ? `SELECT * FROM ${name}` : `SELECT * FROM ${name} WHERE ${owner} = ?`)
        .all(...(owner === 'playlist_id' ? [] : [id])),
    ]),
  );
}

test('this test knows an id for every private route', () => {
  expect(
    privateRoutes()
      .filter((route) => pathOf(route) === undefined)
      .map(nameOf),
  ).toEqual([]);
  expect(privateRoutes().length).toBeGreaterThan(4);
});

test('another user’s data is not found, and writing to it changes nothing', async () => {
  const previousData = everythingOfAnn();
  for (const route of privateRoutes().filter((privateRoute) => !OWN_BY_SHARED_ID.has(nameOf(privateRoute)))) {
    const answer = await ask(route, bob);
    expect(
      [answer.status, answer.text.includes(SECRET_TEXT)],
      `${nameOf(route)} (422: give it a body or query above): ${answer.text}`,
    ).toEqual([404, false]);
  }
  expect(everythingOfAnn()).toEqual(previousData);
});

test('data under a shared id is each user’s own', async () => {
  const previousData = everythingOfAnn();
  expect(
    (await server.api(`/bookmarks/${trackId}`, { method: 'PUT', body: { position_ms: 99 }, token: bob })).status,
  ).toBe(200);
  expect((await server.api(`/bookmarks/${trackId}`, { method: 'DELETE', token: bob })).status).toBe(204);
  expect((await server.api(`/jukebox/speaker/${SPEAKER_ID}`, { method: 'DELETE', token: bob })).status).toBe(204);
  expect((await server.api<{ speaker: { id: string } }>('/jukebox', { token: ann })).body.speaker.id).toBe(SPEAKER_ID);
  expect(everythingOfAnn()).toEqual(previousData);
});

test('an administrator has no access either', async () => {
  const previousData = everythingOfAnn();
  const {
    body: { access_token: token },
  } = await server.api<{ access_token: string }>('/auth/login', { method: 'POST', body: ADMIN, token: null });
  for (const route of privateRoutes().filter(
    (privateRoute) => !OWN_BY_SHARED_ID.has(nameOf(privateRoute)) && !TRASH_PATH.test(privateRoute.spec.path),
  )) {
    const answer = await ask(route, token);
    expect([answer.status, answer.text.includes(SECRET_TEXT)], nameOf(route)).toEqual([404, false]);
  }
  expect(everythingOfAnn()).toEqual(previousData);
});

test('nothing that can be read without an id discloses another user’s data', async () => {
  const previousData = everythingOfAnn();
  const readable = server.app.routes.filter(
    ({ spec }) => spec.method === 'get' && spec.access === 'user' && !spec.path.includes(':') && !spec.produces,
  );
  expect(readable.length).toBeGreaterThan(10);
  for (const route of readable) {
    const query =
      route.spec.path === '/likes/state'
        ? `?item_type=track&item_id=${trackId}`
        : /search/.test(route.spec.path)
          ? `?q=${SECRET_TEXT}`
          : '';
    const { status, text, body } = await server.api(`${route.spec.path}${query}`, { token: bob });
    expect(text.replaceAll(`"query":"${SECRET_TEXT}"`, ''), nameOf(route)).not.toContain(SECRET_TEXT);
    if (route.spec.path === '/likes/state') expect([status, body]).toMatchObject([200, [{ liked: false, rating: 0 }]]);
  }
  expect(everythingOfAnn()).toEqual(previousData);
});

test('the owner finds all of it', async () => {
  for (const route of privateRoutes().filter(({ spec }) => spec.method === 'get'))
    expect((await ask(route, ann)).status, nameOf(route)).toBe(200);
  for (const path of ['/history', '/queue', '/devices', '/bookmarks', '/history/imports', '/history/now-playing'])
    expect((await server.api(path, { token: ann })).text, path).toContain(SECRET_TEXT);
});
