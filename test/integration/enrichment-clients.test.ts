// Runs the clients of AcoustID and MusicBrainz against servers with their protocols. Waits are skipped.
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LiveSettings } from '../../server/config/live-settings.ts';
import { createAcoustId } from '../../server/enrichment/acoustid.ts';
import { ServiceError } from '../../server/outbound/service-client.ts';
import { createMusicBrainz } from '../../server/enrichment/musicbrainz.ts';
import { createBreaker } from '../../server/outbound/breaker.ts';
import { createTokenBucket } from '../../server/outbound/token-bucket.ts';
import {
  internalError,
  invalidFingerprint,
  rateLimited,
  startFakeAcoustId,
  type Answer,
  type FakeAcoustId,
} from '../fakes/acoustid.ts';
import { startFakeMusicBrainz, type FakeMusicBrainz } from '../fakes/musicbrainz.ts';
import { holdLimit, type HeldLimit } from '../support/held-limit.ts';

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const matchAnswer: Answer = {
  results: [
    { id: uuid(1), score: 0.5 },
    { id: uuid(2), score: 0.9, recordings: [{ id: uuid(3), title: 'Ebb' }] },
  ],
};
const neverAborted = new AbortController().signal;
const TIMEOUT_MS = 600_001;

let fake: FakeAcoustId;
let mb: FakeMusicBrainz;
let limit: HeldLimit;
let values: Record<string, unknown>;
beforeEach(async () => {
  limit = holdLimit(TIMEOUT_MS);
  fake = await startFakeAcoustId();
  fake.onSilence = () => void limit.runOut();
  mb = await startFakeMusicBrainz();
  values = {
    FPID_ENABLED: true,
    FPID_API_KEY: 'key',
    FPID_BASE_URL: fake.url,
    MUSICBRAINZ_ENABLED: true,
    MUSICBRAINZ_BASE_URL: mb.url,
  };
});
afterEach(async () => {
  await fake.close();
  await mb.close();
  limit.release();
});

function makeDeps() {
  let time = 0;
  const waits: number[] = [];
  const wait = async (ms: number): Promise<void> => {
    waits.push(ms);
    time += ms;
  };
  const settings = { get: (name: string) => values[name] } as unknown as LiveSettings;
  const bucket = createTokenBucket({ perSecond: 3, now: () => time, wait });
  return {
    waits,
    settings,
    bucket,
    wait,
    breaker: createBreaker({ now: () => time }),
    userAgent: () => 'Tonearm/1 ( me@example.org )',
    version: '1',
    timeoutMs: TIMEOUT_MS,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

function lookingUp() {
  const deps = makeDeps();
  const acoustId = createAcoustId(deps);
  return {
    ...deps,
    acoustId,
    ask: (fingerprint = 'AQAA') => acoustId.lookUp({ fingerprint, durationMs: 214_499 }, neverAborted),
  };
}
const faultOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof ServiceError ? error.fault : String(error)),
  );

describe('AcoustID', () => {
  it('gets a compressed form, whole seconds, the key and a User-Agent; results are sorted by score', async () => {
    fake.answer = () => matchAnswer;
    const results = await lookingUp().ask('AQADtE');
    expect(results.map((result) => result.score)).toEqual([0.9, 0.5]);
    expect(fake.lookups).toMatchObject([
      {
        client: 'key',
        duration: 214,
        fingerprint: 'AQADtE',
        gzipped: true,
        userAgent: 'Tonearm/1 ( me@example.org )',
        meta: 'recordings releasegroups releases tracks compress sources',
      },
    ]);
  });

  it.each<[string, Answer[], number]>([
    ['says that it is too much', [rateLimited], 2],
    ['fails once', [internalError], 2],
    [
      'is overloaded behind a proxy',
      [
        { status: 502, body: '<html>Bad Gateway</html>' },
        { status: 503, body: '' },
      ],
      3,
    ],
    [
      'says so in a body of another status',
      [{ status: 200, body: '{"status":"error","error":{"code":13,"message":"service unavailable"}}' }],
      2,
    ],
  ])('is asked again soon when it %s', async (_title, answers, requestCount) => {
    fake.next = answers;
    fake.answer = () => matchAnswer;
    const { ask, waits } = lookingUp();
    expect(await ask()).toHaveLength(2);
    expect(fake.lookups).toHaveLength(requestCount);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(1_000);
  });

  it.each<[string, Answer, string, number]>([
    ['always fails', internalError, 'busy', 3],
    ['answers with a page', { status: 200, body: '<html>Sign in to the network</html>' }, 'unreachable', 1],
    ['answers with another JSON', { status: 200, body: '{"hello":1}' }, 'unreachable', 1],
    ['does not answer', 'hang', 'unreachable', 1],
    ['sends us elsewhere', { status: 302, body: '', headers: { Location: 'http://127.0.0.1:9/' } }, 'unreachable', 1],
    ['refuses the fingerprint', invalidFingerprint, 'refused', 1],
  ])('%s: %s', async (_title, answer, fault, requestCount) => {
    fake.answer = () => answer;
    expect(await faultOf(lookingUp().ask())).toBe(fault);
    expect(fake.lookups).toHaveLength(requestCount);
  });

  it('is not asked again with a key that it rejected, until there is another', async () => {
    values['FPID_API_KEY'] = 'bad-key';
    const { ask } = lookingUp();
    fake.answer = () => matchAnswer;
    expect([await faultOf(ask()), await faultOf(ask())]).toEqual(['misconfigured', 'misconfigured']);
    values['FPID_API_KEY'] = 'good-key';
    expect(await faultOf(ask())).toBe('none');
    expect(fake.lookups).toHaveLength(1);
  });

  it('says why nothing is looked up', () => {
    const { acoustId } = lookingUp();
    expect(acoustId.whyNot()).toBeUndefined();
    values['FPID_API_KEY'] = undefined;
    expect(acoustId.whyNot()).toMatch(/needs an API key/);
    values['FPID_ENABLED'] = false;
    expect(acoustId.whyNot()).toMatch(/is off/);
  });

  it('is not asked for a hundred tracks while it is unreachable, and asked again later', async () => {
    let connections = 0;
    const deaf: Server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => {
      deaf.listen(0, '127.0.0.1', resolve);
    });
    values['FPID_BASE_URL'] = `http://127.0.0.1:${(deaf.address() as AddressInfo).port}`;
    const { ask, pass } = lookingUp();
    const faults = await Promise.all(Array.from({ length: 100 }, () => faultOf(ask())));
    expect(new Set(faults)).toEqual(new Set(['unreachable']));
    expect(connections).toBeLessThan(10); // the requests that were sent before the first ones failed
    await new Promise<void>((resolve) => {
      deaf.close(() => resolve());
    });

    values['FPID_BASE_URL'] = fake.url;
    fake.answer = () => matchAnswer;
    expect(await faultOf(ask())).toBe('unreachable');
    pass(600_000);
    expect(await faultOf(ask())).toBe('none');
  });

  it('stops when it is aborted', async () => {
    fake.answer = () => 'hang';
    fake.onSilence = () => undefined;
    const { acoustId } = lookingUp();
    const stop = new AbortController();
    fake.before = async () => stop.abort(new Error('stopped'));
    await expect(acoustId.lookUp({ fingerprint: 'x', durationMs: 1_000 }, stop.signal)).rejects.toThrow('stopped');
  });
});

describe('MusicBrainz', () => {
  const asking = () => {
    const deps = makeDeps();
    return { ...deps, musicBrainz: createMusicBrainz({ ...deps, now: () => new Date(0), lifetime: neverAborted }) };
  };

  it('is asked once for the same mbid, with a User-Agent', async () => {
    mb.entities.set(`/ws/2/release-group/${uuid(1)}`, {
      id: uuid(1),
      title: 'Low Water',
      genres: [{ id: uuid(9), name: 'dub', count: 3 }],
    });
    const { musicBrainz } = asking();
    const releaseGroups = await Promise.all([1, 2, 3].map(() => musicBrainz.findReleaseGroup(uuid(1), neverAborted)));
    expect(releaseGroups.map((releaseGroup) => releaseGroup?.genres[0]?.name)).toEqual(['dub', 'dub', 'dub']);
    expect(mb.requests).toMatchObject([
      { path: `/ws/2/release-group/${uuid(1)}`, userAgent: 'Tonearm/1 ( me@example.org )' },
    ]);
  });

  it('is asked again after its Retry-After', async () => {
    mb.busyAnswers = 2;
    mb.entities.set(`/ws/2/recording/${uuid(1)}`, { id: uuid(2), title: 'Ebb', 'first-release-date': '2009-05' });
    const { musicBrainz, waits } = asking();
    expect(await musicBrainz.findRecording(uuid(1), neverAborted)).toMatchObject({ id: uuid(2), title: 'Ebb' });
    expect(mb.requests).toHaveLength(3);
    expect(waits.length).toBeGreaterThan(0);
  });

  it('may not know the mbid', async () => {
    const { musicBrainz } = asking();
    expect(await musicBrainz.findRecording(uuid(404), neverAborted)).toBeUndefined();
    expect(await musicBrainz.findReleaseGroup('no id', neverAborted)).toBeUndefined();
  });

  it('is asked again after a failure', async () => {
    mb.entities.set(`/ws/2/recording/${uuid(1)}`, { hello: 1 });
    const { musicBrainz } = asking();
    expect(await faultOf(musicBrainz.findRecording(uuid(1), neverAborted))).toBe('unreachable');
    mb.entities.set(`/ws/2/recording/${uuid(1)}`, {
      id: uuid(1),
      title: 'Ebb',
      genres: null,
      releases: [{ media: [{ tracks: [null, { position: 'A3' }] }] }],
    });
    expect(await musicBrainz.findRecording(uuid(1), neverAborted)).toMatchObject({ title: 'Ebb', genres: [] });
  });
});
