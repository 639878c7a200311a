// Several users of one server through the Subsonic API: accounts may do what the administration calls report, everybody
// sees what the others play unless they hide it, and administrators see the playlists of others.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trackMaker } from '../support/fixed-tracks.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

type Entry = Record<string, unknown> & { username: string; playerName: string; title: string };
let server: TestServer;
let token: string;
let owner: Phone;
let listener: Phone;
let song: string;

beforeAll(async () => {
  server = await startServer();
  song = `tr-${trackMaker(server.app).add({ title: 'Low Tide' })}`;
  token = await registerUser(server);
  owner = await openPhone(server, { client: 'Owner’s phone' });
  listener = await openPhone(server, { token, client: 'Listener’s phone' });
});
afterAll(() => server.close());

const listNowPlaying = async (phone: Phone): Promise<Entry[]> =>
  (await phone.ask<{ entry: Entry[] }>('getNowPlaying', {}, 'nowPlaying')).entry;

describe('now playing', () => {
  it('is of all people, each with a name and a player', async () => {
    await owner.ask('scrobble', { id: song, submission: false }, '');
    await listener.ask('reportPlayback', { mediaId: song, mediaType: 'song', positionMs: 0, state: 'playing' }, '');
    for (const phone of [owner, listener])
      expect(
        (await listNowPlaying(phone)).map(({ username, playerName }) => `${username}: ${playerName}`).toSorted(),
      ).toEqual(['admin: Owner’s phone', 'listener: Listener’s phone']);
  });
  it('is hidden from others when its person says so, and not from the person', async () => {
    const hide = (hides_playing: boolean) =>
      server.api('/users/me/privacy', { method: 'PUT', token, body: { hides_playing } });
    expect(await hide(true)).toMatchObject({ status: 200, body: { hides_playing: true } });
    expect((await listNowPlaying(owner)).map(({ username }) => username)).toEqual(['admin']);
    expect((await listNowPlaying(listener)).map(({ username }) => username).toSorted()).toEqual(['admin', 'listener']);
    await hide(false);
    expect(await listNowPlaying(owner)).toHaveLength(2);
  });
});

describe('a device that stops', () => {
  it('leaves what another one of its person plays', async () => {
    const tablet = await openPhone(server, { client: 'Tablet' });
    const report = { mediaId: song, mediaType: 'song', positionMs: 0 };
    await tablet.ask('reportPlayback', { ...report, state: 'playing' }, '');
    await owner.ask('scrobble', { id: song, submission: false }, '');
    await tablet.ask('reportPlayback', { ...report, state: 'stopped' }, '');
    const ownEntries = (await listNowPlaying(owner)).filter(({ username }) => username === 'admin');
    expect(ownEntries.map(({ playerName }) => playerName)).toEqual(['Owner’s phone']);
  });
});

describe('an account', () => {
  const newAccount = { username: 'made', password: 'long enough password', email: 'made@example.com' };
  const roles = { downloadRole: true, uploadRole: true, shareRole: false, podcastRole: true, maxBitRate: 128 };
  it('has what its making said, and its changes', async () => {
    await owner.ask('createUser', { ...newAccount, ...roles }, '');
    const reportedRoles = { ...roles, email: newAccount.email, coverArtRole: false, jukeboxRole: false };
    expect(await owner.ask('getUser', { username: 'made' }, 'user')).toMatchObject(reportedRoles);
    const change = { jukeboxRole: true, podcastRole: false, maxBitRate: 0, email: 'new@example.com' };
    await owner.ask('updateUser', { username: 'made', ...change }, '');
    expect(await owner.ask('getUser', { username: 'made' }, 'user')).toMatchObject({ ...roles, ...change });
  });
  it.each([{ streamRole: false }, { adminRole: true }, { musicFolderId: 7 }])(
    'is refused what no account here can be: %o',
    async (field) => {
      expect((await owner.get('updateUser', { username: 'made', ...field })).body.error?.code).toBe(50);
      expect((await owner.get('createUser', { ...newAccount, username: 'other', ...field })).body.error?.code).toBe(50);
      expect((await owner.get('getUser', { username: 'other' })).body.error?.code).toBe(70);
    },
  );
  it('takes the roles that every account has', async () => {
    const usualRoles = {
      streamRole: true,
      playlistRole: true,
      settingsRole: true,
      commentRole: true,
      musicFolderId: 1,
    };
    expect((await owner.get('updateUser', { username: 'made', ...usualRoles })).body.status).toBe('ok');
    // according to the protocol playlistRole has no effect, and libraries send it unasked
    expect((await owner.get('updateUser', { username: 'made', playlistRole: false })).body.status).toBe('ok');
  });
  it('is made by a client that spells out the defaults of the protocol', async () => {
    const explicitAccount = {
      ...newAccount,
      username: 'spelled',
      commentRole: false,
      playlistRole: false,
      settingsRole: true,
    };
    expect((await owner.get('createUser', explicitAccount)).body.status).toBe('ok');
    expect((await owner.get('updateUser', { username: 'spelled', commentRole: false })).body.status).toBe('ok');
  });
  it('has an avatar with its initials', async () => {
    const picture = await owner.bytes('getAvatar', { username: 'made' });
    expect(picture.headers.get('content-type')).toBe('image/png');
    expect(
      Buffer.from(await picture.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  });
});

describe('getPlaylists with a username', () => {
  type Lists = { playlist: { name: string }[] };
  const names = async (phone: Phone, params: object): Promise<string[]> =>
    (await phone.ask<Lists>('getPlaylists', { ...params }, 'playlists')).playlist.map(({ name }) => name);
  it('gives administrators the lists of that person, and others an error', async () => {
    await listener.ask('createPlaylist', { name: 'Theirs', songId: song }, '');
    expect(await names(owner, {})).toEqual([]);
    expect(await names(owner, { username: 'listener' })).toEqual(['Theirs']);
    expect(await names(listener, { username: 'Listener' })).toEqual(['Theirs']);
    expect((await listener.get('getPlaylists', { username: 'admin' })).body.error?.code).toBe(50);
    expect((await owner.get('getPlaylists', { username: 'nobody' })).body.error?.code).toBe(70);
  });
});
