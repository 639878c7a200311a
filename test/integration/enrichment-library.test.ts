// Identification of the library: after a scan, on request, from the command line, after a kill, at the rate that
// AcoustID allows.
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { openDatabase } from '../../server/db/client.ts';
import { listReviews, listWaiting } from '../../server/enrichment/queries.ts';
import type { Paged } from '../../server/http/paging.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { startFakeAcoustId, type FakeAcoustId } from '../fakes/acoustid.ts';
import { makeHeardTracks } from '../support/heard-tracks.ts';
import { runServer, spawnServer } from '../support/process.ts';
import { retagMp3 } from '../support/retag.ts';
import { allTracks } from '../support/served-library.ts';
import { makeSoundFiles, type SoundFiles } from '../support/sound-files.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';
import { openMigrated } from '../support/temp-database.ts';

let files: SoundFiles;
let fake: FakeAcoustId;
let dir: string;
let server: TestServer | undefined;

beforeAll(() => {
  files = makeSoundFiles();
});
afterAll(() => rmSync(files.dir, { recursive: true, force: true }));
beforeEach(async () => {
  fake = await startFakeAcoustId();
  dir = mkdtempSync(join(tmpdir(), 'tonearm-enrich-'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await fake.close();
  rmSync(dir, { recursive: true, force: true });
});

const settings = (perSecond: number): Record<string, string> => ({
  FPID_BASE_URL: fake.url,
  FPID_API_KEY: 'key',
  FPID_RATE_PER_SECOND: String(perSecond),
});

/** Makes a data folder with pending tracks. */
function seed(count: number): void {
  const path = join(dir, 'tonearm.db');
  const db = openMigrated(path);
  fake.answer = makeHeardTracks(db, dir, files.make('seed.mp3'), count);
  db.$client.close();
}

/** Expects that the requests took as long as the rate demands. A process may send one second's requests at once. */
function expectPaceSince(startMs: number, perSecond: number, processes = 1): void {
  const lastLookupMs = fake.lookups.at(-1)?.timeMs ?? startMs;
  const delayedLookups = fake.lookups.length - processes * perSecond;
  expect(lastLookupMs - startMs).toBeGreaterThanOrEqual((1_000 * delayedLookups) / perSecond);
}

const libraryJobs = async ({ api }: TestServer): Promise<JobOut[]> =>
  (await api<Paged<JobOut>>('/jobs?task=enrich_library')).body.items;

it('400 tracks reach a final state despite a kill, none is looked up three times, and the rate is kept', async () => {
  const [count, perSecond] = [400, 120];
  seed(count);
  const halfDone = Promise.withResolvers<void>();
  fake.before = async () => {
    if (fake.lookups.length >= 150) halfDone.resolve();
  };
  // at its start, the server continues with the tracks that are still pending
  const startMs = performance.now();
  const firstServer = await spawnServer(['--data-dir', dir, '--port', '0', '--log-level', 'warn'], settings(perSecond));
  await halfDone.promise;
  await firstServer.kill();
  const previousLookups = fake.lookups.length;
  expect(previousLookups).toBeLessThan(count);

  const { code, stdout } = await runServer(['enrich', '--data-dir', dir, '--log-level', 'warn'], settings(perSecond));
  expect(code).toBe(0);
  expect(stdout).toMatch(/\d+ tracks: \d+ identified, 0 failed, 0 skipped/);

  const db = new Database(join(dir, 'tonearm.db'), { readonly: true });
  expect(
    db
      .prepare('SELECT metadata_status AS status, metadata_error AS error, count(*) AS n FROM tracks GROUP BY 1, 2')
      .all(),
  ).toEqual([{ status: 'enriched', error: null, n: count }]);
  expect(db.prepare("SELECT count(*) FROM tracks WHERE title <> 'Song ' || substr(source_id, 6)").pluck().get()).toBe(
    0,
  );
  expect(
    db.prepare("SELECT count(*) FROM jobs WHERE task = 'enrich_library' AND status <> 'succeeded'").pluck().get(),
  ).toBe(0);
  db.close();
  const times = Map.groupBy(fake.lookups, (lookup) => lookup.fingerprint);
  expect(times.size).toBe(count);
  expect(Math.max(...[...times.values()].map((lookups) => lookups.length))).toBeLessThanOrEqual(2);
  // only tracks that were in progress at the kill are looked up twice
  expect(fake.lookups.length).toBeLessThanOrEqual(count + 20);
  expectPaceSince(startMs, perSecond, 2);
});

it('no more than three look-ups a second are made in total', async () => {
  seed(8);
  const startMs = performance.now();
  server = await startServer({ dir, env: settings(3) });
  for (const id of [6, 7, 8]) await server.api(`/tracks/${id}/metadata/enrich`, { method: 'POST' });
  await server.app.drain();
  expect((await allTracks(server)).map((track) => track.metadata_status)).toEqual(
    Array.from({ length: 8 }, () => 'enriched'),
  );
  expect(fake.lookups.length).toBeGreaterThanOrEqual(8);
  expectPaceSince(startMs, 3);
});

it('a scan is followed by one job for the tracks it found, and a retagged file is identified again', async () => {
  const music = join(files.dir, 'music');
  await mkdir(music, { recursive: true });
  const path = files.make(join('music', 'a.mp3'), { TIT2: 'First', TPE1: 'Somebody' });
  files.make(join('music', 'nameless.mp3'));
  server = await startServer({ dir, env: { LOCAL_MEDIA_IMPORT_PATH: music } });
  const { api, app } = server;
  const scan = async (): Promise<TrackOut[]> => {
    await api('/sources/local_folder/scan', { method: 'POST' });
    await app.drain();
    return (await allTracks({ api })).toSorted((a, b) => a.id - b.id);
  };
  const [taggedTrack, untitledTrack] = (await scan()).toSorted((x, y) => (x.source_id < y.source_id ? -1 : 1));
  expect(taggedTrack).toMatchObject({ title: 'First', metadata_status: 'enriched', metadata_error: null });
  expect(untitledTrack).toMatchObject({
    title: 'nameless',
    metadata_status: 'failed',
    metadata_error: expect.stringContaining('is off'),
  });
  expect(await libraryJobs(server)).toMatchObject([
    {
      status: 'succeeded',
      progress: { done: 2, total: 2 },
      result: { scope: 'pending', tracks: 2, enriched: 1, failed: 1, failures: [{ track_id: untitledTrack?.id }] },
    },
  ]);

  retagMp3(path, { TIT2: 'Second', TPE1: 'Somebody' });
  await scan();
  expect(await libraryJobs(server)).toMatchObject([{ result: { tracks: 1, enriched: 1 } }, { result: { tracks: 2 } }]);
  expect((await api<TrackOut>(`/tracks/${taggedTrack?.id}`)).body).toMatchObject({
    title: 'Second',
    metadata_status: 'enriched',
  });
  await scan();
  expect(await libraryJobs(server)).toHaveLength(2);
});

it('a job identifies the requested tracks: pending, failed, or all but those edited by hand', async () => {
  seed(4);
  const { answer: originalAnswer } = fake;
  fake.answer = () => ({ results: [] });
  server = await startServer({ dir, env: settings(300) });
  const { api, app } = server;
  await app.drain(); // the server continues with pending tracks
  expect((await allTracks(server)).map((track) => track.metadata_status)).toEqual([
    'failed',
    'failed',
    'failed',
    'failed',
  ]);
  await api('/tracks/4/metadata', { method: 'PUT', body: { title: 'Mine', artist: 'Me', album: null } });
  fake.answer = originalAnswer;
  const runLookup = async (scope?: string): Promise<unknown> => {
    fake.lookups.length = 0;
    const { status, body } = await api<JobOut>('/jobs/enrich', {
      method: 'POST',
      body: scope === undefined ? {} : { scope },
    });
    expect(status).toBe(202);
    await app.drain();
    return [(await api<JobOut>(`/jobs/${body.id}`)).body.status, fake.lookups.length];
  };
  expect(await runLookup()).toEqual(['succeeded', 0]);
  expect(await runLookup('failed')).toEqual(['succeeded', 3]);
  expect(await runLookup('failed')).toEqual(['succeeded', 0]);
  expect(await runLookup('all')).toEqual(['succeeded', 3]);
  expect((await allTracks(server)).filter((track) => track.metadata_status === 'enriched')).toHaveLength(3);
  expect((await api('/jobs/enrich', { method: 'POST', body: { scope: 'some' } })).status).toBe(422);
  expect((await api('/jobs/enrich', { method: 'POST', body: {}, token: await registerUser(server) })).status).toBe(403);
});

it('a cancelled job keeps its results and leaves the rest pending', async () => {
  seed(60);
  const lookupStarted = Promise.withResolvers<void>();
  const { answer: originalAnswer } = fake;
  fake.answer = (lookup) => {
    if (fake.lookups.length < 20) return originalAnswer(lookup);
    lookupStarted.resolve();
    return 'hang';
  };
  server = await startServer({ dir, env: settings(300) });
  await lookupStarted.promise;
  const [job] = await libraryJobs(server);
  expect((await server.api<JobOut>(`/jobs/${job?.id}`, { method: 'DELETE' })).body.status).toBe('cancelled');
  await server.app.drain();
  const statuses = (await allTracks(server)).map((track) => track.metadata_status);
  expect(new Set(statuses)).toEqual(new Set(['enriched', 'pending']));
});

it('a library of any size is read in ranges of ids, with queries that use an index', () => {
  seed(3);
  const { $client } = openMigrated(join(dir, 'tonearm.db'));
  try {
    const plans = plansOf($client, (db) => {
      for (const scope of ['pending', 'failed', 'all', 'unanswered'] as const)
        listWaiting(db, scope, new Date(), 0, 5_000);
      listReviews(db, { limit: 50, offset: 0 });
    });
    expect(plans.length).toBeGreaterThanOrEqual(6);
    for (const plan of plans) {
      expect(plan).not.toMatch(/SCAN tracks|TEMP B-TREE/);
      expect(plan).toMatch(/SEARCH|enrichment_reviews_open/);
    }
  } finally {
    $client.close();
  }
});

/** Returns the query plans of the statements that drizzle runs in `work`. */
function plansOf(client: Database.Database, work: (db: ReturnType<typeof openDatabase>) => void): string[] {
  const seenStatuses: string[] = [];
  const path = client.name;
  const db = openMigrated(path);
  const prepare = db.$client.prepare.bind(db.$client);
  db.$client.prepare = ((sql: string) => {
    const statement = prepare(sql);
    if (/^select/i.test(sql)) seenStatuses.push(sql);
    return statement;
  }) as typeof db.$client.prepare;
  try {
    work(db);
  } finally {
    db.$client.close();
  }
  return seenStatuses.map((sql) =>
    client
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...Array.from({ length: sql.split('?').length - 1 }, () => 1))
      .map((row) => row.detail)
      .join('\n'),
  );
}
