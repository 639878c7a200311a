// Shares as their owners manage them, and as guests without an account open them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlbumPage, TrackOut, TrackPage } from '../../server/library/wire.ts';
import type { GuestShareOut, ShareOut } from '../../server/shares/wire.ts';
import { makeLibrary } from '../support/library.ts';
import { OFFLINE, openPhone, type Phone } from '../support/phone.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

const DAY_MS = 86_400_000;
const PAGE = { Accept: 'text/html,application/xhtml+xml' };

let dir: string;
let server: TestServer;
let phone: Phone;
let sharer: string;
let album: { id: number; title: string; artist_name: string | null };
let tracks: TrackOut[];
let otherTrack: TrackOut;
let time = new Date();

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-shares-'));
  const music = makeLibrary({ tracks: 30, messy: 0, seed: 'guests', art: 'folder', seconds: '2' }, join(dir, 'music'));
  server = await startServer({ env: { ...OFFLINE, LOCAL_MEDIA_IMPORT_PATH: music.dir }, now: () => time });
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  sharer = await registerUser(server, 'mira');
  phone = await openPhone(server, { token: sharer });
  const { items: albums } = (await server.api<AlbumPage>('/albums?limit=200')).body;
  album = albums.find(({ track_count, has_cover }) => track_count > 1 && has_cover)!;
  tracks = (await server.api<TrackPage>(`/albums/${album.id}/tracks`)).body.items;
  const { items: allTracks } = (await server.api<TrackPage>('/tracks?limit=200')).body;
  otherTrack = allTracks.find(({ album_id }) => album_id !== album.id)!;
});
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

const share = async (fields: object = {}): Promise<ShareOut> => {
  const answer = await server.api<ShareOut>('/shares', {
    method: 'POST',
    token: sharer,
    body: { track_ids: tracks.map(({ id }) => id), kind: 'album', ...fields },
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const change = (id: number, body: object) =>
  server.api<ShareOut>(`/shares/${id}`, { method: 'PATCH', token: sharer, body });
const listShares = async (): Promise<ShareOut[]> => (await server.api<ShareOut[]>('/shares', { token: sharer })).body;
const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers });
const enter = (path: string, password: string) =>
  fetch(`${server.url}${path}/password`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ password }),
  });
const passFrom = (answer: Response): string => answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';

test('an album is shared, opened and played by a guest, and its owner sees that it was', async () => {
  const created = await share({ expires_at: new Date(time.getTime() + DAY_MS).toISOString() });
  expect(created).toMatchObject({
    kind: 'album',
    name: album.title,
    state: 'open',
    track_count: tracks.length,
    cover_track_id: tracks[0]!.id,
    allows_saving: false,
    has_password: false,
    visit_count: 0,
    play_count: 0,
  });
  const content = (await (await get(`${created.path}/content`)).json()) as GuestShareOut;
  expect(content).toMatchObject({
    name: album.title,
    artist_name: album.artist_name,
    shared_by: 'mira',
    allows_saving: false,
    track_count: tracks.length,
  });
  expect(content.tracks.map(({ title }) => title)).toEqual(tracks.map(({ title }) => title));
  expect((await get(`${created.path}/0`)).status).toBe(200);
  const cover = await get(`${created.path}/0/cover?size=160`);
  expect([cover.headers.get('content-type'), cover.headers.get('cache-control')]).toEqual([
    'image/webp',
    'private, no-cache',
  ]);
  expect((await fetch(`${server.url}${created.path}/0/plays`, { method: 'POST' })).status).toBe(204);
  expect((await listShares()).find(({ id }) => id === created.id)).toMatchObject({ visit_count: 1, play_count: 1 });
  const history = await server.api<{ total: number }>('/history', { token: sharer });
  expect(history.body.total).toBe(0);
});

test('a guest learns nothing about the library but what is shared', async () => {
  const { path } = await share();
  const text = await (await get(`${path}/content`)).text();
  expect(Object.keys((JSON.parse(text) as GuestShareOut).tracks[0]!).toSorted()).toEqual([
    'album_title',
    'artist_name',
    'bitrate_kbps',
    'cover_position',
    'duration_ms',
    'format',
    'is_available',
    'position',
    'sample_rate_hz',
    'title',
  ]);
  expect(text).not.toContain(dir);
  expect(text).not.toMatch(/"(id|album_id|artist_id|source_id|storage_uri)"/);
});

test('the page has a preview for messengers, unless a password protects it', async () => {
  const open = await share();
  const html = await (await get(open.path, PAGE)).text();
  expect(html).toContain('<meta name="share" content="open" />');
  expect(html).toContain(`<meta property="og:title" content="${album.title}" />`);
  const [, picture = ''] = /<meta property="og:image" content="([^"]+)"/.exec(html) ?? [];
  expect(picture).toBe(`${server.url}${open.path}/cover`);
  expect((await fetch(picture)).headers.get('content-type')).toBe('image/jpeg');

  const locked = await share({ password: 'open sesame' });
  const lockedHtml = await (await get(locked.path, { ...PAGE, 'Accept-Language': 'de-AT,de' })).text();
  expect(lockedHtml).toContain('<meta name="share" content="locked" />');
  expect(lockedHtml).toContain('<meta property="og:title" content="Geteilte Musik" />');
  for (const secret of [album.title, 'mira', 'og:image', 'og:description']) expect(lockedHtml).not.toContain(secret);
  expect((await get(`${locked.path}/cover`)).status).toBe(403);
});

test('a title with markup is text in the page and in the preview', async () => {
  const { path } = await share({ description: '<b>&"\'🎷 $& $1' });
  const html = await (await get(path, PAGE)).text();
  expect(html).toContain('<title>&lt;b&gt;&amp;&quot;&#39;🎷 $&amp; $1</title>');
  expect(html).not.toContain('<b>');
});

test('a password opens the share for one browser, and a new one closes it again', async () => {
  const { id, path } = await share({ password: 'open sesame', allows_saving: true });
  const parts = ['/content', '/0', '/0/cover', '/cover', '/zip', '/0?save=true'];
  for (const part of parts) expect((await get(path + part)).status, part).toBe(403);
  expect((await enter(path, 'open barley')).status).toBe(403);
  const answer = await enter(path, 'open sesame');
  expect(answer.status).toBe(204);
  expect(answer.headers.getSetCookie()[0]).toMatch(
    new RegExp(`^tonearm_share=[\\w-]{43}; Path=${path}; HttpOnly; SameSite=Lax$`),
  );
  const cookie = { Cookie: `theme=dark; ${passFrom(answer)}` };
  for (const part of parts) expect((await get(path + part, cookie)).status, part).toBe(200);
  const otherShare = await share({ password: 'open sesame' });
  expect((await get(`${otherShare.path}/content`, cookie)).status).toBe(403);
  await change(id, { password: 'close sesame' });
  expect((await get(`${path}/content`, cookie)).status).toBe(403);
  await change(id, { password: null });
  expect((await get(`${path}/content`)).status).toBe(200);
});

test('guests save only what the share and the rights of its owner allow', async () => {
  const { id, path } = await share();
  expect([(await get(`${path}/zip`)).status, (await get(`${path}/0?save=true`)).status]).toEqual([404, 404]);
  await change(id, { allows_saving: true });
  const saved = await get(`${path}/0?save=true`);
  expect([saved.status, saved.headers.get('content-disposition')?.split(';', 1)[0]]).toEqual([200, 'attachment']);
  expect((await get(`${path}/zip`)).status).toBe(200);
  const { id: userId } = (await server.api<{ id: number }>('/users/me', { token: sharer })).body;
  await server.api(`/users/${userId}`, { method: 'PATCH', body: { can_download: false } });
  expect([(await get(`${path}/zip`)).status, (await get(`${path}/0?save=true`)).status]).toEqual([404, 404]);
  expect(await (await get(`${path}/content`)).json()).toMatchObject({ allows_saving: false });
  await server.api(`/users/${userId}`, { method: 'PATCH', body: { can_download: true } });
});

test('an expired, an ended and an unknown link say which they are, and name neither music nor owner', async () => {
  const until = new Date(time.getTime() + DAY_MS);
  const [expired, ended] = [await share({ expires_at: until.toISOString() }), await share()];
  await change(ended.id, { is_ended: true });
  const previousTime = time;
  time = new Date(until.getTime() + 1);
  const expectClosed = async (path: string, status: number, tag: string, detail: string): Promise<void> => {
    const page = await get(path, PAGE);
    const html = await page.text();
    expect([page.status, page.headers.get('cache-control')]).toEqual([status, 'private, no-store']);
    expect(html).toContain(tag);
    for (const secret of [album.title, 'mira', 'og:']) expect(html).not.toContain(secret);
    const json = await get(path, { Accept: 'application/json' });
    expect([json.status, json.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    expect(await json.json()).toMatchObject({ status, detail });
    for (const part of ['/content', '/0', '/0/cover', '/cover', '/zip']) {
      expect((await get(path + part, { Range: 'bytes=0-9' })).status, part).toBe(status);
    }
    expect((await enter(path, 'any password')).status).toBe(status);
    expect(await (await get(`${path}/zip`, PAGE)).text()).toContain(tag);
  };
  await expectClosed(
    expired.path,
    410,
    `<meta name="share" content="expired" data-until="${until.toISOString()}" />`,
    'This share has expired.',
  );
  await expectClosed(ended.path, 410, '<meta name="share" content="ended" />', 'This share was ended.');
  await expectClosed(
    `/share/${'a'.repeat(23)}`,
    404,
    '<meta name="share" content="unknown" />',
    'There is no such share.',
  );
  expect((await listShares()).find(({ id }) => id === expired.id)?.state).toBe('expired');

  const again = new Date(time.getTime() + DAY_MS).toISOString();
  expect((await change(expired.id, { is_ended: false, expires_at: again })).body).toMatchObject({
    state: 'open',
    path: expired.path,
    expires_at: again,
  });
  expect((await get(`${expired.path}/content`)).status).toBe(200);
  expect((await change(ended.id, { is_ended: false })).body.state).toBe('open');
  time = previousTime;
});

test('an expired share does not ask for its password', async () => {
  const { path } = await share({ password: 'open sesame', expires_at: new Date(time.getTime() + 1_000).toISOString() });
  const previousTime = time;
  time = new Date(time.getTime() + 2_000);
  expect(await (await get(path, PAGE)).text()).toContain('content="expired"');
  expect((await enter(path, 'open sesame')).status).toBe(410);
  time = previousTime;
});

test('the shares of a phone are listed too, and those of others are not', async () => {
  await phone.get('createShare', { id: `tr-${otherTrack.id}` });
  const [newest] = await listShares();
  expect(newest).toMatchObject({ kind: null, name: otherTrack.title, track_count: 1, allows_saving: true });
  const stranger = await registerUser(server, 'stranger');
  expect((await server.api<ShareOut[]>('/shares', { token: stranger })).body).toEqual([]);
  for (const [method, body] of [
    ['PATCH', { is_ended: true }],
    ['DELETE', undefined],
  ] as const) {
    const answer = await server.api(`/shares/${newest!.id}`, { method, token: stranger, ...(body && { body }) });
    expect(answer.status, method).toBe(404);
  }
  expect((await server.api(`/shares/${newest!.id}`, { method: 'DELETE', token: sharer })).status).toBe(204);
  expect((await get(newest!.path, PAGE)).status).toBe(404);
});

test('only an account with the right shares, and may still end what it shared', async () => {
  const { id, path } = await share();
  const { id: userId } = (await server.api<{ id: number }>('/users/me', { token: sharer })).body;
  await server.api(`/users/${userId}`, { method: 'PATCH', body: { can_share: false } });
  const body = { track_ids: [tracks[0]!.id], kind: 'track' };
  expect((await server.api('/shares', { method: 'POST', token: sharer, body })).status).toBe(403);
  expect((await change(id, { is_ended: false })).status).toBe(403);
  expect((await listShares()).find((listed) => listed.id === id)?.state).toBe('ended');
  expect(await (await get(path, PAGE)).text()).toContain('content="ended"');
  expect((await server.api(`/shares/${id}`, { method: 'DELETE', token: sharer })).status).toBe(204);
  await server.api(`/users/${userId}`, { method: 'PATCH', body: { can_share: true } });
});

test.each([
  ['no track', { track_ids: [] }],
  ['an unknown track', { track_ids: [999_999] }],
  ['more than 5,000 tracks', { track_ids: Array.from({ length: 5_001 }, () => 1) }],
  ['a short password', { password: '12345' }],
  ['another kind', { kind: 'library' }],
])('%s is refused', async (_name, fields) => {
  const body = { track_ids: [tracks[0]!.id], kind: 'track', ...fields };
  expect((await server.api('/shares', { method: 'POST', token: sharer, body })).status).toBe(422);
});

test('a deleted track leaves the share without a gap', async () => {
  const { path } = await share({ track_ids: [otherTrack.id, ...tracks.map(({ id }) => id)], kind: null });
  await server.api(`/tracks/${otherTrack.id}`, { method: 'DELETE' });
  const content = (await (await get(`${path}/content`)).json()) as GuestShareOut;
  expect([content.track_count, content.tracks.length]).toEqual([tracks.length, tracks.length]);
  expect((await get(`${path}/0`)).status).not.toBe(200);
  expect((await get(`${path}/${content.tracks[0]!.position}`)).status).toBe(200);
});

test.each(['x', 'not-a-share!', 'a b', 'ä'.repeat(100), '%3Cscript%3E'])(
  'a mistyped address (%j) gets the page that says so',
  async (name) => {
    const answer = await get(`/share/${name.startsWith('%') ? name : encodeURIComponent(name)}`, PAGE);
    expect(answer.status).toBe(404);
    const html = await answer.text();
    expect(html).toContain('<meta name="share" content="unknown" />');
    expect(html).not.toContain('<script>');
    expect((await get(`/share/${encodeURIComponent(name)}/content`)).status).toBe(404);
  },
);
