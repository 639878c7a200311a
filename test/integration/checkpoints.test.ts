import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { applyPragmas, type Sqlite } from '../../server/db/client.ts';
import { createCheckpoints, type Checkpoints } from '../../server/db/checkpoints.ts';
import { createLog } from '../../server/log/log.ts';
import { paths } from '../support/product.ts';

const PAGES_PER_MB = 256;
const log = createLog('silent');

let dir: string;
let client: Sqlite;
let checkpoints: Checkpoints;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-checkpoints-'));
  const databasePath = join(dir, 'library.db');
  client = new Database(databasePath);
  applyPragmas(client);
  client.exec('CREATE TABLE pages (id INTEGER PRIMARY KEY, bytes BLOB)');
  checkpoints = createCheckpoints({ client, databasePath, workerUrl: paths.workers.checkpoint, log });
});

afterEach(async () => {
  await checkpoints.close();
  client.close();
  rmSync(dir, { recursive: true });
});

const writeMegabyte = (): void => {
  client.prepare('INSERT INTO pages (bytes) VALUES (randomblob(1048576))').run();
};
const getLogState = () => (client.pragma('wal_checkpoint(NOOP)') as [{ log: number; checkpointed: number }])[0];
const countLogPages = (): number => getLogState().log;

test('the write-ahead log is checkpointed and restarted during a long write', async () => {
  let maxPages = 0;
  for (let i = 0; i < 100; i++) {
    writeMegabyte();
    maxPages = Math.max(maxPages, countLogPages());
    await checkpoints.relieve();
  }
  expect(maxPages).toBeLessThan(50 * PAGES_PER_MB);
  expect(client.prepare('SELECT count(*) FROM pages').pluck().get()).toBe(100);
});

test('the remaining pages of the log are checkpointed when nobody writes any more', async () => {
  for (let i = 0; i < 6; i++) writeMegabyte();
  expect(getLogState().checkpointed).toBe(0);
  await expect.poll(() => getLogState().log - getLogState().checkpointed, { timeout: 30_000 }).toBe(0);
});

test('a reader that needs old pages blocks no write, and sees later writes after its transaction', async () => {
  const reader = new Database(join(dir, 'library.db'), { readonly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM pages').get();
  for (let i = 0; i < 40; i++) {
    writeMegabyte();
    await checkpoints.relieve();
  }
  expect(reader.prepare('SELECT count(*) FROM pages').pluck().get()).toBe(0);
  reader.exec('COMMIT');
  expect(reader.prepare('SELECT count(*) FROM pages').pluck().get()).toBe(40);
  reader.close();
});

test('if the thread cannot run, SQLite checkpoints by itself', async () => {
  await checkpoints.close();
  checkpoints = createCheckpoints({
    client,
    databasePath: join(dir, 'not', 'there.db'),
    workerUrl: paths.workers.checkpoint,
    log,
  });
  for (let i = 0; i < 300; i++) {
    writeMegabyte();
    await checkpoints.relieve();
  }
  expect(countLogPages()).toBeLessThan(270 * PAGES_PER_MB);
});
