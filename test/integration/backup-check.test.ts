// A backup that proves itself: what is damaged or missing is found and mended, one server writes at a time, and little
// is sent for little. The kills and single bytes here are a slice of `npm run prove -- backup`.
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
const PRESERVED = { recursive: true, preserveTimestamps: true };
const LIMITS = { expiresMs: 600_000, renewMs: 600_000, settleMs: 1 };

let proof: BackupProof;
let library: string;
beforeAll(async () => {
  proof = await prepareProof(SEED);
  library = proof.full;
});
afterAll(() => proof.close());

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'tonearm-check-'));
  folders.push(path);
  return path;
};
const folders: string[] = [];
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

const whole = (dataDir: string) => ({ rows: rowsIn(dataDir), files: filesIn(join(dataDir, 'library')) });

async function backedUp(): Promise<string> {
  const backup = folder();
  await backUpInto(await openBackup(backup, { isNew: true }), library, folder());
  return backup;
}

const largestFirst = (dir: string): string[] => {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return paths.sort((a, b) => statSync(b).size - statSync(a).size);
};

const audioOf = (dataDir: string): string[] =>
  Object.keys(filesIn(join(dataDir, 'library'))).filter((key) => key.startsWith('audio/'));

describe('a backup with its neighbours', () => {
  it.each(['index', 'snapshots'])('is restored whole without its folder %s', async (name) => {
    const backup = await backedUp();
    rmSync(join(backup, name), { recursive: true });
    const dataDir = folder();
    const { unlistedPacks } = await restoreFrom(await openBackup(backup), dataDir);
    expect(unlistedPacks > 0).toBe(name === 'index');
    expect(whole(dataDir)).toEqual(whole(library));
  });

  it('is restored by what its database names when its list of files is damaged', async () => {
    const backup = await backedUp();
    const repo = await openBackup(backup);
    const { lists } = await repo.readSnapshot((await repo.snapshotIds())[0] ?? '');
    for (const { sha256 } of lists) await damageIn(backup, sha256);
    const dataDir = folder();
    const { isListLost, lost } = await restoreFrom(await openBackup(backup), dataDir);
    expect([isListLost, lost]).toEqual([true, []]);
    expect(whole(dataDir)).toEqual(whole(library));
  });

  it('is used, checked and restored beside copies that sync tools and browsers made, which stay', async () => {
    const backup = await backedUp();
    const [index] = readdirSync(join(backup, 'index'));
    const [pack] = readdirSync(join(backup, 'packs'), { recursive: true }).filter((name) =>
      /\w{32}$/.test(String(name)),
    );
    const [snapshot] = readdirSync(join(backup, 'snapshots'));
    const foreign = [
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
    for (const name of foreign) {
      mkdirSync(join(backup, name, '..'), { recursive: true });
      writeFileSync(join(backup, name), 'not of the backup');
    }
    await backUpInto(await openBackup(backup), library, folder());
    const checked = await checkFolder(await openBackup(backup), library, folder());
    expect(checked).toMatchObject({ faults: 0, lost: 0, foreign: foreign.length });
    expect(checked.foreign_items.toSorted()).toEqual(foreign.toSorted());
    const dataDir = folder();
    await restoreFrom(await openBackup(backup), dataDir);
    expect(whole(dataDir)).toEqual(whole(library));
    for (const name of foreign) expect(readFileSync(join(backup, name), 'utf8'), name).toBe('not of the backup');
  });
});

describe('a check', () => {
  it('finds nothing wrong after a kill between a snapshot and its copy, which the next backup ends', async () => {
    const backup = await backedUp();
    rmSync(join(backup, 'snapshots'), { recursive: true });
    await backUpInto(await openBackup(backup), library, folder());
    expect(await checkFolder(await openBackup(backup), library, folder())).toMatchObject({ snapshots: 1, faults: 0 });
  });

  it('finds a damaged object, a lost pack, a lost index and a lost snapshot, and mends them', async () => {
    const backup = await backedUp();
    const check = async () => checkFolder(await openBackup(backup), library, folder());
    expect(await check()).toMatchObject({ snapshots: 1, faults: 0, lost: 0 });
    const harm: (() => Promise<void>)[] = [
      () => damageIn(backup, hashInKey(audioOf(library)[0] ?? '')),
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
        // lists whose parts no index knows of
        rmSync(join(backup, 'index'), { recursive: true });
        const [largest = ''] = largestFirst(join(backup, 'packs'));
        rmSync(largest);
      },
    ];
    for (const [nth, damage] of harm.entries()) {
      await damage();
      const { faults, lost } = await check();
      expect([nth, faults > 0 || nth === 2, lost]).toEqual([nth, true, 0]); // packs without an index are not a fault
      expect(await check()).toMatchObject({ faults: 0, lost: 0 });
    }
    const place = folder();
    await restoreFrom(await openBackup(backup), place);
    expect(whole(place)).toEqual(whole(library));
  });

  it('and a backup write no keys where nothing is encrypted', async () => {
    const [backup, keys] = [folder(), { jwt_secret: 'a', compat_secret_key: 'b', settings: {} }];
    const { snapshot } = await backUpInto(await openBackup(backup, { isNew: true }), library, folder(), { keys });
    await damageIn(backup, hashInKey(audioOf(library)[0] ?? ''));
    await checkFolder(await openBackup(backup), library, folder(), { keys });
    const repo = await openBackup(backup);
    const ids = await repo.snapshotIds();
    expect(ids).toEqual([expect.not.stringContaining(snapshot) as string, snapshot]);
    for (const id of ids) expect((await repo.readSnapshot(id)).keys).toBeNull();
  });

  it('names what the library does not have either, and the next backup does not take it for stored', async () => {
    const backup = await backedUp();
    const [key = ''] = audioOf(library);
    await damageIn(backup, hashInKey(key));
    const poor = folder();
    cpSync(library, poor, { recursive: true });
    rmSync(join(poor, 'library', key));
    const found = await checkFolder(await openBackup(backup), poor, folder());
    expect(found).toMatchObject({ faults: 1, lost: 1, lost_items: [expect.stringContaining(key) as string] });
    // it comes back to the library
    expect(await checkFolder(await openBackup(backup), library, folder())).toMatchObject({ faults: 1, lost: 0 });
  });

  it('and a backup go by the newer copy when a kill left an index and a pack that were replaced', async () => {
    const backup = await backedUp();
    const hash = hashInKey(audioOf(library)[0] ?? '');
    await damageIn(backup, hash);
    const before = folder();
    for (const name of ['index', 'packs']) cpSync(join(backup, name), join(before, name), PRESERVED);
    expect(await checkFolder(await openBackup(backup), library, folder())).toMatchObject({ faults: 1, lost: 0 });
    const mended = folder();
    cpSync(backup, mended, PRESERVED);
    for (const left of [['packs'], ['index', 'packs']]) {
      for (const name of left) cpSync(join(before, name), join(backup, name), { ...PRESERVED, force: false });
      await backUpInto(await openBackup(backup), library, folder());
      const place = folder();
      await restoreFrom(await openBackup(backup), place);
      expect(whole(place)).toEqual(whole(library));
      rmSync(backup, { recursive: true });
      cpSync(mended, backup, PRESERVED);
    }
  });

  it('reads the same part again when it could not mend', async () => {
    const backup = await backedUp();
    await damageIn(backup, hashInKey(audioOf(library)[0] ?? ''));
    const found = await checkFolder(await openBackup(backup), folder(), folder());
    expect(found.problems).toContainEqual(expect.stringMatching(/^not repaired: /));
    const { packs_read, faults } = await checkFolder(await openBackup(backup), library, folder(), { share: 0.9 });
    expect([packs_read > 0, faults]).toEqual([true, 1]);
  });

  it('is needed before anything unused is deleted, when a list of pieces cannot be read', async () => {
    const backup = await backedUp();
    const repo = await openBackup(backup);
    const { database } = await repo.readSnapshot((await repo.snapshotIds())[0] ?? '');
    await damageIn(backup, database.sha256);
    const later = (days: number) => () => new Date(Date.now() + days * 86_400_000);
    const backUpLater = async (days: number) =>
      backUpInto(await openBackup(backup), library, folder(), { now: later(days), keep: { daily: 1, weekly: 0 } });
    expect(await backUpLater(10)).toMatchObject({
      snapshots_deleted: 1,
      objects_deleted: 0,
      tidy_problem: expect.stringContaining('damaged') as string,
    });
    expect(await checkFolder(await openBackup(backup), library, folder())).toMatchObject({ lost: 0 });
    expect(await backUpLater(20)).toMatchObject({ tidy_problem: null });
    const place = folder();
    await restoreFrom(await openBackup(backup), place);
    expect(whole(place)).toEqual(whole(library));
  });

  it('reads the next part each time, until everything was read', async () => {
    const backup = await backedUp();
    let read = 0;
    for (let nth = 0; nth < 4; nth++)
      read += (await checkFolder(await openBackup(backup), library, folder(), { share: 0.25 })).packs_read;
    const { packs } = await checkFolder(await openBackup(backup), library, folder(), { share: 0 });
    expect(read).toBeGreaterThanOrEqual(packs);
  });

  it('runs every week by itself, and the page shows what it proved', async () => {
    let today = new Date();
    const [backup, dir] = [folder(), folder()];
    cpSync(library, dir, { recursive: true });
    const server = await startServer({
      dir,
      env: { BACKUP_TARGET: backup, ACCESS_TOKEN_TTL: '900d' },
      now: () => today,
    });
    await makeBackup(server);
    const page = async (): Promise<BackupsOut> => (await server.api<BackupsOut>('/backups')).body;
    expect(await page()).toMatchObject({ check: null, check_percent: 8, is_reading_free: true });
    today = new Date(today.getTime() + 8 * 86_400_000);
    server.app.backups.checkSchedule();
    await server.app.drain();
    const { check } = await page();
    expect(check).toMatchObject({ at: today.toISOString(), faults: 0, lost: 0 });
    expect(check?.share).toBeGreaterThan(0);

    const [track = ''] = audioOf(dir);
    await damageIn(backup, hashInKey(track));
    const { body } = await server.api<JobOut>('/backups/check', { method: 'POST', body: { percent: 100 } });
    await server.app.drain();
    const { result } = (await server.api<JobOut & { result: BackupCheckResult }>(`/jobs/${body.id}`)).body;
    expect(result).toMatchObject({ faults: 1, lost: 0, bytes_read: result.bytes });
    expect((await page()).check).toMatchObject({ share: 1, faults: 1, lost: 0 });
    await server.close();
  });
});

it('a prune keeps what the snapshot before it needs, also where the store does not list that yet', async () => {
  const backup = await backedUp();
  const { target } = await openBackup(backup);
  const [old = ''] = await (await openBackup(backup)).snapshotIds();
  await (await openBackup(backup)).deleteSnapshot(old, { isNow: true });
  const lagging = {
    ...target,
    async *list(prefix: string) {
      for await (const object of target.list(prefix)) if (!prefix.startsWith('snapshots/')) yield object;
    },
  };
  const repo = await openRepository({ target: lagging, passphrase: undefined });
  expect(await backUpInto(repo, library, folder())).toMatchObject({ tidy_problem: null });
  const place = folder();
  await restoreFrom(await openBackup(backup), place);
  expect(whole(place)).toEqual(whole(library));
});

describe('a backup in a bucket', () => {
  let fake: FakeS3;
  beforeAll(async () => {
    fake = await startFakeS3();
  });
  afterAll(() => fake.close());

  const sizes = (): Map<string, number> => new Map([...fake.objects].map(([key, { bytes }]) => [key, bytes.length]));

  /** Requests and bytes sent. */
  async function cost(dataDir: string): Promise<{ requests: number; bytes: number }> {
    const [asked, before] = [fake.asked.length, sizes()];
    await backUpInto(await openBackup('s3', { env: fake.backupSettings, isNew: true }), dataDir, folder());
    const bytes = [...sizes()].reduce((sum, [key, size]) => sum + (before.has(key) ? 0 : size), 0);
    return { requests: fake.asked.length - asked, bytes };
  }

  it('takes few requests, and little for a change of one row', async () => {
    const dir = folder();
    cpSync(library, dir, { recursive: true });
    expect((await cost(dir)).requests).toBeLessThan(30);
    const unchanged = await cost(dir);
    expect(unchanged.requests).toBeLessThan(30);
    expect(unchanged.bytes).toBeLessThan(10_000);
    const db = new Database(join(dir, 'tonearm.db'));
    db.exec("UPDATE tracks SET title = 'Another' WHERE id = (SELECT max(id) FROM tracks)");
    db.close();
    const oneRow = await cost(dir);
    expect(oneRow.requests).toBeLessThan(32);
    expect(oneRow.bytes).toBeLessThan(100_000);
  });

  const target = () =>
    openTarget(
      's3',
      targetDeps(loadConfig({ file: {}, env: fake.backupSettings }), () => new Date()),
    );
  const other = { folder: '/another/machine', now: () => new Date(), limits: LIMITS };
  const refused = async (): Promise<string> =>
    backUpInto(await openBackup('s3', { env: fake.backupSettings }), library, folder(), { limits: LIMITS }).then(
      () => 'it was done',
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );
  const words = /is in use by .*\/another\/machine.* since .*tonearm backup unlock/;

  it('is refused while another server writes there, and goes on when that one is gone', async () => {
    await withLease(await target(), other, async () => {
      expect(await refused()).toMatch(words);
    });
    expect(await refused()).toBe('it was done');
    expect([...fake.objects.keys()].filter((key) => key.includes('lease'))).toEqual([]);
    await withLease(await target(), other, async ({ assertHeld }) => {
      // by the clock of the store
      for (const [key, object] of fake.objects)
        if (key.endsWith('lease')) object.modifiedAt = new Date(Date.now() - 700_000);
      expect(await refused()).toBe('it was done');
      await expect(assertHeld()).rejects.toThrow(/Another server has taken over the backup in/);
    });
  });

  it('is not kept from a backup by a restore into another folder that was killed on this machine', async () => {
    const { pid, ...ended } = spawnSync(process.execPath, ['--version']);
    expect(ended.status).toBe(0);
    const claim = { token: 'x', host: hostname(), folder: '/elsewhere', pid, since: new Date().toISOString() };
    const place = await target();
    await place.put('lease', Buffer.from(JSON.stringify(claim)));
    expect(await refused()).toMatch(/is in use by .*\/elsewhere/);
    await place.put('lease', Buffer.from(JSON.stringify({ ...claim, onlyReads: true })));
    expect(await refused()).toBe('it was done');
  });

  it('is not restored while another server may delete from it, and is where nothing can be written', async () => {
    const repo = await openBackup('s3', { env: fake.backupSettings });
    const to = (): string => join(folder(), 'restored');
    await withLease(await target(), other, async () => {
      await expect(restoreFrom(repo, to())).rejects.toThrow(words);
    });
    const isWritable = fake.fault;
    fake.fault = (ask) => (ask.operation === 'PutObject' ? { status: 403, code: 'AccessDenied' } : undefined);
    expect((await restoreFrom(repo, to())).lost).toEqual([]);
    fake.fault = isWritable;
    expect((await restoreFrom(repo, to())).lost).toEqual([]);
    expect([...fake.objects.keys()].filter((key) => key.includes('lease'))).toEqual([]);
  });

  it.each([
    ['refuses conditional writes', { status: 501, code: 'NotImplemented' }],
    ['does not know them', undefined],
  ])('is refused too where the store %s', async (_, fault) => {
    const isConditional = fake.fault;
    fake.ignoresConditions = fault === undefined;
    fake.fault = (ask) => (ask.isConditional ? fault : undefined);
    await withLease(await target(), other, async () => {
      expect(await refused()).toMatch(words);
    });
    expect(await refused()).toBe('it was done');
    fake.fault = isConditional;
    fake.ignoresConditions = false;
  });
});

describe('a backup of the first format', () => {
  it('is restored, and goes on with the objects that it has', async () => {
    const backup = folder();
    const put = (key: string, bytes: Buffer | string): void => {
      mkdirSync(join(backup, key, '..'), { recursive: true });
      writeFileSync(join(backup, key), bytes);
    };
    const object = (bytes: Buffer): string => {
      const hash = hashOf('sha256', bytes);
      put(`objects/${hash.slice(0, 2)}/${hash}`, bytes);
      return hash;
    };
    const database = readFileSync(join(library, 'tonearm.db'));
    const lines = audioOf(library).map((key) => {
      const bytes = readFileSync(join(library, 'library', key));
      return JSON.stringify({ kind: 'stored', key, hash: object(bytes), size: bytes.length });
    });
    const manifest = JSON.stringify({
      format: 1,
      id: '20260101T000000000Z',
      app_version: '0',
      database: {
        size: database.length,
        sha256: createHash('sha256').update(database).digest('hex'),
        pieces: [object(database.subarray(0, 1 << 18)), object(database.subarray(1 << 18))],
      },
      lists: [{ sha256: object(Buffer.from(lines.join('\n'))), lines: lines.length }],
      settings: {},
      keys: null,
      counts: { tracks: lines.length, files: lines.length, covers: 0, referenced: 0, absent: 0, bytes: 0 },
    });
    put('snapshots/20260101T000000000Z', `${hashOf('sha256', manifest)}\n${manifest}`);
    put('backup.json', JSON.stringify({ tonearm_backup: 1, id: crypto.randomUUID(), library: null, lock: null }));

    const place = folder();
    await restoreFrom(await openBackup(backup), place);
    expect(rowsIn(place)).toEqual(rowsIn(library));
    expect(audioOf(place)).toEqual(audioOf(library));
    const { added } = await backUpInto(await openBackup(backup), library, folder());
    expect(added).toBeLessThanOrEqual(Object.keys(filesIn(join(library, 'library', 'covers'))).length);
    expect(await checkFolder(await openBackup(backup), library, folder())).toMatchObject({ lost: 0 });
  });
});

describe('kills and single bytes', () => {
  it('at a random moment of a check or a prune lose and double nothing', async () => {
    const what = SEED % 2 === 0 ? 'check' : 'prune';
    expect(await killDuring(what, 1, proof)).toEqual([]);
  });

  it('that change anywhere in a backup are found and mended', async () => {
    expect(await flipBytes(5, proof)).toEqual([]);
  });
});
