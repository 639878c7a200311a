// Tests what others can read of a playlist that was private.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlaylistOut } from '../../server/playlists/wire.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { openPhone } from '../support/phone.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let tracks: number[];
beforeAll(async () => {
  server = await startServer();
  const maker = trackMaker(server.app);
  tracks = [1, 2, 3].map((n) => maker.add({ title: `Song ${n}` }));
});
afterAll(() => server.close());

test('a playlist that is made public shows what it was since then, and nothing from before', async () => {
  const token = await registerUser(server, 'dora');
  const { id } = (
    await server.api<PlaylistOut>('/playlists', { method: 'POST', body: { name: 'Diary', track_ids: [tracks[0]] } })
  ).body;
  const addTrack = (track: number) =>
    server.api(`/playlists/${id}/tracks`, { method: 'POST', body: { track_ids: [track] } });
  const publish = (is_public: boolean) => server.api(`/playlists/${id}`, { method: 'PATCH', body: { is_public } });
  const listSeenVersions = async (viewerToken: string) => {
    const { body } = await server.api<{ items: { version: number }[] }>(`/playlists/${id}/versions`, {
      token: viewerToken,
    });
    return body.items.map(({ version }) => version);
  };
  const entries = async (version: number) =>
    (await server.api(`/playlists/${id}/versions/${version}`, { token })).status;
  await addTrack(tracks[1]!);
  await publish(true);
  await publish(true);
  await addTrack(tracks[2]!);
  expect(await listSeenVersions(token)).toEqual([3, 2]);
  expect(await listSeenVersions(server.token)).toEqual([3, 2, 1]);
  expect([await entries(1), await entries(2)]).toEqual([404, 200]);
  await publish(false);
  await addTrack(tracks[0]!);
  const phone = await openPhone(server);
  await phone.get('updatePlaylist', { playlistId: `pl-${id}`, public: true, songIndexToRemove: 0 });
  expect(await listSeenVersions(token)).toEqual([5]);
});
