// Podcasts from their feed to the player, over REST and Subsonic; feeds and downloads that fail, and downloads that are
// resumed.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EpisodePage, PodcastOut } from '../../server/podcasts/wire.ts';
import { startPodcastHost, type PodcastHost } from '../fakes/podcast-host.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { whileQueueIsDown } from '../support/queue-down.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

let host: PodcastHost;
let server: TestServer;
let dir: string;
let phone: Phone;

const settings = { PODCAST_DOWNLOAD_NEWEST: '0' };
async function start(env: Record<string, string> = {}): Promise<void> {
  server = await startServer({ dir, podcastsFrom: new URL(host.url), env: { ...settings, ...env } });
  phone = await openPhone(server);
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-podcasts-'));
  host = await startPodcastHost();
  await start();
});
afterAll(async () => {
  await server.close();
  await host.close();
  rmSync(dir, { recursive: true, force: true });
});

const podcasts = async (): Promise<PodcastOut[]> => (await server.api<PodcastOut[]>('/podcasts')).body;
const episodes = async (): Promise<EpisodePage['items']> => {
  const [podcast] = (await podcasts()).filter(({ title }) => title === 'Harbour Talk');
  return (await server.api<EpisodePage>(`/podcasts/${podcast?.id}/episodes`)).body.items;
};
const findEpisode = async (title: string) => (await episodes()).find((episode) => episode.title === title);
const add = (path: string) => server.api<PodcastOut>('/podcasts', { method: 'POST', body: { url: host.url + path } });
const refreshPodcast = async (id: number): Promise<PodcastOut | undefined> => {
  await server.api(`/podcasts/${id}/refresh`, { method: 'POST' });
  await server.app.drain();
  return (await podcasts()).find((podcast) => podcast.id === id);
};
const files = (): string[] => readdirSync(join(dir, 'podcasts'));

describe('a feed', () => {
  it('is read when it is added, once, and asked for changes only afterwards', async () => {
    const { status, body } = await add('/feed');
    expect([status, body.status]).toEqual([201, 'new']);
    await server.app.drain();
    expect((await podcasts())[0]).toMatchObject({ title: 'Harbour Talk', status: 'completed', error: null });
    expect((await episodes()).map(({ title }) => title)).toEqual(['Episode 3', 'Episode 2', 'Episode 1']);
    expect((await add('/feed')).status).toBe(409);
    await refreshPodcast(body.id);
    expect(host.requests.at(-1)).toBe('GET /feed "1-2-3" 304');
    host.episodes = [2, 3, 4];
    await refreshPodcast(body.id);
    expect((await episodes()).map(({ title }) => title)).toEqual(['Episode 4', 'Episode 3', 'Episode 2']);
  });

  it.each([
    ['/inside', /own network|private|127\.0\.0\.2/],
    ['/endless', /more than 5 times/],
    ['/huge', /more than 3\d MB/],
    ['/page', /no podcast feed/],
    ['/gone', /status 404/],
  ])('at %s says what is wrong', async (path, problem) => {
    const { body } = await add(path);
    await server.app.drain();
    const podcast = (await podcasts()).find(({ id }) => id === body.id);
    expect(podcast).toMatchObject({ status: 'error', error: expect.stringMatching(problem) });
    expect((await server.api(`/podcasts/${body.id}`, { method: 'DELETE' })).status).toBe(204);
  });

  it('that the job queue cannot take is not added', async () => {
    const podcastsBefore = await podcasts();
    expect((await whileQueueIsDown(server, () => add('/another'))).status).toBe(503);
    expect(await podcasts()).toEqual(podcastsBefore);
  });

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'nothing', `http://${'a'.repeat(1_990)}.example/`])(
    'is not taken from %s',
    async (url) => {
      expect((await server.api('/podcasts', { method: 'POST', body: { url } })).status).toBe(422);
    },
  );

  it('of another host on the own network is not asked', async () => {
    const { body } = await server.api<PodcastOut>('/podcasts', {
      method: 'POST',
      body: { url: 'http://127.0.0.1:9/feed' },
    });
    await server.app.drain();
    expect((await podcasts()).find(({ id }) => id === body.id)?.status).toBe('error');
    await server.api(`/podcasts/${body.id}`, { method: 'DELETE' });
  });
});

describe('an episode', () => {
  it('plays from its server before it is downloaded, with ranges, and from here afterwards', async () => {
    const episode = await findEpisode('Episode 4');
    const listen = (init?: RequestInit): Promise<Response> => phone.bytes('stream', { id: `pe-${episode?.id}` }, init);
    const partialResponse = await listen({ headers: { Range: 'bytes=100-' } });
    expect([partialResponse.status, (await partialResponse.arrayBuffer()).byteLength]).toEqual([
      206,
      host.audio.length - 100,
    ]);
    host.packs = true;
    expect(Buffer.from(await (await listen()).arrayBuffer())).toEqual(host.audio);
    host.packs = false;
    await phone.ask('downloadPodcastEpisode', { id: `pe-${episode?.id}` }, '');
    await server.app.drain();
    expect(await findEpisode('Episode 4')).toMatchObject({ status: 'completed', size_bytes: host.audio.length });
    const requestCount = host.requests.length;
    const wholeEpisode = await listen();
    expect([wholeEpisode.status, wholeEpisode.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    expect(Buffer.from(await wholeEpisode.arrayBuffer())).toEqual(host.audio);
    expect(host.requests).toHaveLength(requestCount);
    expect(statSync(join(dir, 'podcasts', `${episode?.id}.mp3`)).size).toBe(host.audio.length);
  });

  it('goes on to download after a stop in the middle', async () => {
    const episode = await findEpisode('Episode 3');
    host.stallAfter = 50_000;
    await server.api(`/podcast-episodes/${episode?.id}/download`, { method: 'POST' });
    const partPath = join(dir, 'podcasts', `${episode?.id}.part`);
    await until(() => existsSync(partPath) && statSync(partPath).size === 50_000);
    await server.close();
    host.stallAfter = undefined;
    await start();
    await server.app.drain();
    expect(host.requests.at(-1)).toBe('GET /audio/3.mp3 bytes=50000- 206');
    const audioAnswer = await phone.bytes('stream', { id: `pe-${episode?.id}` });
    expect(Buffer.from(await audioAnswer.arrayBuffer())).toEqual(host.audio);
    expect(files().filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('that was downloaded first is deleted when there is no room for another', async () => {
    await server.close();
    await start({ PODCAST_MAX_BYTES: String(host.audio.length * 2) });
    const episode = await findEpisode('Episode 2');
    await server.api(`/podcast-episodes/${episode?.id}/download`, { method: 'POST' });
    await server.app.drain();
    expect((await episodes()).map(({ title, status }) => `${title} ${status}`)).toEqual([
      'Episode 4 deleted',
      'Episode 3 completed',
      'Episode 2 completed',
    ]);
    expect(files()).toHaveLength(2);
  });

  it('that was deleted is not replaced by an older one', async () => {
    await server.api('/settings', { method: 'PATCH', body: { podcast_download_newest: 3 } });
    host.episodes = [1, 2, 3, 4];
    const [podcast] = await podcasts();
    await refreshPodcast(podcast?.id ?? 0);
    expect((await episodes()).map(({ status }) => status)).toEqual(['deleted', 'completed', 'completed', 'new']);
    host.episodes = [2, 3, 4];
    await refreshPodcast(podcast?.id ?? 0);
  });

  it('that was deleted stays so while the feed is empty or incomplete', async () => {
    const [podcast] = await podcasts();
    for (const listedEpisodes of [[], [2, 3], [2, 3, 4]]) {
      host.episodes = listedEpisodes;
      await refreshPodcast(podcast?.id ?? 0);
    }
    expect((await episodes()).map(({ status }) => status)).toEqual(['deleted', 'completed', 'completed']);
  });

  it('larger than all the room is refused, and the others stay', async () => {
    await server.close();
    await start({ PODCAST_MAX_BYTES: String(host.audio.length - 1) });
    const episode = await findEpisode('Episode 4');
    await server.api(`/podcast-episodes/${episode?.id}/download`, { method: 'POST' });
    await server.app.drain();
    expect(await findEpisode('Episode 4')).toMatchObject({
      status: 'error',
      error: expect.stringMatching(/larger|more than/),
    });
    expect((await episodes()).map(({ status }) => status)).toEqual(['error', 'completed', 'completed']);
    expect(files()).toHaveLength(2);
    await phone.ask('deletePodcastEpisode', { id: `pe-${episode?.id}` }, '');
  });

  it('whose file is gone plays from its server', async () => {
    const episode = await findEpisode('Episode 2');
    const path = join(dir, 'podcasts', `${episode?.id}.mp3`);
    const bytes = readFileSync(path);
    rmSync(path);
    const audioAnswer = await phone.bytes('stream', { id: `pe-${episode?.id}` });
    expect(Buffer.from(await audioAnswer.arrayBuffer())).toEqual(host.audio);
    writeFileSync(path, bytes);
  });

  it('is where its listener stopped, and is no bookmark of others', async () => {
    const episode = await findEpisode('Episode 3');
    const id = `pe-${episode?.id}`;
    await phone.ask('createBookmark', { id, position: 4_000, comment: 'here' }, '');
    expect(await findEpisode('Episode 3')).toMatchObject({ position_ms: 4_000 });
    const report = { mediaId: id, mediaType: 'podcast', positionMs: 6_000, state: 'paused' };
    await phone.ask('reportPlayback', report, '');
    type Marks = { bookmark: { position: number; comment: string; entry: { id: string; type: string } }[] };
    const { bookmark } = await phone.ask<Marks>('getBookmarks', {}, 'bookmarks');
    expect(bookmark).toMatchObject([{ position: 6_000, comment: 'here', entry: { id, type: 'podcast' } }]);
    const otherPhone = await openPhone(server, { token: await registerUser(server) });
    expect(await otherPhone.ask('getBookmarks', {}, 'bookmarks')).toEqual({ bookmark: [] });
    await phone.ask('deleteBookmark', { id }, '');
    expect(await findEpisode('Episode 3')).toMatchObject({ position_ms: null });
  });

  it('has the picture of its podcast, which is fetched once', async () => {
    const [podcast] = await podcasts();
    const [episode] = await episodes();
    const etags = new Set<string | null>();
    for (const id of [`pc-${podcast?.id}`, `pe-${episode?.id}`, 'pc-999']) {
      const response = await phone.bytes('getCoverArt', { id, size: 200 });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
      etags.add(response.headers.get('etag'));
      await response.arrayBuffer();
    }
    expect(etags.size).toBe(2); // the podcast's image and the placeholder have different etags
    expect(host.requests.filter((line) => line.includes('/cover'))).toEqual(['GET /cover - 200']);
  });

  it('is no track: in no list, search or statistic', async () => {
    expect((await server.api<{ total: number }>('/tracks?limit=1')).body.total).toBe(0);
    const searchResult = await phone.ask('search3', { query: 'Episode' }, 'searchResult3');
    expect(searchResult).toMatchObject({ song: [], album: [], artist: [] });
    expect((await server.api<{ tracks: number }>('/storage')).body.tracks).toBe(0);
  });

  it('is shown to everybody, and only downloaded and removed by those who may', async () => {
    const token = await registerUser(server, 'second');
    const otherPhone = await openPhone(server, { token });
    type Channels = { channel: { id: string; episode: { id: string; status: string; streamId?: string }[] }[] };
    const { channel } = await otherPhone.ask<Channels>('getPodcasts', {}, 'podcasts');
    expect(channel[0]?.episode.map(({ status, streamId }) => `${status} ${streamId !== undefined}`)).toEqual([
      'deleted false',
      'completed true',
      'completed true',
    ]);
    const id = channel[0]?.id ?? '';
    for (const [endpoint, params] of [
      ['createPodcastChannel', { url: `${host.url}/moved` }],
      ['deletePodcastChannel', { id }],
      ['refreshPodcasts', {}],
    ] as const)
      expect((await otherPhone.get(endpoint, params)).body.error?.code, endpoint).toBe(50);
    expect((await server.api('/podcasts/1', { method: 'DELETE', token })).status).toBe(403);
    const { body: user } = await server.api<{ id: number }>('/users/me', { token });
    const setBitrateLimit = (kbps: number) =>
      server.api(`/users/${user.id}`, { method: 'PATCH', body: { max_bitrate_kbps: kbps } });
    const heardId = channel[0]?.episode[1]?.id ?? '';
    await setBitrateLimit(64);
    for (const endpoint of ['stream', 'download'])
      expect((await otherPhone.get(endpoint, { id: heardId })).body.error?.code, endpoint).toBe(50);
    await setBitrateLimit(320);
    expect((await otherPhone.bytes('stream', { id: heardId })).headers.get('content-type')).toBe('audio/mpeg');
    await phone.ask('deletePodcastChannel', { id }, '');
    expect(await podcasts()).toEqual([]);
    expect(files()).toEqual([]);
  });
});
