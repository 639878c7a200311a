// The audio of all tracks is analyzed in the background, each audio once and without look-ups. The pass continues
// where it stopped.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAnalysisPass } from '../../server/analysis/pass.ts';
import { columnsOf } from '../../server/analysis/results.ts';
import { MIN_TEMPO_CONFIDENCE } from '../../server/analysis/steps.ts';
import type { TrackAnalysisOut, WaveformOut } from '../../server/analysis/wire.ts';
import type { TrackId } from '../../server/db/ids.ts';
import { createListener, type SoundAnalysis, type SoundStep } from '../../server/dsp/listener.ts';
import type { StoredFingerprint } from '../../server/enrichment/fingerprints.ts';
import { createMeasuredWriter } from '../../server/library/tracks/measured.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { createLog } from '../../server/log/log.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import { openLibraryServices } from '../support/library-services.ts';
import { writeMusic } from '../support/music.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { silence } from '../support/silence.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';
import { until } from '../support/until.ts';

const neverAborted = new AbortController().signal;

describe('the analysis pass', () => {
  let temp: TempDatabase;
  let services: ReturnType<typeof openLibraryServices>;
  let nowMs = 0;
  beforeEach(() => {
    nowMs = 1_000_000;
    temp = openTempDatabase();
    services = openLibraryServices(temp.db, { now: () => new Date(1_000_000) });
  });
  afterEach(() => temp.close());

  const addTrack = (audioHash: string, album?: string, title = 'Song', durationMs = silence.durationMs): TrackId =>
    services.tracks.insert({
      source: 'upload',
      sourceId: `${audioHash} ${Math.random()}`,
      identity: { title, artists: ['The Quays'], genres: [], album },
      audio: { ...silence, durationMs, sizeBytes: 10, format: 'flac', storageUri: 'local:audio/x', audioHash },
    });

  const analyzeTone = (steps: readonly SoundStep[], level: number): SoundAnalysis => {
    const listener = createListener(8_000, 1, new Set(steps));
    const samples = Float32Array.from({ length: 8_000 }, (_, i) => level * Math.sin(i / 4));
    listener.push([samples], samples.length);
    return listener.finish();
  };

  type Outcome = 'done' | 'quiet' | 'none' | 'slow' | 'away';
  function createPass(outcomeOf: (id: TrackId) => Outcome, isBusy = () => false, isEnabled = () => true) {
    const listenCalls: { id: TrackId; steps: readonly string[] }[] = [];
    const fingerprints = new Map<TrackId, StoredFingerprint>();
    const pass = createAnalysisPass({
      client: temp.db.$client,
      log: createLog('silent'),
      hearing: {
        listen(id, { steps, wantsFingerprint }) {
          listenCalls.push({ id, steps });
          const outcome = outcomeOf(id);
          if (outcome === 'away') return Promise.resolve({ away: true });
          if (outcome === 'none') return Promise.resolve({ none: 'It is damaged.' });
          if (outcome === 'slow') return Promise.resolve({ none: 'It took too long.', isForNow: true });
          const results = analyzeTone(steps, outcome === 'quiet' ? 0.05 : 0.5);
          return Promise.resolve({ heard: results, ...(wantsFingerprint && { sound: { none: 'too short' } }) });
        },
        findStored: (id) => fingerprints.get(id),
        store: (id, sound) => void fingerprints.set(id, sound),
      },
      measuredWriter: createMeasuredWriter(temp.db.$client),
      now: () => nowMs,
      findDecoder: () => Promise.resolve(undefined),
      isEnabled,
      isOnBatteryAllowed: () => true,
      isOnBattery: () => Promise.resolve(false),
      isBusy,
      afterMs: 0,
    });
    const listHeardIds = (): TrackId[] => listenCalls.map(({ id }) => id);
    return { pass, listened: listenCalls, ids: listHeardIds };
  }
  const getTrackRow = (id: TrackId) =>
    temp.db.$client.prepare('SELECT measured_gain_db, energy, provenance FROM tracks WHERE id = ?').get(id);

  test('decodes the same audio once for all steps, and stores the results for every track that has it', async () => {
    const [firstId, duplicateId, otherId] = [addTrack('p1:a'), addTrack('p1:a'), addTrack('p1:b')];
    const { pass, listened: listenCalls, ids: listHeardIds } = createPass(() => 'done');
    await pass.runNow(neverAborted);
    expect(listHeardIds()).toEqual([firstId, otherId]);
    expect(listenCalls[0]?.steps).toEqual(['loudness', 'waveform', 'rhythm', 'character']);
    const { steps } = await pass.status();
    expect(steps.map(({ done, total }) => [done, total])).toEqual(steps.map(() => [3, 3]));
    expect(getTrackRow(duplicateId)).toEqual(getTrackRow(firstId));
    expect(getTrackRow(duplicateId)).toMatchObject({ measured_gain_db: expect.closeTo(-8.4, 0) as number });
  });

  test('continues where it was stopped, and tries only unreachable audio again', async () => {
    const [firstId, secondId, thirdId] = [addTrack('p1:a'), addTrack('p1:b'), addTrack('p1:c')];
    const abortController = new AbortController();
    const firstPass = createPass((id) => {
      if (id === secondId) abortController.abort(new Error('killed'));
      return id === firstId ? 'none' : 'away';
    });
    await expect(firstPass.pass.runNow(abortController.signal)).rejects.toThrow('killed');
    expect(firstPass.ids()).toEqual([firstId, secondId]);
    const secondPass = createPass(() => 'done');
    await secondPass.pass.runNow(neverAborted);
    expect(secondPass.ids()).toEqual([secondId, thirdId]);
    await secondPass.pass.runNow(neverAborted);
    expect(secondPass.ids()).toEqual([secondId, thirdId]);
  });

  test('begins with tracks that may be another file of an existing track', async () => {
    const uniqueId = addTrack('p1:a', undefined, 'Alone');
    const [mp3Id, flacId] = [addTrack('p1:b'), addTrack('p1:c')];
    const { pass, ids: listHeardIds } = createPass(() => 'done');
    await pass.runNow(neverAborted);
    expect(listHeardIds()).toEqual([mp3Id, flacId, uniqueId]);
  });

  test('does only the steps that have a new version, and all of them for other audio', async () => {
    const [firstId, secondId] = [addTrack('p1:a'), addTrack('p1:b')];
    await createPass(() => 'done').pass.runNow(neverAborted);
    temp.db.$client.prepare("UPDATE tracks SET audio_hash = 'p1:c' WHERE id = ?").run(secondId);
    expect(getTrackRow(secondId)).toEqual({ measured_gain_db: null, energy: null, provenance: null });
    temp.db.$client.prepare('UPDATE audio_analyses SET rhythm_version = 0').run();
    const { pass, listened: listenCalls } = createPass(() => 'done');
    await pass.runNow(neverAborted);
    expect(listenCalls.toSorted((a, b) => a.id - b.id)).toEqual([
      { id: firstId, steps: ['rhythm'] },
      { id: secondId, steps: ['loudness', 'waveform', 'rhythm', 'character'] },
    ]);
  });

  test('values from tags and people win over measured values, and all measured values can be deleted', async () => {
    const [taggedId, clearedId, plainId] = [addTrack('p1:a'), addTrack('p1:b'), addTrack('p1:c')];
    const { $client: client } = temp.db;
    client.prepare('UPDATE tracks SET energy = 7 WHERE id = ?').run(taggedId);
    client.prepare(`UPDATE tracks SET provenance = '{"energy":"manual"}' WHERE id = ?`).run(clearedId);
    const { pass, ids: listHeardIds } = createPass(() => 'done');
    await pass.runNow(neverAborted);
    expect(getTrackRow(taggedId)).toMatchObject({ energy: 7 });
    expect(getTrackRow(clearedId)).toMatchObject({
      energy: null,
      provenance: expect.stringContaining('"energy":"manual"') as string,
    });
    expect(getTrackRow(plainId)).toMatchObject({ energy: expect.any(Number) as number });
    await pass.runNow(neverAborted);
    expect(listHeardIds()).toHaveLength(3);
    await pass.throwAway();
    expect(getTrackRow(taggedId)).toMatchObject({ measured_gain_db: null, energy: 7 });
    expect(getTrackRow(plainId)).toEqual({ measured_gain_db: null, energy: null, provenance: null });
    expect((await pass.status()).steps.every(({ done }) => done === 0)).toBe(true);
  });

  test('estimates the remaining time by the length of the tracks, not by their number', async () => {
    addTrack('p1:a');
    const longId = addTrack('p1:b', undefined, 'Long', 600_000);
    const { pass } = createPass((id) => (id === longId ? 'away' : 'done'));
    await pass.runNow(neverAborted);
    const { secondsLeft, tracksPerSecond } = await pass.status();
    // the analyzed track has one second of audio
    expect((secondsLeft ?? 0) * (tracksPerSecond ?? 0)).toBeCloseTo(600, 6);
  });

  test('counts nothing as done right after all results were deleted', async () => {
    for (let n = 0; n < 300; n++) addTrack(`p1:${n}`);
    const { pass } = createPass(() => 'none');
    await pass.runNow(neverAborted);
    expect((await pass.status()).steps.map(({ done }) => done)).toEqual([300, 300, 300, 300, 300]);
    await pass.throwAway();
    const { state, steps } = await pass.status();
    expect([state, ...steps.map(({ done }) => done)]).toEqual(['busy', 0, 0, 0, 0, 0]);
  });

  test('analyzes everything again when all results are deleted meanwhile', async () => {
    const [firstId, secondId] = [addTrack('p1:a'), addTrack('p1:b')];
    let isDeleted = false;
    const { pass, ids: listHeardIds } = createPass((id) => {
      if (id === secondId && !isDeleted) void pass.throwAway();
      isDeleted ||= id === secondId;
      return 'done';
    });
    pass.start();
    await until(() => listHeardIds().filter((id) => id === firstId).length > 1);
    await until(async () => (await pass.status()).steps.every(({ done }) => done === 2));
    await pass.close();
  });

  test('an album is measured again when a track leaves or joins it', async () => {
    const [loudId, quietId, otherId] = [addTrack('p1:a', 'One'), addTrack('p1:b', 'One'), addTrack('p1:c', 'Two')];
    const { pass } = createPass((id) => (id === quietId ? 'quiet' : 'done'));
    const listAlbumGains = (): unknown[] =>
      [loudId, quietId, otherId].map((id) =>
        temp.db.$client.prepare('SELECT measured_album_gain_db FROM tracks WHERE id = ?').pluck().get(id),
      );
    await pass.runNow(neverAborted);
    const [firstAlbumGain, , secondAlbumGain] = listAlbumGains();
    expect(listAlbumGains()).toEqual([firstAlbumGain, firstAlbumGain, secondAlbumGain]);
    temp.db.$client
      .prepare('UPDATE tracks SET album_id = (SELECT album_id FROM tracks WHERE id = ?) WHERE id = ?')
      .run(otherId, loudId);
    await pass.runNow(neverAborted);
    const [movedGain, remainingGain, joinedGain] = listAlbumGains();
    expect([movedGain, joinedGain]).toEqual([secondAlbumGain, secondAlbumGain]);
    expect(remainingGain).toBeGreaterThan(firstAlbumGain as number);
  });

  test('a decoder that was missing or too slow is tried again after a day, and its result is stored', async () => {
    const id = addTrack('p1:a');
    let outcome: Outcome = 'slow';
    const { pass, ids: listHeardIds } = createPass(() => outcome);
    await pass.runNow(neverAborted);
    await pass.runNow(neverAborted);
    expect([listHeardIds(), pass.queries.ofTrack(id)?.failure]).toEqual([[id], 'It took too long.']);
    outcome = 'done';
    nowMs += 2 * 86_400_000;
    await pass.runNow(neverAborted);
    await pass.runNow(neverAborted);
    expect([listHeardIds(), pass.queries.ofTrack(id)]).toEqual([
      [id, id],
      expect.objectContaining({ failure: null, retryAt: null }),
    ]);
    expect(getTrackRow(id)).toMatchObject({ measured_gain_db: expect.any(Number) as number });
  });

  test('audio without a hash is analyzed again when its file has another size', async () => {
    const id = addTrack('-');
    const { pass, ids: listHeardIds } = createPass(() => 'done');
    await pass.runNow(neverAborted);
    await pass.runNow(neverAborted);
    expect(listHeardIds()).toEqual([id]);
    temp.db.$client.prepare('UPDATE tracks SET size_bytes = size_bytes + 1 WHERE id = ?').run(id);
    await pass.runNow(neverAborted);
    expect(listHeardIds()).toEqual([id, id]);
  });

  test('results are deleted 90 days after the last track with their audio', async () => {
    const [keptId, deletedId] = [addTrack('p1:a'), addTrack('p1:b')];
    const { pass } = createPass(() => 'done');
    const listAudioKeys = (): unknown[] =>
      temp.db.$client.prepare('SELECT audio_key FROM audio_analyses ORDER BY 1').pluck().all();
    await pass.runNow(neverAborted);
    await services.deleteTrack(deletedId);
    await pass.runNow(neverAborted);
    nowMs += 80 * 86_400_000;
    await pass.runNow(neverAborted);
    expect(listAudioKeys()).toEqual(['p1:a', 'p1:b']);
    nowMs += 20 * 86_400_000;
    await pass.runNow(neverAborted);
    expect([listAudioKeys(), pass.queries.ofTrack(keptId)?.failure]).toEqual([['p1:a'], null]);
  });

  test('samples that are not numbers count as a failure', () => {
    const listener = createListener(8_000, 1, new Set(['loudness'] as const));
    listener.push([new Float32Array(8_000).fill(Infinity)], 8_000);
    expect(columnsOf(listener.finish())).toMatchObject({ failure: 'Some of its samples are not numbers.' });
  });

  test('an error of one track does not stop the analysis of the others', async () => {
    const [firstId, secondId] = [addTrack('p1:a'), addTrack('p1:b')];
    const { pass, ids: listHeardIds } = createPass((id) => {
      if (id === firstId) throw new Error('the disk is full');
      return 'done';
    });
    await pass.runNow(neverAborted);
    expect(listHeardIds()).toEqual([firstId, secondId]);
    expect(getTrackRow(secondId)).toMatchObject({ measured_gain_db: expect.any(Number) as number });
  });

  test('is off before it has begun if it is switched off', async () => {
    const { pass } = createPass(
      () => 'done',
      () => false,
      () => false,
    );
    expect((await pass.status()).state).toBe('off');
  });

  test('waits while the server is busy', async () => {
    addTrack('p1:a');
    let isBusy = true;
    let busyChecks = 0;
    const { pass, ids: listHeardIds } = createPass(
      () => 'done',
      () => {
        busyChecks++;
        return isBusy;
      },
    );
    pass.start();
    await until(() => busyChecks > 0);
    expect([listHeardIds(), pass.state()]).toEqual([[], 'busy']);
    isBusy = false;
    await until(() => pass.state() === 'done');
    expect(listHeardIds()).toHaveLength(1);
    await pass.close();
  });
});

describe('with look-ups off', () => {
  let musicDir: string;
  let server: TestServer;
  beforeAll(async () => {
    musicDir = mkdtempSync(join(tmpdir(), 'tonearm-analysis-'));
    writeMusic(join(musicDir, 'one.wav'), { seed: 1, seconds: 14 });
    copyFileSync(join(musicDir, 'one.wav'), join(musicDir, 'copy.wav'));
    writeMusic(join(musicDir, 'two.wav'), { seed: 2, seconds: 14 });
    server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: musicDir, FPID_ENABLED: 'false' } });
    await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
    await server.app.drain();
  });
  afterAll(async () => {
    await server.close();
    rmSync(musicDir, { recursive: true, force: true });
  });

  test('every track gets its fingerprint, loudness and waveform from one decoding', async () => {
    await server.app.analysis.runNow(neverAborted);
    const countRows = (table: string): unknown =>
      server.app.db.$client.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
    expect([countRows('track_fingerprints'), countRows('audio_analyses')]).toEqual([3, 2]);
    const { body } = await server.api('/analysis');
    expect(body).toMatchObject({ total: 3, seconds_left: 0, steps: Array.from({ length: 5 }, () => ({ done: 3 })) });
    const track = (await server.api<TrackOut>('/tracks/1')).body;
    expect(track.replay_gain).toMatchObject({ is_measured: true, track_gain_db: expect.any(Number) as number });
    const analysis = (await server.api<TrackAnalysisOut>('/tracks/1/analysis')).body;
    expect(-18 - (analysis.loudness?.integrated_lufs ?? 0)).toBeCloseTo(track.replay_gain?.track_gain_db ?? 0, 2);
    const { status, body: waveform } = await server.api<WaveformOut>('/tracks/1/waveform');
    expect([status, Buffer.from(waveform.points ?? '', 'base64').length]).toEqual([200, 1_000]);
    expect((await server.api('/tracks/99/waveform')).status).toBe(404);
  });

  test('beats are sent to players only if the tempo is certain', async () => {
    await server.app.analysis.runNow(neverAborted);
    const getRhythm = async (confidence: number): Promise<unknown> => {
      server.app.db.$client
        .prepare(
          `UPDATE audio_analyses SET bpm = 100, bpm_confidence = ?, beats = x'00000000f401f401f401', bar_beats = 4,
            first_downbeat = 1`,
        )
        .run(confidence);
      const { rhythm } = (await server.api<TrackAnalysisOut>('/tracks/1/analysis')).body;
      return [rhythm?.bpm, rhythm?.beats_ms.length, rhythm?.bar_beats, rhythm?.first_downbeat];
    };
    expect(await getRhythm(MIN_TEMPO_CONFIDENCE)).toEqual([100, 4, 4, 1]);
    expect(await getRhythm(MIN_TEMPO_CONFIDENCE - 0.01)).toEqual([100, 0, null, null]);
  });
});
