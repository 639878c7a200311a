// Checks of backups: damaged and missing objects are found and repaired, only one server writes at a time, and a small
// change sends few bytes. The kills and flipped bytes here are a short version of `npm run prove -- backup`.
import { spawnSync } from 'node:child_process';
import { createHash, hash as hashOf } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withLease } from '../../server/backup/lease.ts';
import { openRepository } from '../../server/backup/repository.ts';
import { targetDeps } from '../../server/backup/service.ts';
import { openTarget } from '../../server/backup/target.ts';
import type { BackupCheckResult, BackupsOut } from '../../server/backup/wire.ts';
import { loadConfig } from '../../server/config/config.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import { hashInKey } from '../../server/storage/local-paths.ts';
import { startFakeS3, type FakeS3 } from '../fakes/s3.ts';
import { flipBytes, killDuring, prepareProof, type BackupProof } from '../prove/backup.ts';
import { backUpInto, checkFolder, damageIn, openBackup, restoreFrom } from '../support/backup-folders.ts';
import { filesIn, makeBackup, rowsIn } from '../support/backups.ts';
import { startServer } from '../support/server.ts';

const SEED = Number(process.env['TEST_SEED'] ?? 1);
const COPY_OPTIONS = { recursive: true, preserveTimestamps: true };
const LEASE_LIMITS = { expiresMs: 600_000, renewMs: 600_000, settleMs: 1 };

let proof: BackupProof;
let library: string;
beforeAll(async () => {
  proof = await prepareProof(SEED);
  library = proof.fullDir;
});
afterAll(() => proof.close());

const makeFolder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'tonearm-check-'));
  folders.push(path);
  return path;
};
const folders: string[] = [];
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

const contentOf = (dataDir: string) => ({ rows: rowsIn(dataDir), files: filesIn(join(dataDir, 'library')) });

async function makeBackupFolder(): Promise<string> {
  const backup = makeFolder();
  await backUpInto(await openBackup(backup, { isNew: true }), library, makeFolder());
  return backup;
}

const listLargestFirst = (dir: string): string[] => {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return paths.sort((a, b) => statSync(b).size - statSync(a).size);
};

const listAudioKeys = (dataDir: string): string[] =>
  Object.keys(filesIn(join(dataDir, 'library'))).filter((key) => key.startsWith('audio/'));

describe('a backup with its neighbours', () => {
  it.each(['index', 'snapshots'])('is restored completely without its folder %s', async (name) => {
    const backup = await makeBackupFolder();
    rmSync(join(backup, name), { recursive: true });
    const dataDir = makeFolder();
    const { unlistedPacks } = await restoreFrom(await openBackup(backup), dataDir);
    expect(unlistedPacks > 0).toBe(name === 'index');
    expect(contentOf(dataDir)).toEqual(contentOf(library));
  });

  it('is restored by the files that its database names when its list of files is damaged', async () => {
    const backup = await makeBackupFolder();
    const repo = await openBackup(backup);
    const { lists } = await repo.readSnapshot((await repo.snapshotIds())[0] ?? '');
    for (const { sha256 } of lists) await damageIn(backup, sha256);
    const dataDir = makeFolder();
    const { isListLost, lost } = await restoreFrom(await openBackup(backup), dataDir);
    expect([isListLost, lost]).toEqual([true, []]);
    expect(contentOf(dataDir)).toEqual(contentOf(library));
  });

  it('is used, checked and restored although sync tools and browsers left copies in it, which stay', async () => {
    const backup = await makeBackupFolder();
    const [index] = readdirSync(join(backup, 'index'));
    const [pack] = readdirSync(join(backup, 'packs'), { recursive: true }).filter((name) =>
      /\w{32}$/.test(String(name)),
    );
    const [snapshot] = readdirSync(join(backup, 'snapshots'));
    const foreignFiles = [
      `index/${index} (1)`,
      `index/${index}.sync-conflict-20261126`,
      `index/${index}~`,
      `packs/${String(pack)} (conflicted copy)`,
      `packs/${String(pack)}-DESKTOP`,
      `snapshots/${snapshot}[1]`,
      `copies/${snapshot}?`,
      'backup (1).json',
      'Ünused/later',
      '.stfolder/x',
    ];
    for (const name of foreignFiles) {
      mkdirSync(join(backup, name, '..'), { recursive: true });
      writeFileSync(join(backup, name), 'not of the backup');
    }
    await backUpInto(await openBackup(backup), library, makeFolder());
    const report = await checkFolder(await openBackup(backup), library, makeFolder());
    expect(report).toMatchObject({ faults: 0, lost: 0, foreign: foreignFiles.length });
    expect(report.foreign_items.toSorted()).toEqual(foreignFiles.toSorted());
    const dataDir = makeFolder();
    await restoreFrom(await openBackup(backup), dataDir);
    expect(contentOf(dataDir)).toEqual(contentOf(library));
    for (const name of foreignFiles) expect(readFileSync(join(backup, name), 'utf8'), name).toBe('not of the backup');
  });
});

describe('a check', () => {
  it('finds no fault after a kill between a snapshot and its copy, which the next backup completes', async () => {
    const backup = await makeBackupFolder();
    rmSync(join(backup, 'snapshots'), { recursive: true });
    await backUpInto(await openBackup(backup), library, makeFolder());
    expect(await checkFolder(await openBackup(backup), library, makeFolder())).toMatchObject({
      snapshots: 1,
      faults: 0,
    });
  });

  it('finds a damaged object, a lost pack, a lost index and a lost snapshot, and repairs them', async () => {
    const backup = await makeBackupFolder();
    const runCheck = async () => checkFolder(await openBackup(backup), library, makeFolder());
    expect(await runCheck()).toMatchObject({ snapshots: 1, faults: 0, lost: 0 });
    const damages: (() => Promise<void>)[] = [
      () => damageIn(backup, hashInKey(listAudioKeys(library)[0] ?? '')),
      async () => {
        for (const name of readdirSync(join(backup, 'packs'))) rmSync(join(backup, 'packs', name), { recursive: true });
      },
      async () => rmSync(join(backup, 'index'), { recursive: true }),
      async () => rmSync(join(backup, 'snapshots'), { recursive: true }),
      async () => writeFileSync(join(backup, 'backup.json'), 'damaged'),
      async () => rmSync(join(backup, 'backup.json')),
      async () => {
        const copy = join(backup, 'copies/backup.json');
        writeFileSync(copy, readFileSync(copy, 'utf8').replace('"library"', '"librarx"'));
      },
      async () => {
        // damages lists whose parts are in no index
        rmSync(join(backup, 'index'), { recursive: true });
        const [largest = ''] = listLargestFirst(join(backup, 'packs'));
        rmSync(largest);
      },
    ];
    for (const [caseNumber, damage] of damages.entries()) {
      await damage();
      const { faults, lost } = await runCheck();
      // packs without an index are not a fault
      expect([caseNumber, faults > 0 || caseNumber === 2, lost]).toEqual([caseNumber, true, 0]);
      expect(await runCheck()).toMatchObject({ faults: 0, lost: 0 });
    }
    const dataDir = makeFolder();
    await restoreFrom(await openBackup(backup), dataDir);
    expect(contentOf(dataDir)).toEqual(contentOf(library));
  });

  it('and a backup write no keys if the backup is not encrypted', async () => {
    const [backup, keys] = [makeFolder(), { jwt_secret: 'a', compat_secret_key: 'b', settings: {} }];
    const { snapshot } = await backUpInto(await openBackup(backup, { isNew: true }), library, makeFolder(), { keys });
    await damageIn(backup, hashInKey(listAudioKeys(library)[0] ?? ''));
    await checkFolder(await openBackup(backup), library, makeFolder(), { keys });
    const repo = await openBackup(backup);
    const ids = await repo.snapshotIds();
    expect(ids).toEqual([expect.not.stringContaining(snapshot) as string, snapshot]);
    for (const id of ids) expect((await repo.readSnapshot(id)).keys).toBeNull();
  });

  it('names an object that the library has lost too, and the next backup does not count it as stored', async () => {
    const backup = await makeBackupFolder();
    const [key = ''] = listAudioKeys(library);
    await damageIn(backup, hashInKey(key));
    const incompleteLibrary = makeFolder();
    cpSync(library, incompleteLibrary, { recursive: true });
    rmSync(join(incompleteLibrary, 'library', key));
    const report = await checkFolder(await openBackup(backup), incompleteLibrary, makeFolder());
    expect(report).toMatchObject({ faults: 1, lost: 1, lost_items: [expect.stringContaining(key) as string] });
    // this library has the object
    expect(await checkFolder(await openBackup(backup), library, makeFolder())).toMatchObject({ faults: 1, lost: 0 });
  });

  it('and a backup use the newer copy when a kill left an index and a pack that were replaced', async () => {
    const backup = await makeBackupFolder();
    const hash = hashInKey(listAudioKeys(library)[0] ?? '');
    await damageIn(backup, hash);
    const damagedCopy = makeFolder();
    for (const name of ['index', 'packs']) cpSync(join(backup, name), join(damagedCopy, name), COPY_OPTIONS);
    expect(await checkFolder(await openBackup(backup), library, makeFolder())).toMatchObject({ faults: 1, lost: 0 });
    const repairedCopy = makeFolder();
    cpSync(backup, repairedCopy, COPY_OPTIONS);
    for (const leftoverFolders of [['packs'], ['index', 'packs']]) {
      for (const name of leftoverFolders)
        cpSync(join(damagedCopy, name), join(backup, name), { ...COPY_OPTIONS, force: false });
      await backUpInto(await openBackup(backup), library, makeFolder());
      const dataDir = makeFolder();
      await restoreFrom(await openBackup(backup), dataDir);
      expect(contentOf(dataDir)).toEqual(contentOf(library));
      rmSync(backup, { recursive: true });
      cpSync(repairedCopy, backup, COPY_OPTIONS);
    }
  });

  it('reads the same part again when it could not repair it', async () => {
    const backup = await makeBackupFolder();
    await damageIn(backup, hashInKey(listAudioKeys(library)[0] ?? ''));
    const report = await checkFolder(await openBackup(backup), makeFolder(), makeFolder());
    expect(report.problems).toContainEqual(expect.stringMatching(/^not repaired: /));
    const { packs_read, faults } = await checkFolder(await openBackup(backup), library, makeFolder(), { share: 0.9 });
    expect([packs_read > 0, faults]).toEqual([true, 1]);
  });

  it('is needed before unused objects are deleted, when a list of pieces cannot be read', async () => {
    const backup = await makeBackupFolder();
    const repo = await openBackup(backup);
    const { database } = await repo.readSnapshot((await repo.snapshotIds())[0] ?? '');
    await damageIn(backup, database.sha256);
    const clockAfter = (days: number) => () => new Date(Date.now() + days * 86_400_000);
    const backUpAfter = async (days: number) =>
      backUpInto(await openBackup(backup), library, makeFolder(), {
        now: clockAfter(days),
        retention: { daily: 1, weekly: 0 },
      });
    expect(await backUpAfter(10)).toMatchObject({
      snapshots_deleted: 1,
      objects_deleted: 0,
      tidy_problem: expect.stringContaining('damaged') as string,
    });
    expect(await checkFolder(await openBackup(backup), library, makeFolder())).toMatchObject({ lost: 0 });
    expect(await backUpAfter(20)).toMatchObject({ tidy_problem: null });
    const dataDir = makeFolder();
    await restoreFrom(await openBackup(backup), dataDir);
    expect(contentOf(dataDir)).toEqual(contentOf(library));
  });

  it('reads the next part each time, until it has read everything', async () => {
    const backup = await makeBackupFolder();
    let packsRead = 0;
    for (let round = 0; round < 4; round++)
      packsRead += (await checkFolder(await openBackup(backup), library, makeFolder(), { share: 0.25 })).packs_read;
    const { packs } = await checkFolder(await openBackup(backup), library, makeFolder(), { share: 0 });
    expect(packsRead).toBeGreaterThanOrEqual(packs);
  });

  it('runs automatically every week, and the page shows its result', async () => {
    let today = new Date();
    const [backup, dir] = [makeFolder(), makeFolder()];
    cpSync(library, dir, { recursive: true });
    const server = await startServer({
      dir,
      env: { BACKUP_TARGET: backup, ACCESS_TOKEN_TTL: '900d' },
      now: () => today,
    });
    await makeBackup(server);
    const getBackups = async (): Promise<BackupsOut> => (await server.api<BackupsOut>('/backups')).body;
    expect(await getBackups()).toMatchObject({ check: null, check_percent: 8, is_reading_free: true });
    today = new Date(today.getTime() + 8 * 86_400_000);
    server.app.backups.checkSchedule();
    await server.app.drain();
    const { check } = await getBackups();
    expect(check).toMatchObject({ at: today.toISOString(), faults: 0, lost: 0 });
    expect(check?.share).toBeGreaterThan(0);

    const [track = ''] = listAudioKeys(dir);
    await damageIn(backup, hashInKey(track));
    const { body } = await server.api<JobOut>('/backups/check', { method: 'POST', body: { percent: 100 } });
    await server.app.drain();
    const { result } = (await server.api<JobOut & { result: BackupCheckResult }>(`/jobs/${body.id}`)).body;
    expect(result).toMatchObject({ faults: 1, lost: 0, bytes_read: result.bytes });
    expect((await getBackups()).check).toMatchObject({ share: 1, faults: 1, lost: 0 });
    await server.close();
  });
});

it('a prune keeps the objects of the previous snapshot, even if the store does not list that snapshot yet', async () => {
  const backup = await makeBackupFolder();
  const { target } = await openBackup(backup);
  const [oldSnapshotId = ''] = await (await openBackup(backup)).snapshotIds();
  await (await openBackup(backup)).deleteSnapshot(oldSnapshotId, { isNow: true });
  const laggingTarget = {
    ...target,
    async *list(prefix: string) {
      for await (const object of target.list(prefix)) if (!prefix.startsWith('snapshots/')) yield object;
    },
  };
  const repo = await openRepository({ target: laggingTarget, passphrase: undefined });
  expect(await backUpInto(repo, library, makeFolder())).toMatchObject({ tidy_problem: null });
  const dataDir = makeFolder();
  await restoreFrom(await openBackup(backup), dataDir);
  expect(contentOf(dataDir)).toEqual(contentOf(library));
});

describe('a backup in a bucket', () => {
  let fake: FakeS3;
  beforeAll(async () => {
    fake = await startFakeS3();
  });
  afterAll(() => fake.close());

  const listObjectSizes = (): Map<string, number> =>
    new Map([...fake.objects].map(([key, { bytes }]) => [key, bytes.length]));

  /** Makes a backup; returns the number of requests and of bytes sent. */
  async function measureBackup(dataDir: string): Promise<{ requests: number; bytes: number }> {
    const [previousRequests, previousSizes] = [fake.requests.length, listObjectSizes()];
    await backUpInto(await openBackup('s3', { env: fake.backupSettings, isNew: true }), dataDir, makeFolder());
    const bytes = [...listObjectSizes()].reduce((sum, [key, size]) => sum + (previousSizes.has(key) ? 0 : size), 0);
    return { requests: fake.requests.length - previousRequests, bytes };
  }

  it('takes few requests, and sends few bytes for a change of one row', async () => {
    const dir = makeFolder();
    cpSync(library, dir, { recursive: true });
    expect((await measureBackup(dir)).requests).toBeLessThan(30);
    const unchangedCost = await measureBackup(dir);
    expect(unchangedCost.requests).toBeLessThan(30);
    expect(unchangedCost.bytes).toBeLessThan(10_000);
    const db = new Database(join(dir, 'tonearm.db'));
    db.exec("UPDATE tracks SET title = 'Another' WHERE id = (SELECT max(id) FROM tracks)");
    db.close();
    const oneRowCost = await measureBackup(dir);
    expect(oneRowCost.requests).toBeLessThan(32);
    expect(oneRowCost.bytes).toBeLessThan(100_000);
  });

  const openBucket = () =>
    openTarget(
      's3',
      targetDeps(loadConfig({ file: {}, env: fake.backupSettings }), () => new Date()),
    );
  const otherServer = { folder: '/another/machine', now: () => new Date(), limits: LEASE_LIMITS };
  const tryBackup = async (): Promise<string> =>
    backUpInto(await openBackup('s3', { env: fake.backupSettings }), library, makeFolder(), {
      limits: LEASE_LIMITS,
    }).then(
      () => 'backed up',
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );
  const inUsePattern = /is in use by .*\/another\/machine.* since .*tonearm backup unlock/;

  it('is refused while another server writes to it, and works when the other server has ended', async () => {
    await withLease(await openBucket(), otherServer, async () => {
      expect(await tryBackup()).toMatch(inUsePattern);
    });
    expect(await tryBackup()).toBe('backed up');
    expect([...fake.objects.keys()].filter((key) => key.includes('lease'))).toEqual([]);
    await withLease(await openBucket(), otherServer, async ({ assertHeld }) => {
      // the lease expires by the clock of the store
      for (const [key, object] of fake.objects)
        if (key.endsWith('lease')) object.modifiedAt = new Date(Date.now() - 700_000);
      expect(await tryBackup()).toBe('backed up');
      await expect(assertHeld()).rejects.toThrow(/Another server has taken over the backup in/);
    });
  });

  it('is not locked by a restore into another folder that was killed on this machine', async () => {
    const { pid, ...endedProcess } = spawnSync(process.execPath, ['--version']);
    expect(endedProcess.status).toBe(0);
    const lease = { token: 'x', host: hostname(), folder: '/elsewhere', pid, since: new Date().toISOString() };
    const bucket = await openBucket();
    await bucket.put('lease', Buffer.from(JSON.stringify(lease)));
    expect(await tryBackup()).toMatch(/is in use by .*\/elsewhere/);
    await bucket.put('lease', Buffer.from(JSON.stringify({ ...lease, onlyReads: true })));
    expect(await tryBackup()).toBe('backed up');
  });

  it('is not restored while another server may delete from it, but from a bucket that is read-only', async () => {
    const repo = await openBackup('s3', { env: fake.backupSettings });
    const makeTarget = (): string => join(makeFolder(), 'restored');
    await withLease(await openBucket(), otherServer, async () => {
      await expect(restoreFrom(repo, makeTarget())).rejects.toThrow(inUsePattern);
    });
    const originalFault = fake.fault;
    fake.fault = (ask) => (ask.operation === 'PutObject' ? { status: 403, code: 'AccessDenied' } : undefined);
    expect((await restoreFrom(repo, makeTarget())).lost).toEqual([]);
    fake.fault = originalFault;
    expect((await restoreFrom(repo, makeTarget())).lost).toEqual([]);
    expect([...fake.objects.keys()].filter((key) => key.includes('lease'))).toEqual([]);
  });

  it.each([
    ['refuses conditional writes', { status: 501, code: 'NotImplemented' }],
    ['does not know them', undefined],
  ])('is refused too where the store %s', async (_, fault) => {
    const originalFault = fake.fault;
    fake.ignoresConditions = fault === undefined;
    fake.fault = (ask) => (ask.isConditional ? fault : undefined);
    await withLease(await openBucket(), otherServer, async () => {
      expect(await tryBackup()).toMatch(inUsePattern);
    });
    expect(await tryBackup()).toBe('backed up');
    fake.fault = originalFault;
    fake.ignoresConditions = false;
  });
});

describe('a backup in the first format', () => {
  it('is restored, and the next backup reuses its objects', async () => {
    const backup = makeFolder();
    const writeFile = (key: string, bytes: Buffer | string): void => {
      mkdirSync(join(backup, key, '..'), { recursive: true });
      writeFileSync(join(backup, key), bytes);
    };
    const writeObject = (bytes: Buffer): string => {
      const hash = hashOf('sha256', bytes);
      writeFile(`objects/${hash.slice(0, 2)}/${hash}`, bytes);
      return hash;
    };
    const database = readFileSync(join(library, 'tonearm.db'));
    const lines = listAudioKeys(library).map((key) => {
      const bytes = readFileSync(join(library, 'library', key));
      return JSON.stringify({ kind: 'stored', key, hash: writeObject(bytes), size: bytes.length });
    });
    const manifest = JSON.stringify({
      format: 1,
      id: '20260101T000000000Z',
      app_version: '0',
      database: {
        size: database.length,
        sha256: createHash('sha256').update(database).digest('hex'),
        pieces: [writeObject(database.subarray(0, 1 << 18)), writeObject(database.subarray(1 << 18))],
      },
      lists: [{ sha256: writeObject(Buffer.from(lines.join('\n'))), lines: lines.length }],
      settings: {},
      keys: null,
      counts: { tracks: lines.length, files: lines.length, covers: 0, referenced: 0, absent: 0, bytes: 0 },
    });
    writeFile('snapshots/20260101T000000000Z', `${hashOf('sha256', manifest)}\n${manifest}`);
    writeFile('backup.json', JSON.stringify({ tonearm_backup: 1, id: crypto.randomUUID(), library: null, lock: null }));

    const dataDir = makeFolder();
    await restoreFrom(await openBackup(backup), dataDir);
    expect(rowsIn(dataDir)).toEqual(rowsIn(library));
    expect(listAudioKeys(dataDir)).toEqual(listAudioKeys(library));
    const { added: addedFiles } = await backUpInto(await openBackup(backup), library, makeFolder());
    expect(addedFiles).toBeLessThanOrEqual(Object.keys(filesIn(join(library, 'library', 'covers'))).length);
    expect(await checkFolder(await openBackup(backup), library, makeFolder())).toMatchObject({ lost: 0 });
  });
});

describe('kills and flipped bytes', () => {
  it('a kill at a random moment of a check or a prune loses and duplicates nothing', async () => {
    const operation = SEED % 2 === 0 ? 'check' : 'prune';
    expect(await killDuring(operation, 1, proof)).toEqual([]);
  });

  it('a flipped byte anywhere in a backup is found and repaired', async () => {
    expect(await flipBytes(5, proof)).toEqual([]);
  });
});
