// Every transition of a track's state, end to end: real files with real audio, uploaded to a real server; only
// the internet services are fakes.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEnrichment, type EnrichmentDeps } from '../../server/enrichment/service.ts';
import { enrichTask } from '../../server/enrichment/task-handlers.ts';
import type { EnrichTaskResult, MatchesOut, ReviewOut } from '../../server/enrichment/wire.ts';
import type { TrackId } from '../../server/db/ids.ts';
import type { Paged } from '../../server/http/paging.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { AlbumPage, ArtistPage, TrackEditOut, TrackOut, TrackPage } from '../../server/library/wire.ts';
import { createTrackWriter } from '../../server/library/tracks/track-writer.ts';
import { createAudioStore } from '../../server/storage/audio-store.ts';
import { NO_PATH } from '../../server/storage/music-roots.ts';
import { openStorage } from '../../server/storage/backends.ts';
import {
  startFakeAcoustId,
  type Answer,
  type FakeAcoustId,
  type FakeGroup,
  type FakeRecording,
} from '../fakes/acoustid.ts';
import { startFakeMusicBrainz, type FakeMusicBrainz } from '../fakes/musicbrainz.ts';
import { makeSoundFiles, type SoundFiles } from '../support/sound-files.ts';
import { quiet, startServer, type TestServer } from '../support/server.ts';

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const RECORDING = uuid(1);
const GROUP = uuid(2);
const quays = { id: uuid(3), name: 'The Quays' };
const lowWater: FakeGroup = {
  id: GROUP,
  title: 'Low Water',
  type: 'Album',
  artists: [quays],
  releases: [
    {
      id: uuid(4),
      date: { year: 2009 },
      track_count: 12,
      mediums: [{ position: 1, tracks: [{ id: uuid(5), position: 3 }] }],
    },
  ],
};
const harbourLights: FakeRecording = {
  id: RECORDING,
  title: 'Harbour Lights',
  duration: 12,
  sources: 57,
  artists: [quays],
  releasegroups: [lowWater],
};
const answerWith = (score = 0.96, ...recordings: FakeRecording[]): Answer => ({
  results: [{ id: uuid(9), score, recordings: recordings.length > 0 ? recordings : [harbourLights] }],
});
const emptyAnswer: Answer = { results: [] };

let files: SoundFiles;
let fake: FakeAcoustId;
let mb: FakeMusicBrainz;
/** The server of most tests, with its usual settings. */
let sharedServer: TestServer;
let server: TestServer;
let time: Date | undefined;

beforeAll(async () => {
  files = makeSoundFiles();
  fake = await startFakeAcoustId();
  mb = await startFakeMusicBrainz();
  sharedServer = await startWith({});
  server = sharedServer;
});
afterAll(async () => {
  await sharedServer.close();
  await fake.close();
  await mb.close();
  rmSync(files.dir, { recursive: true, force: true });
});
beforeEach(() => {
  Object.assign(fake, { lookups: [], next: [], answer: () => emptyAnswer, before: () => Promise.resolve() });
  Object.assign(mb, { requests: [], busy: 0, isAway: false });
  mb.entities.clear();
});
afterEach(async () => {
  if (server !== sharedServer) await server.close();
  server = sharedServer;
  time = undefined;
  const { db } = sharedServer.app;
  db.$client.exec('DROP TRIGGER IF EXISTS boom');
  for (const track of await listTracks())
    for (const path of [`/tracks/${track.id}`, `/trash/${track.id}`])
      expect((await server.api(path, { method: 'DELETE' })).status).toBe(204);
  db.$client.exec('DELETE FROM jobs');
});

const startWith = (env: Record<string, string>): Promise<TestServer> =>
  startServer({
    env: {
      FPID_BASE_URL: fake.url,
      FPID_API_KEY: 'key',
      FPID_RATE_PER_SECOND: '300',
      MUSICBRAINZ_BASE_URL: mb.url,
      CONTACT: 'me@example.org',
      ...env,
    },
    now: () => time ?? new Date(),
  });

/** Starts a separate server for a test; most tests share one server. */
async function start(env: Record<string, string> = {}): Promise<void> {
  server = await startWith(env);
}

const listTracks = async (): Promise<TrackOut[]> => (await server.api<TrackPage>('/tracks')).body.items;

const getTrack = async (id: number): Promise<TrackOut> => (await server.api<TrackOut>(`/tracks/${id}`)).body;
const jobs = async (task: string): Promise<JobOut[]> =>
  (await server.api<Paged<JobOut>>(`/jobs?task=${task}`)).body.items;
const matches = async (id: number): Promise<MatchesOut> => (await server.api<MatchesOut>(`/tracks/${id}/matches`)).body;
const review = async (): Promise<ReviewOut[]> => (await server.api<Paged<ReviewOut>>('/review')).body.items;

/** Uploads a file and waits for all jobs that follow. */
async function add(name: string, frames?: Record<string, string>): Promise<TrackOut> {
  const { id } = await files.upload(server, name, frames);
  await server.app.drain();
  return getTrack(id);
}

/** Enriches a track and returns the result of the job. */
async function enrich(id: number): Promise<EnrichTaskResult> {
  const { status, body } = await server.api<JobOut>(`/tracks/${id}/metadata/enrich`, { method: 'POST' });
  expect(status).toBe(202);
  await server.app.drain();
  const job = (await server.api<JobOut>(`/jobs/${body.id}`)).body;
  expect(job.error).toBeNull();
  return job.result as EnrichTaskResult;
}

const TAGS = { TIT2: 'Tag title', TPE1: 'Tag Artist', TALB: 'Tag Album', TDRC: '2001', TRCK: '7', TCON: 'Folk' };

describe('pending → enriched', () => {
  it('a file without tags is identified by its fingerprint; artist and album are resolved', async () => {
    fake.answer = () => answerWith();
    mb.entities.set(`/ws/2/release-group/${GROUP}`, {
      id: GROUP,
      title: 'Low Water',
      genres: [
        { name: 'dub', count: 1 },
        { name: 'folk', count: 7 },
      ],
    });
    const track = await add('nameless.mp3');
    expect(track).toMatchObject({
      title: 'Harbour Lights',
      artist_name: 'The Quays',
      album_title: 'Low Water',
      album_artist_name: 'The Quays',
      year: 2009,
      track_number: 3,
      disc_number: 1,
      genre: 'folk',
      genres: ['folk', 'dub'],
      metadata_status: 'enriched',
      metadata_error: null,
      fpid_score: 0.96,
      recording_mbid: RECORDING,
    });
    expect(track.enriched_at).not.toBeNull();
    expect(fake.lookups).toMatchObject([
      { client: 'key', duration: 12, gzipped: true, userAgent: 'Tonearm/0.0.0-test ( me@example.org )' },
    ]);
    expect(mb.requests).toMatchObject([{ userAgent: 'Tonearm/0.0.0-test ( me@example.org )' }]);
    expect((await server.api<AlbumPage>('/albums')).body.items).toMatchObject([
      { title: 'Low Water', artist_name: 'The Quays', release_group_mbid: GROUP, track_count: 1 },
    ]);
    expect((await server.api<ArtistPage>('/artists')).body.items).toMatchObject([
      { name: 'The Quays', artist_mbid: quays.id },
    ]);
    expect(await matches(track.id)).toMatchObject({
      origins: {
        title: 'fpid',
        artist: 'fpid',
        album: 'fpid',
        year: 'fpid',
        genre: 'fpid',
        track_number: 'fpid',
        disc_number: 'fpid',
      },
      items: [{ n: 1, score: 0.96, title: 'Harbour Lights', album_title: 'Low Water' }],
      can_undo: true,
    });
  });

  it('tags are enough when the look-up finds nothing', async () => {
    const track = await add('tagged.mp3', TAGS);
    expect(track).toMatchObject({
      title: 'Tag title',
      artist_name: 'Tag Artist',
      album_title: 'Tag Album',
      year: 2001,
      metadata_status: 'enriched',
      metadata_error: null,
      fpid_score: null,
    });
    expect(fake.lookups).toHaveLength(1);
    expect(await matches(track.id)).toMatchObject({
      items: [],
      origins: { title: 'tag', artist: 'tag', album: 'tag', year: 'tag', genre: 'tag', track_number: 'tag' },
      can_undo: false,
    });
  });

  it('above the threshold the match wins, and the album that becomes empty is deleted', async () => {
    fake.answer = () => answerWith(0.86);
    const track = await add('sure.mp3', TAGS);
    expect(track).toMatchObject({
      title: 'Harbour Lights',
      artist_name: 'The Quays',
      album_title: 'Low Water',
      year: 2009,
      track_number: 3,
      genre: 'Folk',
    });
    expect((await server.api<AlbumPage>('/albums')).body.items.map((album) => album.title)).toEqual(['Low Water']);
    expect((await server.api<ArtistPage>('/artists')).body.items.map((artist) => artist.name)).toEqual(['The Quays']);
    expect(await review()).toMatchObject([
      {
        reason: 'tags_disagree',
        track: { id: track.id },
        differences: expect.arrayContaining([{ field: 'title', tag: 'Tag title', match: 'Harbour Lights' }]),
      },
    ]);
  });

  it.each([0.85, 0.5])(
    'at or below the threshold (%d) tags win, gaps are filled, and the track is up for review',
    async (score) => {
      fake.answer = () => answerWith(score);
      const { TDRC: _, ...withoutYear } = TAGS;
      const track = await add('unsure.mp3', withoutYear);
      expect(track).toMatchObject({
        title: 'Tag title',
        artist_name: 'Tag Artist',
        album_title: 'Tag Album',
        year: 2009,
        recording_mbid: null,
        fpid_score: score,
        metadata_status: 'enriched',
      });
      expect(await review()).toMatchObject([
        {
          reason: 'low_score',
          match: { title: 'Harbour Lights' },
          differences: expect.arrayContaining([{ field: 'year', tag: null, match: '2009' }]),
        },
      ]);
    },
  );

  it.each([0.96, 0.5])('a match of %d stays when a later look-up finds nothing', async (score) => {
    fake.answer = () => answerWith(score);
    const { id } = await add('found.mp3', TAGS);
    const firstState = { track: await getTrack(id), matches: await matches(id) };
    expect(firstState.track.fpid_score).toBe(score);
    fake.answer = () => ({ results: [] });
    await enrich(id);
    const { enriched_at: _enrichedAt, updated_at: _updatedAt, ...track } = firstState.track;
    expect(await getTrack(id)).toMatchObject(track);
    expect((await matches(id)).items).toEqual(firstState.matches.items);
  });

  it('the threshold is the setting', async () => {
    await start({ FPID_TRUST_SCORE: '0.4' });
    fake.answer = () => answerWith(0.5);
    expect(await add('unsure.mp3', TAGS)).toMatchObject({ title: 'Harbour Lights' });
  });

  it('of several recordings the one with the most sources wins, on the album of the tags', async () => {
    const hits: FakeGroup = {
      id: uuid(20),
      title: 'Hits',
      type: 'Album',
      secondarytypes: ['Compilation'],
      releases: [{ id: uuid(21), date: { year: 1999 } }],
    };
    const live: FakeGroup = {
      id: uuid(30),
      title: 'Live at Sea',
      type: 'Album',
      secondarytypes: ['Live'],
      releases: [{ id: uuid(31), date: { year: 2012 } }],
    };
    fake.answer = () =>
      answerWith(
        0.9,
        { id: uuid(10), title: 'Cover version', sources: 1, artists: [{ id: uuid(11), name: 'Somebody' }] },
        { ...harbourLights, releasegroups: [hits, live, lowWater] },
      );
    const plainId = await add('plain.mp3');
    expect(plainId).toMatchObject({ title: 'Harbour Lights', album_title: 'Low Water', year: 2009 });
    expect((await matches(plainId.id)).items.map((match) => match.title)).toEqual(['Harbour Lights', 'Cover version']);
    expect(await add('live.mp3', { TALB: 'LIVE AT SEA' })).toMatchObject({
      title: 'Harbour Lights',
      album_title: 'Live at Sea',
      year: 2012,
    });
  });

  it('a busy service is asked again, and the track is enriched all the same', async () => {
    fake.next = [{ status: 429, body: '{"status":"error","error":{"code":14,"message":"rate limit"}}' }];
    fake.answer = () => answerWith();
    expect(await add('busy.mp3')).toMatchObject({ metadata_status: 'enriched', title: 'Harbour Lights' });
    expect(fake.lookups).toHaveLength(2);
  });

  it('with mbids in the tags there is no look-up, unless requested', async () => {
    const TAGGED_MBID = uuid(81);
    fake.answer = () => answerWith();
    mb.entities.set(`/ws/2/recording/${TAGGED_MBID}`, {
      id: TAGGED_MBID,
      title: 'x',
      'first-release-date': '1987-02',
      genres: [{ name: 'folk', count: 1 }],
    });
    const track = await add('picard.mp3', {
      TIT2: 'Tag title',
      TPE1: 'Tag Artist',
      TXXX: `MusicBrainz Track Id\0${TAGGED_MBID}`,
    });
    expect(track).toMatchObject({
      title: 'Tag title',
      metadata_status: 'enriched',
      recording_mbid: TAGGED_MBID,
      year: 1987,
      genre: 'folk',
      fpid_score: null,
    });
    expect(fake.lookups).toHaveLength(0);
    await enrich(track.id);
    expect(fake.lookups).toHaveLength(1);
  });

  it('a recording without a title gets one from MusicBrainz, and an album costs one request for its genre', async () => {
    const [UNTITLED, ITS_GROUP] = [uuid(71), uuid(72)];
    fake.answer = () => answerWith(0.9, { id: UNTITLED, sources: 3 });
    mb.entities.set(`/ws/2/recording/${UNTITLED}`, {
      id: UNTITLED,
      title: 'Harbour Lights',
      length: 12_000,
      'first-release-date': '2009-05-01',
      genres: [],
      'artist-credit': [{ name: 'The Quays', joinphrase: '', artist: { id: quays.id, name: 'The Quays' } }],
      releases: [
        {
          id: uuid(41),
          title: 'Bootleg',
          status: 'Bootleg',
          date: '2001',
          'release-group': { id: uuid(42), title: 'Bootleg', 'primary-type': 'Album', 'secondary-types': [] },
          media: [],
        },
        {
          id: uuid(4),
          title: 'Low Water',
          status: 'Official',
          date: '2009-05',
          'release-group': { id: ITS_GROUP, title: 'Low Water', 'primary-type': 'Album', 'secondary-types': [] },
          media: [
            {
              position: 1,
              'track-count': 12,
              tracks: [{ id: uuid(5), position: 3, number: 'A3', title: 'Harbour Lights' }],
            },
          ],
        },
      ],
    });
    mb.entities.set(`/ws/2/release-group/${ITS_GROUP}`, { id: ITS_GROUP, genres: [{ name: 'folk', count: 7 }] });
    const firstId = await add('one.mp3');
    const secondId = await add('two.mp3', { COMM: 'another file' });
    for (const track of [firstId, secondId])
      expect(track).toMatchObject({
        title: 'Harbour Lights',
        artist_name: 'The Quays',
        album_title: 'Low Water',
        year: 2009,
        track_number: 3,
        genre: 'folk',
      });
    expect(mb.requests.map((request) => request.path)).toEqual([
      `/ws/2/recording/${UNTITLED}`,
      `/ws/2/release-group/${ITS_GROUP}`,
    ]);
  });
});

describe('pending → failed', () => {
  it('without tags and without a match, with the reason', async () => {
    const track = await add('nameless.mp3');
    expect(track).toMatchObject({
      title: 'nameless',
      metadata_status: 'failed',
      metadata_error: 'Its tags name neither title nor artist. Its fingerprint has no match.',
      fpid_score: null,
    });
    expect(track.enriched_at).not.toBeNull();
  });

  it('a missing key is reported only when nothing else identified the track', async () => {
    await start({ FPID_API_KEY: '' });
    expect(await add('tagged.mp3', TAGS)).toMatchObject({ metadata_status: 'enriched', metadata_error: null });
    expect(await add('nameless.mp3')).toMatchObject({
      metadata_status: 'failed',
      metadata_error: expect.stringContaining('needs an API key'),
    });
    expect(fake.lookups).toEqual([]);
  });

  it('a fingerprint that the service rejects ends the look-up of this track only', async () => {
    fake.answer = () => ({
      status: 400,
      body: '{"status":"error","error":{"code":3,"message":"invalid fingerprint"}}',
    });
    expect(await add('odd.mp3')).toMatchObject({
      metadata_status: 'failed',
      metadata_error: expect.stringContaining('rejected this fingerprint (invalid fingerprint)'),
    });
    expect(await jobs('enrich_library')).toEqual([]);
  });

  it('a track that failed is enriched by a later run', async () => {
    const track = await add('nameless.mp3');
    fake.answer = () => answerWith();
    expect(await enrich(track.id)).toMatchObject({ outcome: 'enriched' });
    expect(await getTrack(track.id)).toMatchObject({
      metadata_status: 'enriched',
      metadata_error: null,
      title: 'Harbour Lights',
    });
  });
});

describe('a crash', () => {
  const trigger = (sql: string) => () => {
    server.app.db.$client.exec(sql);
  };
  it.each([
    [
      'while a fingerprint is stored',
      trigger("CREATE TRIGGER boom BEFORE INSERT ON track_fingerprints BEGIN SELECT RAISE(ABORT, 'boom'); END"),
    ],
    [
      'while the track is renamed',
      trigger("CREATE TRIGGER boom BEFORE UPDATE OF title ON tracks BEGIN SELECT RAISE(ABORT, 'boom'); END"),
    ],
    [
      'while its album is resolved',
      trigger(`CREATE TRIGGER boom BEFORE INSERT ON albums WHEN new.title <> '[Unknown Album]'
        BEGIN SELECT RAISE(ABORT, 'boom'); END`),
    ],
    [
      'while the candidates are kept',
      trigger("CREATE TRIGGER boom BEFORE INSERT ON enrichment_matches BEGIN SELECT RAISE(ABORT, 'boom'); END"),
    ],
  ])('%s leaves the track failed with a reason, and no partial changes', async (_title, arrange) => {
    fake.answer = () => answerWith();
    arrange();
    const track = await add('crash.mp3');
    expect(track).toMatchObject({
      title: 'crash',
      artist_name: null,
      metadata_status: 'failed',
      metadata_error: expect.stringMatching(/unexpected error \(SQLITE_CONSTRAINT_TRIGGER\)/),
    });
    expect(track.metadata_error).not.toMatch(/boom|SELECT|TRIGGER boom/);
    expect(track.enriched_at).not.toBeNull();
    expect(await jobs('enrich_task')).toMatchObject([{ status: 'failed' }]);
    expect((await matches(track.id)).items).toEqual([]);
  });

  const crash = (): never => {
    throw new TypeError('boom');
  };
  it.each<[string, Partial<EnrichmentDeps>, string]>([
    ['reading the tags', { readTags: crash }, 'failed'],
    ['hearing the file', { fingerprinter: { fingerprint: crash } }, 'failed'],
    [
      'asking the service',
      {
        settings: {
          get: (name) => (name === 'FPID_BASE_URL' ? crash() : server.app.settings.get(name)),
          onChange: () => () => {},
        },
      },
      'failed',
    ],
    [
      'asking MusicBrainz',
      {
        settings: {
          get: (name) => (name === 'MUSICBRAINZ_BASE_URL' ? crash() : server.app.settings.get(name)),
          onChange: () => () => {},
        },
      },
      'failed',
    ],
    ['looking for the cover', { findCover: crash }, 'enriched'],
  ])('of %s ends as %s', async (_step, brokenDeps, status) => {
    fake.answer = () => answerWith();
    const { id } = await add('crash.mp3');
    const enrichment = await enrichmentAgain(brokenDeps);
    await enrichTask(enrichment.runs)({ trackId: id as TrackId }, context).catch((error: unknown) =>
      expect(String(error)).toMatch(/unexpected error \(TypeError\)/),
    );
    expect(await getTrack(id)).toMatchObject({ metadata_status: status });
    if (status === 'failed') expect((await getTrack(id)).metadata_error).toMatch(/unexpected error \(TypeError\)/);
  });

  it('by a locked database is shown on the track until the match is saved', async () => {
    fake.answer = () => answerWith();
    const { id } = await add('locked.mp3');
    const enrichment = await enrichmentAgain({});
    const stranger = new Database(join(server.dir, 'tonearm.db'));
    try {
      stranger.exec('BEGIN IMMEDIATE');
      await expect(enrichTask(enrichment.runs)({ trackId: id as TrackId }, context)).rejects.toThrow(/locked/);
      expect(await getTrack(id)).toMatchObject({
        metadata_status: 'pending',
        metadata_error:
          'What was found could not be saved: another program has locked the database. It is tried again.',
      });
    } finally {
      stranger.close();
    }
    await enrichTask(enrichment.runs)({ trackId: id as TrackId }, context);
    expect(await getTrack(id)).toMatchObject({ metadata_status: 'enriched', metadata_error: null });
  });

  const context = {
    jobId: 1 as never,
    attempt: 1,
    signal: new AbortController().signal,
    progress: () => {},
  };

  /** Creates an enrichment of pending tracks, with some dependencies replaced. */
  async function enrichmentAgain(replacedDeps: Partial<EnrichmentDeps>) {
    const { db } = server.app;
    db.$client
      .prepare("UPDATE tracks SET metadata_status = 'pending', metadata_error = NULL, enriched_at = NULL")
      .run();
    db.$client.prepare('DELETE FROM track_fingerprints').run();
    return createEnrichment({
      db,
      log: quiet,
      now: () => new Date(),
      version: 'test',
      settings: server.app.settings,
      tracks: createTrackWriter({ db, now: () => new Date() }),
      audioStore: createAudioStore({ storage: await openStorage(server.app.config), musicRoots: () => NO_PATH }),
      tmpDir: files.dir,
      readTags: () => Promise.resolve({ title: 'T', artists: ['A'], genres: [] }),
      hearTrack: () => Promise.resolve(undefined),
      fingerprinter: {
        fingerprint: () =>
          Promise.resolve({
            compressed: 'AQAA',
            raw: new Uint32Array([1, 2, 3]),
            durationMs: 12_000,
            algorithm: 1,
            method: 'wasm',
          }),
      },
      findCover: () => Promise.resolve(false),
      noteUnsaved: server.app.library.noteUnsaved,
      musicBrainzPerSecond: 1,
      jobs: { tryEnqueue: () => Promise.resolve(undefined) },
      libraryEdited: () => {},
      history: server.app.library.editHistory,
      libraryChanged: () => {},
      ...replacedDeps,
    });
  }
});

describe('an unreachable service', () => {
  const signIn: Answer = { status: 200, body: '<html>Sign in to this network</html>' };

  it('delays only the look-up of a tagged track, which is done when the service is back', async () => {
    time = new Date('2026-01-01T00:00:00Z');
    await start();
    fake.answer = () => signIn;
    const track = await add('tagged.mp3', TAGS);
    expect(track).toMatchObject({
      metadata_status: 'enriched',
      metadata_error: null,
      fpid_score: null,
      title: 'Tag title',
    });
    const nameless = await add('nameless.mp3');
    expect(nameless).toMatchObject({
      metadata_status: 'failed',
      metadata_error: expect.stringMatching(/It could not be looked up: .*It will be retried later\.$/),
    });
    expect(await jobs('enrich_library')).toMatchObject([
      { status: 'waiting', error: expect.stringMatching(/wait for it\.$|waits for it\.$/) },
    ]);

    fake.answer = () => answerWith();
    time = new Date('2026-01-01T00:10:00Z');
    await server.app.drain();
    expect(await getTrack(track.id)).toMatchObject({ fpid_score: 0.96, title: 'Harbour Lights' });
    expect(await getTrack(nameless.id)).toMatchObject({ metadata_status: 'enriched', metadata_error: null });
    expect(await jobs('enrich_library')).toMatchObject([
      { status: 'succeeded', result: { scope: 'unanswered', tracks: 2, enriched: 2, unanswered: 0 } },
    ]);
  });

  it('is reported to the administrator when it rejects the key', async () => {
    await start({ FPID_API_KEY: 'bad-key' });
    expect(await add('tagged.mp3', TAGS)).toMatchObject({ metadata_status: 'enriched', metadata_error: null });
    expect(await jobs('enrich_library')).toMatchObject([
      { status: 'waiting', error: expect.stringContaining('does not accept the key in FPID_API_KEY') },
    ]);
  });

  describe('such as MusicBrainz', () => {
    const folk = (): void =>
      void mb.entities.set(`/ws/2/release-group/${GROUP}`, { id: GROUP, genres: [{ name: 'folk', count: 7 }] });
    beforeEach(async () => {
      time = new Date('2026-01-01T00:00:00Z');
      await start();
      mb.isAway = true;
      fake.answer = () => answerWith();
      folk();
    });
    const tenMinutesLater = async (): Promise<void> => {
      time = new Date((time?.getTime() ?? 0) + 600_000);
      await server.app.drain();
    };

    it('does not fail the track; its data is added later', async () => {
      const track = await add('nameless.mp3');
      expect(track).toMatchObject({
        metadata_status: 'enriched',
        metadata_error: null,
        title: 'Harbour Lights',
        genre: null,
      });
      expect(await jobs('enrich_task')).toMatchObject([
        {
          status: 'succeeded',
          result: { outcome: 'enriched', problems: { details: expect.stringContaining('MusicBrainz') } },
        },
      ]);
      expect(await jobs('enrich_library')).toMatchObject([
        { status: 'waiting', error: expect.stringMatching(/^MusicBrainz .* One track waits for it\.$/) },
      ]);
      await tenMinutesLater();
      expect(await jobs('enrich_library')).toMatchObject([{ status: 'waiting' }]);
      mb.isAway = false;
      await tenMinutesLater();
      expect(await getTrack(track.id)).toMatchObject({
        metadata_status: 'enriched',
        title: 'Harbour Lights',
        genre: 'folk',
      });
      expect(await jobs('enrich_library')).toMatchObject([
        { status: 'succeeded', result: { scope: 'unanswered', enriched: 1, unanswered: 0 } },
      ]);
    });

    it('a recording that only MusicBrainz knows waits for it', async () => {
      fake.answer = () => answerWith(0.9, { id: uuid(90), sources: 3 });
      const { id } = await add('nameless.mp3');
      expect(await getTrack(id)).toMatchObject({
        metadata_status: 'failed',
        metadata_error: expect.stringMatching(/It could not be looked up: MusicBrainz .*It will be retried later\.$/),
      });
      mb.entities.set(`/ws/2/recording/${uuid(90)}`, {
        id: uuid(90),
        title: 'Harbour Lights',
        'artist-credit': [{ name: 'The Quays', artist: { id: quays.id } }],
      });
      mb.isAway = false;
      await tenMinutesLater();
      expect(await getTrack(id)).toMatchObject({
        metadata_status: 'enriched',
        metadata_error: null,
        title: 'Harbour Lights',
        artist_name: 'The Quays',
      });
    });

    it('tracks that wait for the look-up do not also wait for MusicBrainz', async () => {
      for (const COMM of ['one', 'two', 'three']) await add('heard.mp3', { COMM });
      fake.answer = () => signIn;
      const { id } = await add('unheard.mp3');
      fake.answer = () => answerWith();
      fake.lookups.length = 0;
      await tenMinutesLater();
      expect(await getTrack(id)).toMatchObject({ metadata_status: 'enriched', title: 'Harbour Lights', genre: null });
      // one look-up of the track that notices the failure, one of the track without a fingerprint
      expect(fake.lookups).toHaveLength(2);
      expect(await jobs('enrich_library')).toMatchObject([
        { status: 'waiting', error: expect.stringMatching(/^MusicBrainz .* 4 tracks wait for it\.$/) },
      ]);
    });
  });
});

describe('manual edits', () => {
  const typedFields = { title: 'Typed', artist: 'A feat. B', artists: ['A', 'B'], album: 'Typed Album', year: 1950 };
  const putMetadata = (id: number, body: object = typedFields) =>
    server.api<TrackOut>(`/tracks/${id}/metadata`, { method: 'PUT', body });

  it('resolve artist and album from the values, and later jobs do not change the track', async () => {
    const { id } = await add('tagged.mp3', TAGS);
    fake.answer = () => answerWith();
    const { status, body } = await putMetadata(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      title: 'Typed',
      artist_name: 'A feat. B',
      artists: [{ name: 'A' }, { name: 'B' }],
      album_title: 'Typed Album',
      album_artist_name: 'A',
      year: 1950,
      genre: 'Folk',
      track_number: 7,
      metadata_status: 'manual',
      metadata_error: null,
    });
    expect((await server.api<AlbumPage>('/albums')).body.items.map((album) => album.title)).toEqual(['Typed Album']);
    expect(await enrich(id)).toMatchObject({ outcome: 'skipped', error: 'The track was edited by hand.' });
    expect(await getTrack(id)).toMatchObject({ title: 'Typed', metadata_status: 'manual' });
    expect((await matches(id)).origins).toMatchObject({
      title: 'manual',
      artist: 'manual',
      album: 'manual',
      year: 'manual',
      genre: 'tag',
    });
    await server.api('/jobs/enrich', { method: 'POST', body: { scope: 'all' } });
    await server.app.drain();
    expect(await getTrack(id)).toMatchObject({ title: 'Typed', metadata_status: 'manual' });
  });

  it('win over a job in progress', async () => {
    fake.answer = () => answerWith();
    fake.before = async () => {
      fake.before = () => Promise.resolve();
      await putMetadata((await listTracks())[0]?.id ?? 0);
    };
    const track = await add('nameless.mp3');
    expect(fake.lookups).toHaveLength(1);
    expect(track).toMatchObject({ title: 'Typed', metadata_status: 'manual', fpid_score: null });
    expect(await jobs('enrich_task')).toMatchObject([{ status: 'succeeded', result: { outcome: 'skipped' } }]);
  });

  it('of a single field are kept, and the rest is enriched', async () => {
    const { id } = await add('nameless.mp3');
    await server.api(`/tracks/${id}`, { method: 'PATCH', body: { title: 'My title' } });
    fake.answer = () => answerWith();
    await enrich(id);
    expect(await getTrack(id)).toMatchObject({
      title: 'My title',
      artist_name: 'The Quays',
      metadata_status: 'enriched',
    });
  });

  it.each([
    [{ title: '', artist: 'A', album: 'B' }, 'title'],
    [{ title: 'T', artist: '\u200b', album: 'B' }, 'artist'],
    [{ title: 'T', artist: 'A', album: '' }, 'album'],
    [{ genres: [] }, 'genres'],
  ])('are rejected when nothing is visible in them: %j', async (body, field) => {
    const { id } = await files.upload(server, 'tagged.mp3', TAGS);
    const response = await putMetadata(id, body);
    expect([response.status, JSON.stringify(response.body)]).toEqual([422, expect.stringContaining(field)]);
  });
});

describe('a track without audio', () => {
  it('is not changed', async () => {
    fake.answer = () => answerWith();
    const { id } = await add('gone.mp3', TAGS);
    server.app.db.$client.prepare("UPDATE tracks SET availability = 'missing', metadata_status = 'pending'").run();
    expect(await enrich(id)).toMatchObject({ outcome: 'skipped', error: 'The track has no audio.' });
    expect(await getTrack(id)).toMatchObject({ metadata_status: 'pending' });
    expect((await server.api('/tracks/999/metadata/enrich', { method: 'POST' })).status).toBe(404);
  });
});

describe('candidates', () => {
  it('are stored, and one can be accepted', async () => {
    const otherRecording: FakeRecording = { ...harbourLights, id: uuid(50), title: 'Ebb', sources: 2 };
    fake.answer = () => answerWith(0.5, harbourLights, otherRecording);
    const { id } = await add('tagged.mp3', TAGS);
    expect(await review()).toHaveLength(1);
    const { status, body } = await server.api<TrackOut>(`/tracks/${id}/matches/2/apply`, { method: 'POST' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      title: 'Ebb',
      artist_name: 'The Quays',
      album_title: 'Low Water',
      year: 2009,
      genre: 'Folk',
      recording_mbid: uuid(50),
      metadata_status: 'manual',
      fpid_score: 0.5,
    });
    expect((await matches(id)).origins).toMatchObject({
      title: 'manual',
      artist: 'manual',
      album: 'manual',
      genre: 'tag',
    });
    expect(await review()).toEqual([]);
    expect(await enrich(id)).toMatchObject({ outcome: 'skipped' });
    expect((await server.api(`/tracks/${id}/matches/9/apply`, { method: 'POST' })).status).toBe(404);

    const undoResponse = await server.api<TrackOut>(`/tracks/${id}/metadata/undo`, { method: 'POST' });
    expect(undoResponse.body).toMatchObject({
      title: 'Tag title',
      artist_name: 'Tag Artist',
      album_title: 'Tag Album',
      metadata_status: 'manual',
    });
  });

  it('accepted by a person are in the history of the track, and open again when that is undone', async () => {
    fake.answer = () => answerWith(0.5);
    const { id } = await add('tagged.mp3', TAGS);
    const trackBefore = (await server.api<TrackOut>(`/tracks/${id}`)).body;
    const edits = async () => (await server.api<TrackEditOut[]>(`/tracks/${id}/edits`)).body;
    await server.api(`/tracks/${id}/matches/1/apply`, { method: 'POST' });
    expect(await review()).toEqual([]);
    const [match] = await edits();
    expect(match).toMatchObject({ kind: 'match', user_name: 'admin' });
    const undoResponse = await server.api<TrackOut>(`/tracks/${id}/edits/${match?.id}/undo`, { method: 'POST' });
    const { metadata_status, recording_mbid, title, album_title, fpid_score } = trackBefore;
    expect(undoResponse.body).toMatchObject({ metadata_status, recording_mbid, title, album_title, fpid_score });
    expect(await review()).toMatchObject([{ track: { id } }]);
  });

  it('with another score or name are reviewed again, dismissed ones are not', async () => {
    fake.answer = () => answerWith(0.5);
    const { id } = await add('tagged.mp3', TAGS);
    expect((await server.api(`/review/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await review()).toEqual([]);
    expect((await server.api(`/review/${id}`, { method: 'DELETE' })).status).toBe(404);
    await enrich(id);
    expect(await review()).toEqual([]);
    fake.answer = () => answerWith(0.5, { ...harbourLights, id: uuid(60), title: 'Flood' });
    await enrich(id);
    expect(await review()).toMatchObject([{ match: { title: 'Flood' } }]);
    fake.answer = () => emptyAnswer;
    await enrich(id);
    expect(await review()).toEqual([]);
  });
});

describe('undo', () => {
  const undo = (id: number) => server.api<TrackOut>(`/tracks/${id}/metadata/undo`, { method: 'POST' });

  it('reverts the last enrichment permanently', async () => {
    fake.answer = () => answerWith();
    const { id } = await add('tagged.mp3', TAGS);
    const { status, body } = await undo(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      title: 'Tag title',
      artist_name: 'Tag Artist',
      album_title: 'Tag Album',
      year: 2001,
      track_number: 7,
      recording_mbid: null,
      fpid_score: null,
      metadata_status: 'manual',
    });
    expect((await matches(id)).origins).toMatchObject({ title: 'tag', artist: 'tag' });
    await enrich(id);
    expect(await getTrack(id)).toMatchObject({ title: 'Tag title' });
    expect((await undo(id)).status).toBe(409);
  });

  it('is refused when nothing changed, or something changed since', async () => {
    const untouchedId = await add('tagged.mp3', TAGS);
    expect((await undo(untouchedId.id)).status).toBe(409);
    fake.answer = () => answerWith();
    const { id } = await add('nameless.mp3');
    await server.api(`/tracks/${id}`, { method: 'PATCH', body: { title: 'Mine' } });
    expect((await matches(id)).can_undo).toBe(false);
    expect((await undo(id)).status).toBe(409);
    expect((await undo(999)).status).toBe(404);
  });
});
