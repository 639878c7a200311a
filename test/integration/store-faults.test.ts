// Faults between Tonearm and a real object store: each lasts for a while, during a scan, a backup and a restore.
// Afterwards every object exists once, with the right bytes. Run by `npm run test:stores`.
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BackupCheckResult } from '../../server/backup/wire.ts';
import type { VerifyReport } from '../../server/maintenance/verify-report.ts';
import type { ScanResult } from '../../server/scan/wire.ts';
import { openBackup, restoreFrom } from '../support/backup-folders.ts';
import { filesIn } from '../support/backups.ts';
import { startFaultProxy, type FaultProxy, type ProxyAsk, type ProxyFault } from '../support/fault-proxy.ts';
import { makeLibrary } from '../support/library.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { runJob, STORE_LIMITS, storeLibraryEnv, testedEndpoint } from '../support/tested-store.ts';
import { sayLeftOut } from '../support/left-out.ts';

const TRACK_COUNT = 12;
const isPut = ({ method }: ProxyAsk): boolean => method === 'PUT' || method === 'POST';
const injectFault =
  (fault: ProxyFault, interval: number, isAffected: (ask: ProxyAsk) => boolean = () => true) =>
  (ask: ProxyAsk) =>
    isAffected(ask) && ask.nth % interval === 0 ? fault : undefined;

const STORE_FAULTS: [name: string, fault: FaultProxy['fault']][] = [
  ['is down', () => 'refuse'],
  ['is killed in the middle of a put', injectFault('cut request', 2, isPut)],
  ['loses its answer to a put', injectFault('lost answer', 3, isPut)],
  ['cuts its answers', injectFault('cut answer', 3)],
  ['is slow', () => 'slow'],
  ['is too busy', injectFault({ status: 503, code: 'SlowDown' }, 2)],
  ['refuses everything for a while', () => ({ status: 403, code: 'AccessDenied' })],
  ['has another clock', () => ({ status: 403, code: 'RequestTimeTooSkewed', date: new Date(Date.now() + 86_400_000) })],
  ['lies about ETags', () => 'other etag'],
  ['lists what was there before', () => 'old list'],
];

const endpoint = testedEndpoint;
if (endpoint !== undefined)
  describe(`a store with faults in front of ${endpoint}`, () => {
    let base: string;
    let music: string;
    let proxy: FaultProxy;
    let server: TestServer;
    let env: Record<string, string>;
    const runJobAt = <R>(path: string) => runJob<R>(server, path);

    beforeAll(() => {
      base = mkdtempSync(join(tmpdir(), 'tonearm-faults-'));
      music = makeLibrary({ tracks: TRACK_COUNT, messy: 0, seed: 'faults', seconds: '1' }, join(base, 'music')).dir;
    });
    beforeEach(async () => {
      proxy = await startFaultProxy(endpoint);
      env = storeLibraryEnv(proxy.url, `faults-${randomUUID()}`, music);
      return async () => {
        await server.close();
        await proxy.close();
      };
    });
    afterAll(() => rmSync(base, { recursive: true, force: true }));

    it.each(STORE_FAULTS)(
      'that %s: everything is there once when that is over',
      async (name, fault) => {
        const dir = join(base, randomUUID());
        mkdirSync(dir);
        proxy.fault = fault; // the fault also occurs at the start
        server = await startServer({ dir, env, storeLimits: STORE_LIMITS });
        const scan = await runJobAt<ScanResult>('/sources/local_folder/scan');
        let broken = proxy.broken;
        const hasBitten = (): void => {
          expect(proxy.broken).toBeGreaterThan(broken);
          broken = proxy.broken;
        };
        expect(broken).toBeGreaterThan(0);
        if (name === 'has another clock') expect(JSON.stringify(scan)).toMatch(/clock/);
        proxy.fault = () => undefined;
        expect(await runJobAt<ScanResult>('/sources/local_folder/scan')).toMatchObject({
          status: 'succeeded',
          error: null,
        });
        expect(await allTracks(server)).toHaveLength(TRACK_COUNT);
        expect((await runJobAt<VerifyReport>('/jobs/verify')).result).toMatchObject({
          damaged: 0,
          missing: 0,
          unreadable: 0,
          checked: TRACK_COUNT,
        });

        proxy.fault = fault;
        await runJobAt('/backups');
        hasBitten();
        proxy.fault = () => undefined;
        expect(await runJobAt('/backups')).toMatchObject({ status: 'succeeded', result: { absent: 0 } });
        proxy.fault = fault;
        await runJobAt('/backups/check');
        if (!name.includes('put')) hasBitten();
        proxy.fault = () => undefined;
        expect((await runJobAt<BackupCheckResult>('/backups/check')).result).toMatchObject({ lost: 0 });
        expect((await runJobAt<BackupCheckResult>('/backups/check')).result).toMatchObject({ faults: 0, lost: 0 });

        const to = join(base, randomUUID());
        const restore = async () => restoreFrom(await openBackup('s3', { env }), to, { replace: true });
        proxy.fault = (ask) => (proxy.requests > lastAllowedRequest ? undefined : fault(ask));
        const lastAllowedRequest = proxy.requests + 12;
        const firstRestore = await restore().catch((error: unknown) => error);
        if (!name.includes('put')) hasBitten();
        proxy.fault = () => undefined;
        if (firstRestore instanceof Error) expect((await restore()).lost).toEqual([]);
        const hashes = Object.entries(filesIn(join(to, 'library'))).filter(([key]) => key.startsWith('audio/'));
        expect(hashes.every(([key, hash]) => key.includes(hash))).toBe(true);
        expect(hashes).toHaveLength(new Set((await allTracks(server)).map(({ storage_uri: uri }) => uri)).size);
      },
      120_000,
    );
  });
else sayLeftOut('S3_TEST_ENDPOINT is not set: faults in front of a real store are NOT tested.');

it('is run by npm run test:stores', () => {
  expect(readFileSync(join(import.meta.dirname, '../../scripts/test-stores.ts'), 'utf8')).toContain(
    'store-faults.test.ts',
  );
});
