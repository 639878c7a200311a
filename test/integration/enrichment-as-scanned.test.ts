// Tracks that only their tags can identify are decided at once, and no file that a scan has read is opened again.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MainDb } from '../../server/db/client.ts';
import type { TrackId } from '../../server/db/ids.ts';
import { prepareSettling } from '../../server/enrichment/tag-only-status.ts';
import type { TrackIdentity } from '../../server/library/tracks/track-values.ts';
import { createTrackWriter, type NewTrack } from '../../server/library/tracks/track-writer.ts';
import { startFakeAcoustId, type FakeAcoustId } from '../fakes/acoustid.ts';
import { allTracks } from '../support/served-library.ts';
import { silence } from '../support/silence.ts';
import { makeSoundFiles, type SoundFiles } from '../support/sound-files.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';

describe('without online services', () => {
  let temporary: TempDatabase;
  let db: MainDb;
  const createdAt = new Date('2026-01-01T00:00:00Z');
  beforeEach(() => {
    temporary = openTempDatabase();
    ({ db } = temporary);
  });
  afterEach(() => temporary.close());

  function add(identity: Partial<TrackIdentity>, { audio, ...otherFields }: Partial<NewTrack> = {}): TrackId {
    const tracks = createTrackWriter({ db, now: () => createdAt });
    return db.$client
      .transaction(() =>
        tracks.insert({
          source: 'local_folder',
          sourceId: 'a.mp3',
          ...otherFields,
          identity: { title: 'T', artists: ['A'], genres: [], ...identity },
          audio: audio ?? { ...silence, storageUri: 'file:a.mp3' },
        }),
      )
      .immediate();
  }
  const settle = (isDetailed = false) =>
    prepareSettling(db)({ afterId: 0, upToId: 500, whyOff: 'it is off', isDetailed, at: createdAt });
  const fromPath = { title: 'path' } as const;

  it.each<[string, Partial<TrackIdentity>, string | null]>([
    ['a title and an artist', {}, null],
    ['numbers from the file’s name do no harm', { trackNumber: 3, provenance: { trackNumber: 'path' } }, null],
    ['no title', { provenance: fromPath }, 'Its tags name no title. It was not looked up: it is off.'],
    ['no artist', { artists: [] }, 'Its tags name no artist. It was not looked up: it is off.'],
    [
      'neither',
      { artists: [], provenance: fromPath },
      'Its tags name neither title nor artist. It was not looked up: it is off.',
    ],
  ])('tags decide: %s', (_title, identity, error) => {
    const id = add(identity);
    expect(settle()).toEqual([{ id, error }]);
    expect(db.$client.prepare('SELECT metadata_status, metadata_error, enriched_at FROM tracks').get()).toEqual({
      metadata_status: error === null ? 'enriched' : 'failed',
      metadata_error: error,
      enriched_at: createdAt.getTime(),
    });
    expect(settle()).toEqual([]);
  });

  it.each<[string, Partial<TrackIdentity>, Partial<NewTrack>]>([
    ['somebody typed in it', { provenance: { title: 'manual' } }, {}],
    ['part of it is from a match', { provenance: { album: 'fpid' } }, {}],
    ['the remote catalogue named it', {}, { source: 'streamsrc' }],
    ['its audio is not here', {}, { audio: { ...silence, availability: 'missing', storageUri: 'file:a.mp3' } }],
  ])('a track is identified in full when %s', (_title, identity, otherFields) => {
    add(identity, otherFields);
    expect(settle()).toEqual([]);
  });

  it('MusicBrainz is asked about the mbids in the tags, if it is enabled', () => {
    add({ recordingMbid: '00000000-0000-4000-8000-000000000001' });
    expect(settle(true)).toEqual([]);
    expect(settle(false)).toHaveLength(1);
  });
});

describe('on a server', () => {
  let files: SoundFiles;
  let fake: FakeAcoustId;
  let server: TestServer;
  beforeAll(async () => {
    files = makeSoundFiles();
    fake = await startFakeAcoustId();
  });
  afterEach(() => server.close());
  afterAll(async () => {
    await fake.close();
    rmSync(files.dir, { recursive: true, force: true });
  });

  /** Uploads a track, and removes its file before the file could be read again. */
  async function addAndLose(env: Record<string, string>): Promise<void> {
    server = await startServer({ env });
    await files.upload(server, 'tagged.mp3', { TIT2: 'Tag title', TPE1: 'Tag Artist' });
    await server.app.drain();
    server.app.db.$client.exec(
      "UPDATE tracks SET metadata_status = 'pending', metadata_error = NULL, enriched_at = NULL",
    );
    rmSync(join(server.dir, 'library'), { recursive: true });
    await server.api('/jobs/enrich', { method: 'POST', body: { scope: 'pending' } });
    await server.app.drain();
  }

  it.each<[string, () => Record<string, string>]>([
    ['identification is off', () => ({})],
    ['it has a fingerprint already', () => ({ FPID_BASE_URL: fake.url, FPID_API_KEY: 'key' })],
  ])('a file that was read is not opened again when %s', async (_title, env) => {
    await addAndLose(env());
    expect(await allTracks(server)).toMatchObject([
      { title: 'Tag title', artist_name: 'Tag Artist', metadata_status: 'enriched', metadata_error: null },
    ]);
    const { items } = (await server.api<{ items: { result: unknown }[] }>('/jobs?task=enrich_library')).body;
    expect(items[0]?.result).toMatchObject({ scope: 'pending', tracks: 1, enriched: 1, problems: {} });
  });
});
