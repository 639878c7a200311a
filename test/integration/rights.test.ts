// The rights of accounts: every route and every Subsonic call that needs a right refuses accounts without it, and names
// the right. Users may edit what they added themselves until somebody else uses it.
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UserOut } from '../../server/auth/wire.ts';
import { ACCOUNT_LIMITS, namedRightsFrom, RIGHT_LIST, RIGHTS, type Right } from '../../server/db/rights.ts';
import type { Route } from '../../server/http/route.ts';
import type { ProblemOut } from '../../server/http/problem.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import type { UploadOut } from '../../server/uploads/wire.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { openPhone } from '../support/phone.ts';
import { registerUser, startServer, type Answer, type TestServer } from '../support/server.ts';

let server: TestServer;
let userCount = 0;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const NO_RIGHTS = namedRightsFrom(() => false);
const getUser = async (token: string): Promise<UserOut> => (await server.api<UserOut>('/users/me', { token })).body;
const someone = (): Promise<string> => registerUser(server, `someone-${++userCount}`);
const setTerms = async (token: string, terms: Partial<UserOut>): Promise<Answer<UserOut & ProblemOut>> =>
  server.api(`/users/${(await getUser(token)).id}`, { method: 'PATCH', body: terms });

/** Returns a song with new audio at each call. */
const song = (frames = 20): Uint8Array =>
  Buffer.concat([
    id3([id3Frame('TIT2', utf8Text(`Song ${++userCount}`)), id3Frame('TALB', utf8Text('Harbour'))]),
    silentMp3(frames),
  ]);
function upload(token: string, bytes: Uint8Array = song()): Promise<Answer<UploadOut & ProblemOut>> {
  const form = new FormData();
  form.append('files', new Blob([bytes as BlobPart]), 'song.mp3');
  return server.api('/tracks/upload', { method: 'POST', body: form, token });
}
async function bring(token: string): Promise<TrackOut> {
  const { body, text } = await upload(token);
  const [track] = body.items;
  if (!track) throw new Error(text);
  return track;
}
const edit = async (token: string, id: number): Promise<number> =>
  (await server.api(`/tracks/${id}`, { method: 'PATCH', body: { year: 1999 }, token })).status;

test('a new account has everything but can_edit and can_podcast, and 5 GB when it was made by its owner', async () => {
  const usualRights = namedRightsFrom((right) => !['canEdit', 'canPodcast'].includes(right));
  expect(await getUser(await someone())).toMatchObject({
    ...usualRights,
    quota_bytes: 5_000_000_000,
    max_bitrate_kbps: null,
  });
  const { body } = await server.api<UserOut>('/users', {
    method: 'POST',
    body: { username: 'invited', password: 'long enough password', can_edit: true, max_bitrate_kbps: 128 },
  });
  expect(body).toMatchObject({ ...usualRights, can_edit: true, quota_bytes: null, max_bitrate_kbps: 128 });
});

test('an administrator has every right, and none can be taken away', async () => {
  const admin = await getUser(server.token);
  expect(admin).toMatchObject(namedRightsFrom(() => true));
  const { status, body } = await server.api<ProblemOut>(`/users/${admin.id}`, {
    method: 'PATCH',
    body: { can_share: false },
  });
  expect([status, body.errors?.[0]?.field]).toEqual([409, 'can_share']);
});

test('every route with a right refuses an account without it, and names the right', async () => {
  const { id } = await bring(server.token);
  const token = await someone();
  await setTerms(token, NO_RIGHTS);
  const withRight = server.app.routes.filter(({ spec }) => spec.right !== undefined);
  expect(new Set(withRight.map(({ spec }) => spec.right))).toEqual(
    new Set<Right>(['canEdit', 'canUpload', 'canDownload', 'canShare', 'canJukebox', 'canPodcast']),
  );
  const { body: track } = await server.api<TrackOut>(`/tracks/${id}`);
  for (const route of withRight) {
    const { status, body, text } = await server.api<ProblemOut>(addressOf(route, id, track.album_id), {
      method: route.spec.method.toUpperCase(),
      token,
      ...bodyOf(route, id),
    });
    const name = `${route.spec.method} ${route.spec.path}`;
    expect([status, body.errors], `${name}: ${text}`).toEqual([
      403,
      [{ field: RIGHTS[route.spec.right as Right].name, message: 'is needed' }],
    ]);
  }
});

const addressOf = ({ spec }: Route, trackId: number, albumId: number | null): string =>
  (spec.path.startsWith('/albums/')
    ? spec.path.replace(':id', String(albumId))
    : spec.path.replace(':id', String(trackId))
  )
    .replace(':n', '1')
    .replace(':candidate', 'embedded-1-1')
    .replace(':mbid', '00000000-0000-4000-8000-000000000000')
    .replace(':edit_id', '1')
    .replace(':batch', 'none');

/** Returns a valid request, so that only the missing right refuses it. */
function bodyOf({ spec }: Route, trackId: number): { body?: unknown } {
  const bodies: Record<string, unknown> = {
    'patch /tracks/:id': { year: 1999 },
    'patch /albums/:id': { year: 1999 },
    'put /albums/:id/charset': { charset: 'gbk' },
    'put /tracks/:id/metadata': { title: 'X', artist: 'Y', album: 'Z' },
    'post /duplicates/merge': { keep: trackId, merge: [trackId + 1] },
    'post /duplicates/dismiss': { track_id: trackId, other_ids: [trackId + 1] },
    'post /tracks/:id/relocate': { track_id: trackId + 1 },
    'put /tracks/:id/lyrics': { text: 'la la' },
    'put /albums/:id/cover': new FormData(),
    'post /albums/:id/cover/choose': { candidate: 'embedded-1-1' },
    'post /shares': { track_ids: [trackId] },
    'patch /shares/:id': { is_ended: true },
    'post /podcasts': { url: 'https://podcasts.example/feed' },
  };
  const body = bodies[`${spec.method} ${spec.path}`];
  return body === undefined ? {} : { body };
}

test('a route that writes what all share says which right it needs', () => {
  // the trash checks for each track who deleted it and who added it; look-ups only add missing information
  const OWN_DATA_PATHS =
    'users/me|likes|history|queue|bookmarks|playlists|shares|jukebox|devices|auth|trash|radio|map/line';
  const lookUps = 'tracks/:id/lyrics/lookup|(artists|albums)/:id/about/lookup';
  const OWN_DATA_PATTERN = new RegExp(`^/(${OWN_DATA_PATHS}|podcast-episodes/:id/position|${lookUps})`);
  const open = server.app.routes
    .filter(({ spec }) => spec.method !== 'get' && spec.access === 'user' && spec.right === undefined)
    .map(({ spec }) => `${spec.method} ${spec.path}`)
    .filter((name) => !OWN_DATA_PATTERN.test(name.split(' ')[1] ?? ''));
  expect(open).toEqual([]);
});

test('what somebody uploaded is theirs to edit, until somebody else likes it or has it in a playlist', async () => {
  const [owner, otherToken] = [await someone(), await someone()];
  const [likedTrack, listedTrack] = [await bring(owner), await bring(owner)];
  expect(likedTrack.uploaded_by).toBe((await getUser(owner)).id);
  expect([await edit(owner, likedTrack.id), await edit(otherToken, likedTrack.id)]).toEqual([200, 403]);

  await server.api('/likes', {
    method: 'POST',
    token: otherToken,
    body: { item_type: 'track', item_id: likedTrack.id, liked: true },
  });
  const { body } = await server.api<{ id: number }>('/playlists', {
    method: 'POST',
    token: otherToken,
    body: { name: 'Hers' },
  });
  await server.api(`/playlists/${body.id}/tracks`, {
    method: 'POST',
    token: otherToken,
    body: { track_ids: [listedTrack.id] },
  });
  expect([await edit(owner, likedTrack.id), await edit(owner, listedTrack.id)]).toEqual([403, 403]);
  expect((await server.api(`/tracks/${listedTrack.id}`, { method: 'DELETE', token: owner })).status).toBe(403);

  await setTerms(owner, { can_edit: true });
  expect(await edit(owner, listedTrack.id)).toBe(200);
});

test('an upload past the quota is refused and keeps nothing; a smaller one is taken', async () => {
  const token = await someone();
  const [smallSong, large] = [song(10), song(200)];
  await setTerms(token, { quota_bytes: smallSong.length + 10 });
  const refusal = await upload(token, large);
  expect([refusal.status, refusal.body.errors?.[0]?.field]).toEqual([507, ACCOUNT_LIMITS.quotaBytes.name]);
  expect((await upload(token, smallSong)).status).toBe(201);
  expect((await upload(token, song(10))).status).toBe(507);
});

test('what one already has can be uploaded again, whatever is left of the quota', async () => {
  const token = await someone();
  const ownSong = song();
  const { body } = await upload(token, ownSong);
  const id = body.items[0]?.id;
  await setTerms(token, { quota_bytes: 1 });
  expect((await upload(token, ownSong)).status).toBe(200);
  await server.api(`/tracks/${id}`, { method: 'DELETE', token });
  const uploadedAgain = await upload(token, ownSong);
  expect([uploadedAgain.status, uploadedAgain.body.items[0]?.id]).toEqual([200, id]);
  expect((await upload(token)).status).toBe(507);
});

test('a track that is hidden while its file is several tracks takes nothing of the quota', async () => {
  const token = await someone();
  const { id } = await bring(token);
  await server.api(`/tracks/${id}`, { method: 'DELETE', token });
  const nextSong = song();
  await setTerms(token, { quota_bytes: nextSong.length });
  expect((await upload(token, nextSong)).status).toBe(507);
  server.app.db.$client.prepare('UPDATE trashed_tracks SET is_hidden = 1 WHERE id = ?').run(id);
  expect((await upload(token, nextSong)).status).toBe(201);
});

const picture = (): Promise<Buffer> =>
  sharp({ create: { width: 20, height: 20, channels: 3, background: '#345' } })
    .png()
    .toBuffer();

test('below the floor of free space nobody uploads', async () => {
  await server.api('/settings', { method: 'PATCH', body: { min_free_bytes: Number.MAX_SAFE_INTEGER } });
  const { status, body } = await upload(server.token);
  const cover = new FormData();
  cover.append('file', new Blob([new Uint8Array(await picture())]), 'cover.png');
  const ofCover = (await server.api('/albums/1/cover', { method: 'PUT', body: cover })).status;
  await server.api('/settings', { method: 'PATCH', body: { min_free_bytes: null } });
  expect([status, body.detail, ofCover]).toEqual([507, expect.stringContaining('MIN_FREE_BYTES'), 507]);
});

test('the roles of Subsonic are the rights, read and set, and refuse with 50', async () => {
  const admin = await openPhone(server);
  const listener = await someone();
  const phone = await openPhone(server, { token: listener });
  const roles = async (): Promise<Record<string, unknown>> =>
    phone.ask('getUser', { username: phone.username }, 'user');
  expect(await roles()).toMatchObject({ coverArtRole: false, uploadRole: true, shareRole: true, maxBitRate: 0 });

  const noRoles = Object.fromEntries(RIGHT_LIST.map((right) => [RIGHTS[right].role, false]));
  expect((await admin.get('updateUser', { username: phone.username, ...noRoles, maxBitRate: 128 })).body.status).toBe(
    'ok',
  );
  expect(await roles()).toMatchObject({ ...noRoles, maxBitRate: 128 });
  expect(await getUser(listener)).toMatchObject({ ...NO_RIGHTS, max_bitrate_kbps: 128 });

  const { id } = await bring(server.token);
  const refusals = [
    await phone.get('createShare', { id: `tr-${id}` }),
    await phone.get('jukeboxControl', { action: 'status' }),
    await phone.get('download', { id: `tr-${id}` }),
  ].map(({ body }) => [body.error?.code, /can_\w+/.exec(body.error?.message ?? '')?.[0]]);
  expect(refusals).toEqual([
    [50, 'can_share'],
    [50, 'can_jukebox'],
    [50, 'can_download'],
  ]);

  await admin.get('createUser', { username: 'by-phone', password: 'long enough', email: 'a@b', downloadRole: true });
  const phoneAccount = await admin.ask('getUser', { username: 'by-phone' }, 'user');
  expect(phoneAccount).toMatchObject({ downloadRole: true, uploadRole: false, coverArtRole: false });
});

test('a share is closed while its owner may not share', async () => {
  const token = await someone();
  const phone = await openPhone(server, { token });
  const { id } = await bring(token);
  const { share } = await phone.ask<{ share: { url: string }[] }>('createShare', { id: `tr-${id}` }, 'shares');
  const open = async (): Promise<number> => (await fetch(share[0]?.url ?? '')).status;
  expect(await open()).toBe(200);
  await setTerms(token, { can_share: false });
  expect(await open()).toBe(410);
});
