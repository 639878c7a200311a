// The remote catalogue over HTTP, with a fake Internet Archive: search, save, fetch, play; concurrent requests; the
// state after changes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TrackId } from '../../server/db/ids.ts';
import type { DownloadJobOut } from '../../server/downloads/wire.ts';
import type { AlbumOut, TrackOut } from '../../server/library/wire.ts';
import { createRemoteMerge } from '../../server/downloads/remote-tracks.ts';
import { createTrackMerge } from '../../server/library/merges/track-merge.ts';
import { createTrackWriter } from '../../server/library/tracks/track-writer.ts';
import type { SearchResponse } from '../../server/search/remote-wire.ts';
import type { SourceOut } from '../../server/sources/wire.ts';
import { startFakeArchive, type FakeArchive } from '../fakes/internet-archive.ts';
import { openPhone } from '../support/phone.ts';
import { holdLimit } from '../support/held-limit.ts';
import { whileQueueIsDown } from '../support/queue-down.ts';
import { HASTE, itemOf, makeAudio, remoteUser } from '../support/remote.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

let dir: string;
let archive: FakeArchive;
let server: TestServer;
let user: ReturnType<typeof remoteUser>;
let audio: Buffer[];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-remote-'));
  audio = makeAudio(join(dir, 'audio'), 16);
  archive = await startFakeArchive();
  const names = [
    'Harbour Lights',
    'Slack Tide',
    'Twenty Saves',
    'Twenty Fetches',
    'Renamed',
    'Merged',
    'By Phone',
    'Queued',
    'Cancelled',
    'Hidden',
    'Removed',
    'Known Already',
    'No Queue',
  ];
  archive.items.set(
    'quays-low-water',
    itemOf(
      'quays-low-water',
      'Low Water',
      'The Quays',
      names.map((name, i) => [name, audio[i] as Buffer]),
    ),
  );
  archive.items.set('dark-item', { identifier: 'dark-item', fields: { title: 'Withdrawn' }, isDark: true });
  server = await startServer({ env: { STREAMSRC_BASE_URL: archive.url }, cataloguePace: HASTE });
  await server.api('/settings', { method: 'PATCH', body: { streamsrc_enabled: true } });
  user = remoteUser(server);
});
afterAll(async () => {
  await server.close();
  await archive.close();
  rmSync(dir, { recursive: true, force: true });
});

describe('a search', () => {
  it('returns tracks with their metadata, matching titles first', async () => {
    const [firstHit, ...otherHits] = await user.searchFor('harbour');
    expect(firstHit).toMatchObject({
      source: 'streamsrc',
      source_id: 'ia:quays-low-water/01 Harbour Lights.mp3',
      kind: 'track',
      title: 'Harbour Lights',
      artist_name: 'The Quays',
      album_title: 'Low Water',
      duration_ms: 1_000,
      year: 2009,
      in_library: false,
      track_id: null,
      availability: null,
    });
    expect(otherHits.length).toBeGreaterThan(5);
    const cover = await fetch(`${server.url}${firstHit?.cover_url ?? ''}&token=${server.token}`);
    expect([cover.status, cover.headers.get('content-type')]).toEqual([200, 'image/webp']);
  });

  it('asks the catalogue once for a repeated search, in any spelling', async () => {
    await user.searchFor('slack tide');
    const requestCount = archive.requests.length;
    await user.searchFor('  Slack TIDE ');
    expect(archive.requests).toHaveLength(requestCount);
  });

  it('escapes operators of the archive', async () => {
    await user.searchFor('a (b) AND "c"');
    expect(archive.queries.at(-1)).toBe(
      String.raw`mediatype:audio AND (title:(a \(b\) and \"c\") OR creator:(a \(b\) and \"c\"))`,
    );
  });

  it('across sources reports one that fails or does not exist, and returns the others', async () => {
    archive.next.push({ status: 503 });
    const { status, body } = await server.api<SearchResponse>('/search?q=nothing-known&sources=streamsrc,elsewhere');
    expect(status).toBe(200);
    expect(body).toEqual({
      query: 'nothing-known',
      items: [],
      errors: [
        {
          source: 'streamsrc',
          detail: expect.stringMatching(
            /^The catalogue is temporarily unavailable \(127\.0\.0\.1:\d+ answered 503\)\.$/,
          ),
        },
        { source: 'elsewhere', detail: 'There is no searchable source with this name.' },
      ],
    });
    expect((await server.api<SearchResponse>('/search?q=harbour')).body.items[0]?.title).toBe('Harbour Lights');
  });

  it('fails with a reason for an invalid response, and times out without one', async () => {
    archive.next.push({ status: 200, body: '{"error":"x"}' }, 'hang');
    const odd = await server.api<{ detail: string }>('/sources/streamsrc/search?q=odd');
    expect([odd.status, odd.body.detail]).toEqual([503, expect.stringMatching(/^The response of .* is invalid\.$/)]);
    const limit = holdLimit(HASTE.stallMs);
    archive.onSilence = () => void limit.runOut();
    const silent = await server.api<{ detail: string }>('/sources/streamsrc/search?q=silent');
    expect([silent.status, silent.body.detail]).toEqual([503, expect.stringMatching(/sent nothing for 600\.004 s/)]);
    limit.release();
  });

  it('of a source that does not exist, or for nothing, is rejected', async () => {
    expect((await server.api('/sources/nowhere/search?q=x')).status).toBe(404);
    expect((await server.api('/sources/streamsrc/search?q=')).status).toBe(422);
  });
});

it('search, save, fetch and stream return the bytes of the source, and its names and cover before', async () => {
  const hit = await user.firstHit('Harbour Lights');
  const savedResponse = await user.save(hit);
  expect(savedResponse.status).toBe(201);
  expect(savedResponse.body).toMatchObject({
    title: 'Harbour Lights',
    artist_name: 'The Quays',
    album_title: 'Low Water',
    track_number: 1,
    year: 2009,
    source: 'streamsrc',
    source_id: hit.source_id,
    storage_uri: null,
    availability: 'remote',
    has_cover: true,
    metadata_status: 'pending',
  });
  const { body: album } = await server.api<AlbumOut>(`/albums/${savedResponse.body.album_id}`);
  expect(album).toMatchObject({ source: 'streamsrc', source_id: 'ia:quays-low-water' });
  const { id } = savedResponse.body;
  expect(await user.firstHit('Harbour Lights')).toMatchObject({
    in_library: true,
    track_id: id,
    availability: 'remote',
  });
  for (const item of [`tracks/${id}`, `albums/${savedResponse.body.album_id}`]) {
    const cover = await fetch(`${server.url}/api/v1/${item}/cover?size=300&token=${server.token}`);
    expect([item, cover.status, cover.headers.get('content-type')]).toEqual([item, 200, 'image/webp']);
  }
  expect((await server.api<{ has_cover: boolean }>(`/albums/${savedResponse.body.album_id}`)).body.has_cover).toBe(
    true,
  );
  const earlyResponse = await server.api<{ detail: string }>(`/stream/${id}`);
  expect([earlyResponse.status, earlyResponse.body.detail]).toEqual([
    409,
    expect.stringContaining(`/tracks/${id}/materialize`),
  ]);

  const materializeAnswer = await user.materialize(id);
  expect(materializeAnswer.status).toBe(202);
  expect(materializeAnswer.body).toMatchObject({
    source: 'streamsrc',
    source_id: hit.source_id,
    track_id: id,
    max_attempts: 5,
    error: null,
  });
  await server.app.drain();
  expect(await user.download(materializeAnswer.body.id)).toMatchObject({
    status: 'succeeded',
    attempts: 1,
    progress: 1,
    bytes_done: audio[0]?.length,
    bytes_total: audio[0]?.length,
    error: null,
    next_attempt_at: null,
  });
  expect(await user.track(id)).toMatchObject({
    id,
    availability: 'available',
    format: 'mp3',
    size_bytes: audio[0]?.length,
    metadata_status: 'enriched',
  });
  expect((await user.bytesOf(id)).equals(audio[0] as Buffer)).toBe(true);
  expect(await user.firstHit('Harbour Lights')).toMatchObject({
    in_library: true,
    track_id: id,
    availability: 'available',
  });
  const secondAnswer = await user.materialize(id);
  expect([secondAnswer.status, secondAnswer.body.id]).toEqual([200, materializeAnswer.body.id]);
});

it('missing audio is fetched again', async () => {
  const { track_id: id } = await user.firstHit('Harbour Lights');
  const { storage_uri } = await user.track(id ?? 0);
  rmSync(join(server.dir, 'library', storage_uri?.replace('local:', '') ?? ''));
  expect((await server.api(`/stream/${id}`)).status).toBe(410);
  expect((await user.track(id ?? 0)).availability).toBe('missing');
  expect((await user.materialize(id ?? 0)).status).toBe(202);
  await server.app.drain();
  expect((await user.bytesOf(id ?? 0)).equals(audio[0] as Buffer)).toBe(true);
});

it('twenty saves of one hit at once are one track', async () => {
  const hit = await user.firstHit('Twenty Saves');
  const answers = await Promise.all(Array.from({ length: 20 }, () => user.save(hit)));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect(Object.groupBy(answers, ({ status }) => status)).toMatchObject({ 200: { length: 19 }, 201: { length: 1 } });
});

it('twenty fetches of one track at once are one download and one job', async () => {
  const {
    body: { id },
  } = await user.save(await user.firstHit('Twenty Fetches'));
  const answers = await Promise.all(Array.from({ length: 20 }, () => user.materialize(id)));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  await server.app.drain();
  const { body } = await server.api<{ total: number; items: { status: string }[] }>(
    '/jobs?task=materialize_track&limit=200',
  );
  const downloads = (await server.api<{ items: DownloadJobOut[] }>('/downloads?limit=200')).body.items.filter(
    ({ track_id }) => track_id === id,
  );
  expect(downloads).toHaveLength(1);
  expect(body.items.length).toBe((await server.api<{ total: number }>('/downloads')).body.total);
  expect((await user.bytesOf(id)).equals(audio[3] as Buffer)).toBe(true);
});

it('a hit is recognized after its track was renamed or merged', async () => {
  const renamedTrack = (await user.save(await user.firstHit('Renamed'))).body;
  await server.api(`/tracks/${renamedTrack.id}/metadata`, {
    method: 'PUT',
    body: { title: 'Something else', artist: 'Somebody', album: null },
  });
  expect(await user.firstHit('Renamed')).toMatchObject({ in_library: true, track_id: renamedTrack.id });

  const mergedTrack = (await user.save(await user.firstHit('Merged'))).body;
  const form = new FormData();
  form.append('files', new Blob([audio[14] as BlobPart]), 'own.mp3');
  const uploadedTrack = (await server.api<{ items: TrackOut[] }>('/tracks/upload', { method: 'POST', body: form })).body
    .items[0] as TrackOut;
  const tracks = createTrackWriter({ db: server.app.db, now: () => new Date() });
  createTrackMerge({ db: server.app.db, tracks, movers: [createRemoteMerge({ db: server.app.db })] }).mergeInto(
    uploadedTrack.id as TrackId,
    mergedTrack.id as TrackId,
  );
  const hit = await user.firstHit('Merged');
  expect(hit).toMatchObject({ in_library: true, track_id: uploadedTrack.id, availability: 'available' });
  const savedAgain = await user.save(hit);
  expect([savedAgain.status, savedAgain.body.id]).toEqual([200, uploadedTrack.id]);

  // the image was requested once
  expect(archive.requests.filter((path) => path.startsWith('/services/img/'))).toHaveLength(1);

  const removedTrack = (await user.save(await user.firstHit('Removed'))).body;
  await server.api(`/tracks/${removedTrack.id}`, { method: 'DELETE' });
  expect(await user.firstHit('Removed')).toMatchObject({ in_library: false, track_id: null, availability: null });
});

it('fetches only hits or ids of the catalogue, never a URL of the client', async () => {
  const body = { source: 'streamsrc', title: 'X', artist_name: 'Y' };
  const save = (extraFields: object) =>
    server.api<{ id: number }>('/tracks/remote', { method: 'POST', body: { ...body, ...extraFields } });
  for (const source_id of [
    'ia:../../etc/passwd',
    'ia:item/../x.mp3',
    'ia:item',
    'ia:http://10.0.0.1/x.mp3',
    'ext:Generic:abc',
    'nonsense',
    'sub:1',
  ]) {
    const savedResponse = await save({ source_id });
    const fetchResponse = await server.api<{ detail: string }>(`/tracks/${savedResponse.body.id}/materialize`, {
      method: 'POST',
    });
    expect([source_id, savedResponse.status, fetchResponse.status < 500 && fetchResponse.status >= 400]).toEqual([
      source_id,
      201,
      true,
    ]);
    expect(fetchResponse.body.detail).toMatch(/catalogue/);
  }
  expect((await save({ source: 'elsewhere', source_id: 'ia:a/b.mp3' })).status).toBe(404);
  expect((await save({ source: 'upload', source_id: 'ia:a/b.mp3' })).status).toBe(409);
  expect((await save({ source_id: 'ia:a/b.mp3', url: 'http://10.0.0.1/' })).status).toBe(201);
  const savedTrack = await save({ source_id: 'ia:some-item/file.mp3', cover_url: 'http://10.0.0.1/cover.jpg' });
  expect(savedTrack.status).toBe(201);
  expect((savedTrack.body as unknown as TrackOut).has_cover).toBe(false);
});

describe('downloads', () => {
  it('are requested by hit, listed newest first, and by status', async () => {
    const hit = await user.firstHit('Queued');
    const downloadAnswer = await server.api<DownloadJobOut>('/downloads', {
      method: 'POST',
      body: { source: hit.source, source_id: hit.source_id },
    });
    expect(downloadAnswer.status).toBe(202);
    await server.app.drain();
    expect(await user.track(downloadAnswer.body.track_id ?? 0)).toMatchObject({
      source_id: hit.source_id,
      availability: 'available',
    });
    const { body } = await server.api<{ items: DownloadJobOut[]; total: number }>('/downloads?limit=1');
    expect(body.items[0]).toMatchObject({ id: downloadAnswer.body.id, status: 'succeeded' });
    expect((await server.api<{ total: number }>('/downloads?status=failed')).body.total).toBe(0);
    expect((await server.api('/downloads?status=odd')).status).toBe(422);
    expect((await server.api('/downloads/999999')).status).toBe(404);
    expect((await server.api(`/downloads/${downloadAnswer.body.id}/retry`, { method: 'POST' })).status).toBe(409);
    expect((await server.api(`/downloads/${downloadAnswer.body.id}`, { method: 'DELETE' })).status).toBe(409);
  });

  it('are cancelled while they run, leave the track as it was, and are tried again', async () => {
    const {
      body: { id },
    } = await user.save(await user.firstHit('Cancelled'));
    archive.faults.push({ stall: 2_000 });
    const { body: download } = await user.materialize(id);
    await expect.poll(async () => (await user.download(download.id)).bytes_done).toBe(2_000);
    expect((await user.track(id)).availability).toBe('fetching');
    const cancelResponse = await server.api<DownloadJobOut>(`/downloads/${download.id}`, { method: 'DELETE' });
    expect(cancelResponse.body).toMatchObject({ status: 'cancelled', next_attempt_at: null });
    expect((await user.track(id)).availability).toBe('remote');
    await server.app.drain();
    const retryResponse = await server.api<DownloadJobOut>(`/downloads/${download.id}/retry`, { method: 'POST' });
    expect(retryResponse.status).toBe(202);
    await server.app.drain();
    expect(await user.download(download.id)).toMatchObject({ status: 'succeeded', attempts: 1 });
    expect((await user.bytesOf(id)).equals(audio[8] as Buffer)).toBe(true);
  });

  it('that the job queue does not take leave nothing behind', async () => {
    const hit = await user.firstHit('No Queue');
    const request = () =>
      server.api<DownloadJobOut>('/downloads', {
        method: 'POST',
        body: { source: hit.source, source_id: hit.source_id },
      });
    const counts = async (): Promise<number[]> => {
      const totals = ['/tracks', '/albums', '/artists', '/downloads', '/trash'];
      const pages = await Promise.all(totals.map((path) => server.api<{ total: number }>(path)));
      return pages.map(({ body }) => body.total);
    };
    const countsBefore = await counts();
    expect((await whileQueueIsDown(server, request)).status).toBe(503);
    expect(await counts()).toEqual(countsBefore);
    expect((await user.firstHit('No Queue')).in_library).toBe(false);

    const { body: savedTrack } = await user.save(hit);
    const countsWithTrack = await counts();
    expect((await whileQueueIsDown(server, request)).status).toBe(503);
    expect(await counts()).toEqual(countsWithTrack);
    expect(await user.track(savedTrack.id)).toMatchObject({ title: 'No Queue', availability: 'remote' });

    await server.api(`/tracks/${savedTrack.id}`, { method: 'DELETE' });
    const countsWithTrash = await counts();
    expect((await whileQueueIsDown(server, request)).status).toBe(503);
    expect(await counts()).toEqual(countsWithTrash);
  });

  it('of a track from elsewhere are refused; available audio needs none', async () => {
    const form = new FormData();
    form.append('files', new Blob([audio[13] as BlobPart]), 'own.mp3');
    const { body } = await server.api<{ items: TrackOut[] }>('/tracks/upload', { method: 'POST', body: form });
    const { id, source, source_id, created_at } = body.items[0] as TrackOut;
    const answer = await user.materialize(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id: null, source, source_id, track_id: id, status: 'succeeded', created_at });
    expect((await user.materialize(999_999)).status).toBe(404);
    expect((await server.api('/downloads', { token: null })).status).toBe(401);
  });

  it('are visible to all users', async () => {
    const token = await registerUser(server);
    expect((await server.api<{ total: number }>('/downloads', { token })).body.total).toBeGreaterThan(0);
  });
});

describe('a Subsonic client', () => {
  it('fetches a saved track by playing it', async () => {
    const {
      body: { id },
    } = await user.save(await user.firstHit('By Phone'));
    const phone = await openPhone(server);
    const answer = await phone.bytes('stream', { id: `tr-${id}` });
    expect(answer.headers.get('content-type')).toBe('audio/mpeg');
    expect(Buffer.from(await answer.arrayBuffer()).equals(audio[6] as Buffer)).toBe(true);
  });

  it('gets the reason when it fails', async () => {
    const { body: track } = await server.api<TrackOut>('/tracks/remote', {
      method: 'POST',
      body: { source: 'streamsrc', source_id: 'ia:no-such-item/x.mp3', title: 'Nowhere', artist_name: 'Nobody' },
    });
    const phone = await openPhone(server);
    const { body } = await phone.get('stream', { id: `tr-${track.id}` });
    expect(body.error).toMatchObject({ code: 0, message: 'The Internet Archive no longer has it.' });
  });

  it('does not see saved tracks if they are hidden', async () => {
    const {
      body: { id },
    } = await user.save(await user.firstHit('Hidden'));
    const phone = await openPhone(server);
    const listTitles = async (): Promise<string[]> =>
      (
        await phone.ask<{ song?: { id: string }[] }>('search3', { query: '', songCount: 500 }, 'searchResult3')
      ).song?.map((song) => song.id) ?? [];
    expect(await listTitles()).toContain(`tr-${id}`);
    await server.api('/settings', { method: 'PATCH', body: { subsonic_remote_tracks: false } });
    const titles = await listTitles();
    expect(titles).not.toContain(`tr-${id}`);
    expect(titles.length).toBeGreaterThan(3);
    expect(
      (await phone.ask<{ song?: { id: string }[] }>('search3', { query: 'Hidden' }, 'searchResult3')).song ?? [],
    ).toEqual([]);
    expect(await phone.ask('search', { any: 'Hidden' }, 'searchResult')).toMatchObject({ totalHits: 0 });
    await server.api('/settings', { method: 'PATCH', body: { subsonic_remote_tracks: true } });
  });
});

describe('the list of sources', () => {
  it('says that the catalogue works, or why not', async () => {
    const remote = async (): Promise<SourceOut | undefined> =>
      (await server.api<SourceOut[]>('/sources')).body.find(({ name }) => name === 'streamsrc');
    expect(await remote()).toMatchObject({
      kind: 'catalogue',
      enabled: true,
      capabilities: ['search', 'download'],
      detail: expect.stringContaining('Internet Archive'),
    });
    expect((await remote())?.reason).toBeUndefined();
    await server.api('/settings', { method: 'PATCH', body: { streamsrc_provider: 'sub' } });
    expect(await remote()).toMatchObject({
      enabled: false,
      reason: 'The other Subsonic server is not set up: STREAMSRC_USERNAME, STREAMSRC_PASSWORD are missing.',
    });
    const { status, body } = await server.api<{ detail: string }>('/sources/streamsrc/search?q=x');
    expect([status, body.detail]).toEqual([409, expect.stringContaining('STREAMSRC_USERNAME')]);
    await server.api('/settings', { method: 'PATCH', body: { streamsrc_provider: 'ia' } });
  });

  it('lists the catalogue as disabled, saves hits all the same, and its other routes answer 409', async () => {
    const { body: savedTracks } = await server.api<{ items: TrackOut[] }>('/tracks?availability=remote');
    await server.api('/settings', { method: 'PATCH', body: { streamsrc_enabled: false } });
    const switchedOffDetail = 'The remote catalogue is switched off.';
    const { body } = await server.api<SourceOut[]>('/sources');
    expect(body.find(({ name }) => name === 'streamsrc')).toMatchObject({ enabled: false, reason: switchedOffDetail });
    const expectRefused = async (path: string, method: string, requestBody?: object): Promise<void> => {
      const { status, body: problem } = await server.api<{ detail: string }>(path, {
        method,
        ...(requestBody && { body: requestBody }),
      });
      expect([path, status, problem.detail]).toEqual([path, 409, switchedOffDetail]);
    };
    await expectRefused('/sources/streamsrc/search?q=x', 'GET');
    const hit = { source: 'streamsrc', source_id: 'ia:a/off.mp3' };
    const savedPlaceholder = await server.api<TrackOut>('/tracks/remote', { method: 'POST', body: hit });
    expect([savedPlaceholder.status, savedPlaceholder.body.title, savedPlaceholder.body.availability]).toEqual([
      201,
      'off.mp3',
      'remote',
    ]);
    await expectRefused(`/tracks/${savedPlaceholder.body.id}/materialize`, 'POST');
    await expectRefused('/downloads', 'POST', { source: 'streamsrc', source_id: 'ia:a/b.mp3' });
    await expectRefused(`/tracks/${savedTracks.items[0]?.id}/materialize`, 'POST');
    expect((await server.api<SearchResponse>('/search?q=x')).body.errors).toEqual([]);
    expect((await server.api<SearchResponse>('/search?q=x&sources=streamsrc')).body.errors).toEqual([
      { source: 'streamsrc', detail: switchedOffDetail },
    ]);
    await server.api('/settings', { method: 'PATCH', body: { streamsrc_enabled: true } });
  });
});
