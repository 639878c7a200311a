// The audio of all tracks is gone over in the background: each audio once, without any look-up, and where it stopped.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAnalysisPass } from '../../server/analysis/pass.ts';
import { columnsOf } from '../../server/analysis/results.ts';
import { MIN_TEMPO_CONFIDENCE } from '../../server/analysis/steps.ts';
import type { TrackAnalysisOut, WaveformOut } from '../../server/analysis/wire.ts';
import type { TrackId } from '../../server/db/ids.ts';
import { createListener, type Heard, type SoundStep } from '../../server/dsp/listener.ts';
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

const never = new AbortController().signal;

describe('the pass', () => {
  let temp: TempDatabase;
  let services: ReturnType<typeof openLibraryServices>;
  let nowMs = 0;
  beforeEach(() => {
    nowMs = 1_000_000;
    temp = openTempDatabase();
    services = openLibraryServices(temp.db, { now: () => new Date(1_000_000) });
  });
  afterEach(() => temp.close());

  const add = (audioHash: string, album?: string, title = 'Song', durationMs = silence.durationMs): TrackId =>
    services.tracks.insert({
      source: 'upload',
      sourceId: `${audioHash} ${Math.random()}`,
      identity: { title, artists: ['The Quays'], genres: [], album },
      audio: { ...silence, durationMs, sizeBytes: 10, format: 'flac', storageUri: 'local:audio/x', audioHash },
    });

  const heardOf = (steps: readonly SoundStep[], level: number): Heard => {
    const listener = createListener(8_000, 1, new Set(steps));
    const tone = Float32Array.from({ length: 8_000 }, (_, i) => level * Math.sin(i / 4));
    listener.push([tone], tone.length);
    return listener.finish();
  };

  type Answer = 'done' | 'quiet' | 'none' | 'slow' | 'away';
  function passWith(answerOf: (id: TrackId) => Answer, isBusy = () => false, isEnabled = () => true) {
    const listened: { id: TrackId; steps: readonly string[] }[] = [];
    const prints = new Map<TrackId, StoredFingerprint>();
    const pass = createAnalysisPass({
      client: temp.db.$client,
      log: createLog('silent'),
      hearing: {
        listen(id, { steps, wantsFingerprint }) {
          listened.push({ id, steps });
          const answer = answerOf(id);
          if (answer === 'away') return Promise.resolve({ away: true });
          if (answer === 'none') return Promise.resolve({ none: 'It is damaged.' });
          if (answer === 'slow') return Promise.resolve({ none: 'It took too long.', isForNow: true });
          const heard = heardOf(steps, answer === 'quiet' ? 0.05 : 0.5);
          return Promise.resolve({ heard, ...(wantsFingerprint && { sound: { none: 'too short' } }) });
        },
        findStored: (id) => prints.get(id),
        store: (id, sound) => void prints.set(id, sound),
      },
      measured: createMeasuredWriter(temp.db.$client),
      now: () => nowMs,
      findDecoder: () => Promise.resolve(undefined),
      isEnabled,
      isOnBatteryAllowed: () => true,
      isOnBattery: () => Promise.resolve(false),
      isBusy,
      afterMs: 0,
    });
    const ids = (): TrackId[] => listened.map(({ id }) => id);
    return { pass, listened, ids };
  }
  const row = (id: TrackId) =>
    temp.db.$client.prepare('SELECT measured_gain_db, energy, provenance FROM tracks WHERE id = ?').get(id);

  test('decodes the same audio once for all steps, and gives every track with it what was measured', async () => {
    const [one, two, other] = [add('p1:a'), add('p1:a'), add('p1:b')];
    const { pass, listened, ids } = passWith(() => 'done');
    await pass.runNow(never);
    expect(ids()).toEqual([one, other]);
    expect(listened[0]?.steps).toEqual(['loudness', 'waveform', 'rhythm', 'character']);
    const { steps } = await pass.status();
    expect(steps.map(({ done, total }) => [done, total])).toEqual(steps.map(() => [3, 3]));
    expect(row(two)).toEqual(row(one));
    expect(row(two)).toMatchObject({ measured_gain_db: expect.closeTo(-8.4, 0) as number });
  });

  test('goes on where it was stopped, and asks again only about audio that could not be read', async () => {
    const [one, two, three] = [add('p1:a'), add('p1:b'), add('p1:c')];
    const stop = new AbortController();
    const first = passWith((id) => {
      if (id === two) stop.abort(new Error('killed'));
      return id === one ? 'none' : 'away';
    });
    await expect(first.pass.runNow(stop.signal)).rejects.toThrow('killed');
    expect(first.ids()).toEqual([one, two]);
    const second = passWith(() => 'done');
    await second.pass.runNow(never);
    expect(second.ids()).toEqual([two, three]);
    await second.pass.runNow(never);
    expect(second.ids()).toEqual([two, three]);
  });

  test('hears first what may be another file of one that is there', async () => {
    const alone = add('p1:a', undefined, 'Alone');
    const [mp3, flac] = [add('p1:b'), add('p1:c')];
    const { pass, ids } = passWith(() => 'done');
    await pass.runNow(never);
    expect(ids()).toEqual([mp3, flac, alone]);
  });

  test('does only the steps that have a new version, and all of them for other audio', async () => {
    const [one, two] = [add('p1:a'), add('p1:b')];
    await passWith(() => 'done').pass.runNow(never);
    temp.db.$client.prepare("UPDATE tracks SET audio_hash = 'p1:c' WHERE id = ?").run(two);
    expect(row(two)).toEqual({ measured_gain_db: null, energy: null, provenance: null });
    temp.db.$client.prepare('UPDATE audio_analyses SET rhythm_version = 0').run();
    const { pass, listened } = passWith(() => 'done');
    await pass.runNow(never);
    expect(listened.toSorted((a, b) => a.id - b.id)).toEqual([
      { id: one, steps: ['rhythm'] },
      { id: two, steps: ['loudness', 'waveform', 'rhythm', 'character'] },
    ]);
  });

  test('what tags and people say wins, and all that was measured can be thrown away', async () => {
    const [tagged, cleared, plain] = [add('p1:a'), add('p1:b'), add('p1:c')];
    const { $client: client } = temp.db;
    client.prepare('UPDATE tracks SET energy = 7 WHERE id = ?').run(tagged);
    client.prepare(`UPDATE tracks SET provenance = '{"energy":"manual"}' WHERE id = ?`).run(cleared);
    const { pass, ids } = passWith(() => 'done');
    await pass.runNow(never);
    expect(row(tagged)).toMatchObject({ energy: 7 });
    expect(row(cleared)).toMatchObject({
      energy: null,
      provenance: expect.stringContaining('"energy":"manual"') as string,
    });
    expect(row(plain)).toMatchObject({ energy: expect.any(Number) as number });
    await pass.runNow(never);
    expect(ids()).toHaveLength(3);
    await pass.throwAway();
    expect(row(tagged)).toMatchObject({ measured_gain_db: null, energy: 7 });
    expect(row(plain)).toEqual({ measured_gain_db: null, energy: null, provenance: null });
    expect((await pass.status()).steps.every(({ done }) => done === 0)).toBe(true);
  });

  test('says how long it takes by the length of the tracks, not by their number', async () => {
    add('p1:a');
    const long = add('p1:b', undefined, 'Long', 600_000);
    const { pass } = passWith((id) => (id === long ? 'away' : 'done'));
    await pass.runNow(never);
    const { secondsLeft, tracksPerSecond } = await pass.status();
    // the track that was heard has one second of audio
    expect((secondsLeft ?? 0) * (tracksPerSecond ?? 0)).toBeCloseTo(600, 6);
  });

  test('counts nothing as done right after all was thrown away', async () => {
    for (let n = 0; n < 300; n++) add(`p1:${n}`);
    const { pass } = passWith(() => 'none');
    await pass.runNow(never);
    expect((await pass.status()).steps.map(({ done }) => done)).toEqual([300, 300, 300, 300, 300]);
    await pass.throwAway();
    const { state, steps } = await pass.status();
    expect([state, ...steps.map(({ done }) => done)]).toEqual(['busy', 0, 0, 0, 0, 0]);
  });

  test('hears everything again when all is thrown away while it works', async () => {
    const [one, two] = [add('p1:a'), add('p1:b')];
    let isThrown = false;
    const { pass, ids } = passWith((id) => {
      if (id === two && !isThrown) void pass.throwAway();
      isThrown ||= id === two;
      return 'done';
    });
    pass.start();
    await until(() => ids().filter((id) => id === one).length > 1);
    await until(async () => (await pass.status()).steps.every(({ done }) => done === 2));
    await pass.close();
  });

  test('an album is measured anew when a track leaves it or joins it', async () => {
    const [loud, quiet, other] = [add('p1:a', 'One'), add('p1:b', 'One'), add('p1:c', 'Two')];
    const { pass } = passWith((id) => (id === quiet ? 'quiet' : 'done'));
    const gains = (): unknown[] =>
      [loud, quiet, other].map((id) =>
        temp.db.$client.prepare('SELECT measured_album_gain_db FROM tracks WHERE id = ?').pluck().get(id),
      );
    await pass.runNow(never);
    const [ofOne, , ofTwo] = gains();
    expect(gains()).toEqual([ofOne, ofOne, ofTwo]);
    temp.db.$client
      .prepare('UPDATE tracks SET album_id = (SELECT album_id FROM tracks WHERE id = ?) WHERE id = ?')
      .run(other, loud);
    await pass.runNow(never);
    const [moved, left, joined] = gains();
    expect([moved, joined]).toEqual([ofTwo, ofTwo]);
    expect(left).toBeGreaterThan(ofOne as number);
  });

  test('a decoder that was missing or too slow is tried again after a day, and what it finds counts', async () => {
    const id = add('p1:a');
    let answer: Answer = 'slow';
    const { pass, ids } = passWith(() => answer);
    await pass.runNow(never);
    await pass.runNow(never);
    expect([ids(), pass.queries.ofTrack(id)?.failure]).toEqual([[id], 'It took too long.']);
    answer = 'done';
    nowMs += 2 * 86_400_000;
    await pass.runNow(never);
    await pass.runNow(never);
    expect([ids(), pass.queries.ofTrack(id)]).toEqual([
      [id, id],
      expect.objectContaining({ failure: null, retryAt: null }),
    ]);
    expect(row(id)).toMatchObject({ measured_gain_db: expect.any(Number) as number });
  });

  test('audio without a hash is heard again when its file is another one', async () => {
    const id = add('-');
    const { pass, ids } = passWith(() => 'done');
    await pass.runNow(never);
    await pass.runNow(never);
    expect(ids()).toEqual([id]);
    temp.db.$client.prepare('UPDATE tracks SET size_bytes = size_bytes + 1 WHERE id = ?').run(id);
    await pass.runNow(never);
    expect(ids()).toEqual([id, id]);
  });

  test('results go 90 days after the last track with their audio', async () => {
    const [kept, gone] = [add('p1:a'), add('p1:b')];
    const { pass } = passWith(() => 'done');
    const keys = (): unknown[] =>
      temp.db.$client.prepare('SELECT audio_key FROM audio_analyses ORDER BY 1').pluck().all();
    await pass.runNow(never);
    await services.deleteTrack(gone);
    await pass.runNow(never);
    nowMs += 80 * 86_400_000;
    await pass.runNow(never);
    expect(keys()).toEqual(['p1:a', 'p1:b']);
    nowMs += 20 * 86_400_000;
    await pass.runNow(never);
    expect([keys(), pass.queries.ofTrack(kept)?.failure]).toEqual([['p1:a'], null]);
  });

  test('samples that are not numbers are a failure, not a result', () => {
    const listener = createListener(8_000, 1, new Set(['loudness'] as const));
    listener.push([new Float32Array(8_000).fill(Infinity)], 8_000);
    expect(columnsOf(listener.finish())).toMatchObject({ failure: 'Some of its samples are not numbers.' });
  });

  test('an error of one track does not keep the others from it', async () => {
    const [one, two] = [add('p1:a'), add('p1:b')];
    const { pass, ids } = passWith((id) => {
      if (id === one) throw new Error('the disk is full');
      return 'done';
    });
    await pass.runNow(never);
    expect(ids()).toEqual([one, two]);
    expect(row(two)).toMatchObject({ measured_gain_db: expect.any(Number) as number });
  });

  test('says that it is off before it has begun', async () => {
    const { pass } = passWith(
      () => 'done',
      () => false,
      () => false,
    );
    expect((await pass.status()).state).toBe('off');
  });

  test('waits while the server is busy', async () => {
    add('p1:a');
    let isBusy = true;
    let asked = 0;
    const { pass, ids } = passWith(
      () => 'done',
      () => {
        asked++;
        return isBusy;
      },
    );
    pass.start();
    await until(() => asked > 0);
    expect([ids(), pass.state()]).toEqual([[], 'busy']);
    isBusy = false;
    await until(() => pass.state() === 'done');
    expect(ids()).toHaveLength(1);
    await pass.close();
  });
});

describe('with look-ups off', () => {
  let base: string;
  let server: TestServer;
  beforeAll(async () => {
    base = mkdtempSync(join(tmpdir(), 'tonearm-analysis-'));
    writeMusic(join(base, 'one.wav'), { seed: 1, seconds: 14 });
    copyFileSync(join(base, 'one.wav'), join(base, 'copy.wav'));
    writeMusic(join(base, 'two.wav'), { seed: 2, seconds: 14 });
    server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: base, FPID_ENABLED: 'false' } });
    await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
    await server.app.drain();
  });
  afterAll(async () => {
    await server.close();
    rmSync(base, { recursive: true, force: true });
  });

  test('every track gets its fingerprint, loudness and waveform from one decoding', async () => {
    await server.app.analysis.runNow(never);
    const count = (table: string): unknown =>
      server.app.db.$client.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
    expect([count('track_fingerprints'), count('audio_analyses')]).toEqual([3, 2]);
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

  test('beats are given to players where the tempo is certain, and else not', async () => {
    await server.app.analysis.runNow(never);
    const beatsAt = async (confidence: number): Promise<unknown> => {
      server.app.db.$client
        .prepare(
          `UPDATE audio_analyses SET bpm = 100, bpm_confidence = ?, beats = x'00000000f401f401f401', bar_beats = 4,
            first_downbeat = 1`,
        )
        .run(confidence);
      const { rhythm } = (await server.api<TrackAnalysisOut>('/tracks/1/analysis')).body;
      return [rhythm?.bpm, rhythm?.beats_ms.length, rhythm?.bar_beats, rhythm?.first_downbeat];
    };
    expect(await beatsAt(MIN_TEMPO_CONFIDENCE)).toEqual([100, 4, 4, 1]);
    expect(await beatsAt(MIN_TEMPO_CONFIDENCE - 0.01)).toEqual([100, 0, null, null]);
  });
});
