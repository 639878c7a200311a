// The audio of all tracks is gone over in the background: each audio once, without any look-up, and where it stopped.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isOnBattery } from '../../server/analysis/battery.ts';
import { createAnalysisPass } from '../../server/analysis/pass.ts';
import type { AnalysisStep, StepOutcome } from '../../server/analysis/steps.ts';
import type { TrackId } from '../../server/db/ids.ts';
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
  beforeEach(() => {
    temp = openTempDatabase();
    services = openLibraryServices(temp.db, { now: () => new Date(1_000_000) });
  });
  afterEach(() => temp.close());

  const add = (audioHash: string): TrackId =>
    services.tracks.insert({
      source: 'upload',
      sourceId: `${audioHash} ${Math.random()}`,
      identity: { title: 'Song', artists: ['The Quays'], genres: [] },
      audio: { ...silence, sizeBytes: 10, format: 'flac', storageUri: 'local:audio/x', audioHash },
    });

  function passWith(outcomes: (id: TrackId) => StepOutcome, version = 1, isBusy = () => false) {
    const analyzed: TrackId[] = [];
    const shared: [TrackId, TrackId][] = [];
    const step: AnalysisStep = {
      name: 'fingerprint',
      version,
      analyze(id) {
        analyzed.push(id);
        return Promise.resolve(outcomes(id));
      },
      share: (from, to) => void shared.push([from, to]),
    };
    const pass = createAnalysisPass({
      client: temp.db.$client,
      log: createLog('silent'),
      steps: [step],
      isEnabled: () => true,
      isOnBatteryAllowed: () => true,
      isOnBattery: () => Promise.resolve(false),
      isBusy,
      afterMs: 0,
    });
    return { pass, analyzed, shared };
  }

  test('decodes the same audio once', async () => {
    const [one, two, other] = [add('p1:a'), add('p1:a'), add('p1:b')];
    const { pass, analyzed, shared } = passWith(() => ({ outcome: 'done' }));
    await pass.runNow(never);
    expect(analyzed).toEqual([one, other]);
    expect(shared).toEqual([[one, two]]);
    expect(pass.status().steps).toEqual([{ name: 'fingerprint', version: 1, done: 3, total: 3 }]);
  });

  test('goes on where it was stopped, and asks again only about audio that could not be read', async () => {
    const [one, two, three] = [add('p1:a'), add('p1:b'), add('p1:c')];
    const stop = new AbortController();
    const first = passWith((id) => {
      if (id === two) stop.abort(new Error('killed'));
      return id === one ? { outcome: 'none', reason: 'silence' } : { outcome: 'away' };
    });
    await expect(first.pass.runNow(stop.signal)).rejects.toThrow('killed');
    expect(first.analyzed).toEqual([one, two]);
    const second = passWith(() => ({ outcome: 'done' }));
    await second.pass.runNow(never);
    expect(second.analyzed).toEqual([two, three]);
    await second.pass.runNow(never);
    expect(second.analyzed).toEqual([two, three]);
  });

  test('goes over everything again with a new version, and over other audio', async () => {
    const [one, two] = [add('p1:a'), add('p1:b')];
    await passWith(() => ({ outcome: 'done' })).pass.runNow(never);
    temp.db.$client.prepare("UPDATE tracks SET audio_hash = 'p1:c' WHERE id = ?").run(two);
    const same = passWith(() => ({ outcome: 'done' }));
    await same.pass.runNow(never);
    expect(same.analyzed).toEqual([two]);
    const newer = passWith(() => ({ outcome: 'done' }), 2);
    await newer.pass.runNow(never);
    expect(newer.analyzed).toEqual([one, two]);
  });

  test('waits while the server is busy', async () => {
    add('p1:a');
    let isBusy = true;
    let asked = 0;
    const { pass, analyzed } = passWith(
      () => ({ outcome: 'done' }),
      1,
      () => {
        asked++;
        return isBusy;
      },
    );
    pass.start();
    await until(() => asked > 0);
    expect([analyzed, pass.status().state]).toEqual([[], 'busy']);
    isBusy = false;
    await until(() => pass.status().state === 'done');
    expect(analyzed).toHaveLength(1);
    await pass.close();
  });
});

test('a battery counts when it is the machine’s own and discharges', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-battery-'));
  const supply = (name: string, files: Record<string, string>): void => {
    mkdirSync(join(dir, name), { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, name, file), `${text}\n`);
  };
  supply('AC', { type: 'Mains', online: '1' });
  supply('mouse', { type: 'Battery', scope: 'Device', status: 'Discharging' });
  supply('BAT0', { type: 'Battery', status: 'Charging' });
  expect(await isOnBattery('linux', dir)).toBe(false);
  supply('BAT0', { status: 'Discharging' });
  expect(await isOnBattery('linux', dir)).toBe(true);
  expect(await isOnBattery('linux', join(dir, 'none'))).toBe(false);
  rmSync(dir, { recursive: true });
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

  test('every track gets its fingerprint', async () => {
    await server.app.analysis.runNow(never);
    const count = (table: string): unknown =>
      server.app.db.$client.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
    expect([count('track_fingerprints'), count('track_analyses')]).toEqual([3, 3]);
    const { body } = await server.api('/analysis');
    expect(body).toMatchObject({ steps: [{ name: 'fingerprint', done: 3, total: 3 }] });
  });
});
