// Exports and backups with malicious changes: an import or a restore takes only data from them. Accounts, settings,
// folders, jobs and files of the server are checked, and the memory that it needs.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Database from 'better-sqlite3';
import { copyForeignLibrary } from '../../server/backup/foreign-library.ts';
import { openExport } from '../../server/backup/export-source.ts';
import { applyArrival } from '../../server/backup/apply-arrival.ts';
import { levelOf } from '../../server/db/migrate.ts';
import { AppError } from '../../server/errors.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import { restoreFrom } from '../support/backup-folders.ts';
import { livelyServer } from '../support/backups.ts';
import { HOSTILE_SETTINGS, hostileDatabase, withChange } from '../support/hostile-library.ts';
import { makeLibrary } from '../support/library.ts';
import { spawnServer } from '../support/process.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { ADMIN, startServer } from '../support/server.ts';

const MIGRATIONS_DIR = 'migrations';
const MAX_EXTRA_MB = 150;
const EVERY_WHOLE_IMPORT = 50;
const COLLECTED_EVERY = 8;
const LISTENER_ACCOUNT = { username: 'listener', password: 'long enough password' };
const NEVER_FILLED = ['jobs', 'verify_runs'];

interface Stage {
  base: string;
  /** Data folder of the importing server: a child account without rights, an app password, its own settings. */
  ownDir: string;
  exported: string;
  database: Buffer;
  settings: Record<string, unknown>;
  /** Folder outside the data folder, which an import must not change. */
  outside: string;
}

type Row = Record<string, unknown>;

/** Creates a small library with rows in most tables, its export, and another user's server that reads it. */
export async function prepareImports(seed: number): Promise<Stage> {
  const base = mkdtempSync(join(tmpdir(), 'tonearm-prove-imports-'));
  const music = makeLibrary({ tracks: 8, seed: String(seed), art: 'embedded', seconds: '1' }, join(base, 'music')).dir;
  const [source, targetDir, exported] = [join(base, 'source'), join(base, 'own'), join(base, 'export')];
  mkdirSync(exported);
  const server = await livelyServer({ music, dir: source });
  const { items } = (await server.api<{ items: { id: number }[] }>('/tracks?limit=8')).body;
  await server.api(`/tracks/${items[0]?.id}`, { method: 'PATCH', body: { title: 'Edited' } });
  await server.api(`/tracks/${items[1]?.id}/lyrics`, { method: 'PUT', body: { text: 'One line' } });
  await server.api(`/tracks/${items[7]?.id}`, { method: 'DELETE' });
  server.app.db.$client
    .exec(`INSERT INTO radio_stations (name, stream_url, created_at) VALUES ('a', 'https://a.example', 1);
    INSERT INTO podcasts (url, title, status, created_at) VALUES ('https://b.example', 'b', 'new', 1);
    INSERT INTO podcast_episodes (podcast_id, guid, title, published_at, audio_url, status, created_at)
      VALUES (1, 'g', 't', 1, 'https://b.example/1.mp3', 'new', 1);
    INSERT INTO shares (user_id, token, created_at) VALUES (1, 'abc', 1);
    INSERT INTO bookmarks (user_id, track_id, position_ms, created_at, updated_at) VALUES (1, ${items[0]?.id}, 1, 1, 1)`);
  await server.app.drain();
  await server.api('/exports', { method: 'POST', body: { folder: exported } });
  await server.app.drain();
  await server.close();

  mkdirSync(targetDir);
  const otherServer = await startServer({ dir: targetDir });
  const { body: child } = await otherServer.api<{ id: number }>('/users', { method: 'POST', body: LISTENER_ACCOUNT });
  await otherServer.api(`/users/${child.id}`, {
    method: 'PATCH',
    body: { can_upload: false, can_download: false, can_share: false, quota_bytes: 1_000, max_bitrate_kbps: 64 },
  });
  await otherServer.api('/users/me/subsonic-password');
  await otherServer.api('/settings', { method: 'PATCH', body: { fpid_trust_score: 0.7 } });
  await otherServer.close();
  const outsideDir = join(base, 'outside');
  mkdirSync(outsideDir);
  const database = readFileSync(join(exported, 'data', 'library.db'));
  return { base, ownDir: targetDir, exported, database, outside: outsideDir, settings: readSettings(targetDir) };
}

const readSettings = (data: string): Record<string, unknown> => {
  const file = join(data, 'settings.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>) : {};
};

const readRows = (path: string, sql: string): Row[] => {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare<[], Row>(sql).all();
  } finally {
    db.close();
  }
};

const ACCOUNTS_SQL = 'SELECT * FROM users ORDER BY username_key';
const withoutId = (row: Row): Row => ({ ...row, id: undefined });

/** Returns the faults of an imported library. */
export function faultsOf(database: string, ownDir: string, settings: Row, isImport: boolean): string[] {
  const db = new Database(database);
  try {
    levelOf(db, MIGRATIONS_DIR); // throws if the schema contains anything that is not Tonearm's
    const selectRows = (sql: string): Row[] => db.prepare<[], Row>(sql).all();
    const faults: string[] = [];
    const users = new Map(selectRows(ACCOUNTS_SQL).map((row) => [row['username_key'], row]));
    for (const row of readRows(join(ownDir, 'tonearm.db'), ACCOUNTS_SQL)) {
      const existingUser = users.get(row['username_key']);
      if (!existingUser || JSON.stringify(withoutId(existingUser)) !== JSON.stringify(withoutId(row)))
        faults.push(`the account ${String(row['username'])} is another`);
      users.delete(row['username_key']);
    }
    for (const row of users.values()) {
      const powers = Object.entries(row).filter(([name, value]) => /^(?:can_|is_super)/.test(name) && value !== 0);
      if (row['password_hash'] !== '' || powers.length > 0) faults.push(`${String(row['username'])} has rights`);
    }
    for (const table of [...NEVER_FILLED, ...(isImport ? ['sessions'] : [])])
      if (selectRows(`SELECT 1 FROM ${table}`).length > 0) faults.push(`there are ${table}`);
    const passwords = 'SELECT name, lookup FROM app_passwords ORDER BY lookup';
    if (JSON.stringify(selectRows(passwords)) !== JSON.stringify(readRows(join(ownDir, 'tonearm.db'), passwords)))
      faults.push('app passwords are others');
    if (
      selectRows("SELECT 1 FROM music_folders WHERE path IS NOT NULL AND removed_at IS NULL AND key <> ''").length > 0
    )
      faults.push('there is a music folder');
    const strange = isImport ? "NOT LIKE 'local:audio/%'" : "NOT GLOB '[lf]*:*'";
    if (selectRows(`SELECT 1 FROM stored_audio WHERE storage_uri ${strange} OR storage_uri LIKE '%..%'`).length > 0)
      faults.push('audio is somewhere else');
    const ofAccounts = `SELECT 1 FROM trashed_tracks, json_each(snapshot, '$.rows')
      WHERE value ->> 'table' IN ('users', 'sessions', 'app_passwords', 'music_folders', 'jobs')`;
    if (selectRows(ofAccounts).length > 0) faults.push('the trash has accounts');
    const changedSettings = Object.keys({ ...settings, ...HOSTILE_SETTINGS }).filter(
      (name) => JSON.stringify(readSettings(join(database, '..'))[name]) !== JSON.stringify(settings[name]),
    );
    return [...faults, ...changedSettings.map((name) => `the setting ${name} is another`)];
  } finally {
    db.close();
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.message.length < 1_000 && !/\p{Cc}/u.test(error.message.replaceAll('\n', ''));

/** Checks and prepares a changed database as an import or a restore does. Returns whether it was accepted. */
function takeOne(
  { base, ownDir, database, settings }: Stage,
  random: () => number,
): { isTaken: boolean; faults: string[] } {
  const dir = join(base, 'run');
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(join(dir, 'new'), { recursive: true });
  const { bytes, changes } = hostileDatabase(database, random);
  const [from, takenPath, builtPath] = [join(dir, 'foreign.db'), join(dir, 'taken.db'), join(dir, 'new', 'tonearm.db')];
  writeFileSync(from, bytes);
  const isImport = random() < 0.6;
  const withChanges = (faults: string[]): string[] => faults.map((fault) => `${changes.join(' + ')}: ${fault}`);
  try {
    copyForeignLibrary({ from, to: takenPath, migrationsDir: MIGRATIONS_DIR, scope: isImport ? 'import' : 'backup' });
  } catch (error) {
    const leftovers = readdirSync(dir).filter((name) => name !== 'foreign.db' && name !== 'new');
    const faults = [
      ...(isRefusal(error) ? [] : [`it was refused with ${String(error)}`]),
      ...(leftovers.length === 0 ? [] : [`a refusal leaves ${leftovers.join()}`]),
    ];
    return { isTaken: false, faults: withChanges(faults) };
  }
  const hostile = { ...settings, ...HOSTILE_SETTINGS };
  applyArrival(
    { data: ownDir, building: join(dir, 'new'), takenDatabase: takenPath },
    { isImport, isAccepted: false, hasKeys: false, settings: hostile, musicDir: undefined },
    new Date(),
  );
  return { isTaken: true, faults: withChanges(faultsOf(builtPath, ownDir, settings, isImport)) };
}

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** Replaces the good export by a changed one: the database, the list of files, the manifest. */
function writeHostileExport({ exported, database }: Stage, good: Map<string, string>, random: () => number): string {
  const data = join(exported, 'data');
  const { bytes, changes } = random() < 0.5 ? hostileDatabase(database, random) : { bytes: database, changes: [] };
  let files = good.get('files.json') ?? '';
  if (random() < 0.6) {
    const lines = files.split('\n');
    const lineIndex = 1 + Math.floor(random() * Math.max(1, lines.length - 3));
    const line = JSON.parse((lines[lineIndex] ?? '').replace(/,$/, '') || '{}') as Row;
    const hostile: Row[] = [
      { ...line, key: '../../outside/x' },
      { ...line, key: 'library.json' },
      { ...line, key: 'audio/../../x' },
      { ...line, path: '../../outside/x' },
      { ...line, path: '/etc/passwd' },
      { ...line, path: 'data/export.json' },
      { ...line, hash: sha256('x') },
      { ...line, size: 2 ** 50 },
      { ...line, kind: 'own', path: '../outside/x', mtimeMs: 1, isCopied: true },
      withChange(line, random) as Row,
    ];
    lines[lineIndex] = `${JSON.stringify(hostile[Math.floor(random() * hostile.length)])},`;
    files = lines.join('\n');
    changes.push('files.json');
  }
  let manifest = JSON.parse(good.get('export.json') ?? '{}') as Row;
  manifest['database'] = { size: bytes.length, sha256: sha256(bytes) };
  manifest['lists'] = [{ sha256: sha256(files), lines: files.split('\n').length }];
  manifest['settings'] = HOSTILE_SETTINGS;
  manifest['keys'] = { jwt_secret: 'known to everybody', compat_secret_key: 'known to everybody', settings: {} };
  if (random() < 0.2) {
    manifest = withChange(manifest, random) as Row;
    changes.push('export.json');
  }
  writeFileSync(join(data, 'library.db'), bytes);
  writeFileSync(join(data, 'files.json'), files);
  writeFileSync(join(data, 'export.json'), JSON.stringify(manifest) ?? '');
  return changes.join(' + ');
}

const goodFiles = ({ exported }: Stage): Map<string, string> =>
  new Map(['files.json', 'export.json'].map((name) => [name, readFileSync(join(exported, 'data', name), 'utf8')]));

/** Returns everything in the folder of the proof that no import may change, as a text. */
const outsideOf = ({ base, outside }: Stage): string =>
  JSON.stringify([readdirSync(base).sort(), readdirSync(outside), statSync(outside).mtimeMs]);

/** Runs a whole import of a changed export in this process. */
async function importOne(stage: Stage, goodFilesByName: Map<string, string>, random: () => number): Promise<string[]> {
  const dir = join(stage.base, 'run', 'data');
  rmSync(join(stage.base, 'run'), { recursive: true, force: true });
  cpSync(stage.ownDir, dir, { recursive: true });
  const changes = writeHostileExport(stage, goodFilesByName, random);
  const outsideBefore = outsideOf(stage);
  const faults: string[] = [];
  try {
    await restoreFrom(await openExport(stage.exported), dir, { replace: true, skipDamaged: random() < 0.7 });
    faults.push(...faultsOf(join(dir, 'tonearm.db'), stage.ownDir, stage.settings, true));
  } catch (error) {
    if (!isRefusal(error)) faults.push(`it was refused with ${String(error)}`);
    const accounts = (data: string): string => JSON.stringify(readRows(join(data, 'tonearm.db'), ACCOUNTS_SQL));
    if (accounts(dir) !== accounts(stage.ownDir)) faults.push('a refusal changes accounts');
  }
  if (outsideOf(stage) !== outsideBefore) faults.push('something outside of the data folder changed');
  return faults.map((fault) => `${changes}: ${fault}`);
}

/** Reads changed databases and imports changed exports in this process, without a server. */
export async function attackInProcess(
  stage: Stage,
  seed: number,
  runs: number,
): Promise<{ faults: string[]; takenCount: number }> {
  const goodFilesByName = goodFiles(stage);
  const faults: string[] = [];
  let takenCount = 0;
  takeOne(stage, seededRandom(seed)); // loads everything that is loaded only once
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const restingRss = process.memoryUsage().rss;
  for (let run = 0; run < runs; run++) {
    const random = seededRandom(seed + run);
    const runFaults =
      run % EVERY_WHOLE_IMPORT === 0
        ? { isTaken: false, faults: await importOne(stage, goodFilesByName, random) }
        : takeOne(stage, random);
    if (runFaults.isTaken) takenCount++;
    faults.push(...runFaults.faults.map((fault) => `seed ${seed + run}: ${fault}`));
    if (run % COLLECTED_EVERY === 0) collect(); // the changed databases are garbage of the proof
    const extraMb = (process.memoryUsage().rss - restingRss) / 2 ** 20;
    if (extraMb > MAX_EXTRA_MB) faults.push(`seed ${seed + run}: ${Math.round(extraMb)} MB`);
    if (faults.length > 20) break;
    if (run % 1_000 === 999)
      console.log(`${run + 1} of ${runs}: ${takenCount} taken, ${Math.round(extraMb)} MB above rest`);
  }
  return { faults, takenCount };
}

/** Imports changed exports through a server at its next start, and uses the server afterwards. */
export async function attackServer(stage: Stage, seed: number, runs: number): Promise<string[]> {
  const goodFilesByName = goodFiles(stage);
  const dir = join(stage.base, 'served');
  cpSync(stage.ownDir, dir, { recursive: true });
  const faults: string[] = [];
  let server = await spawnServer(['--data-dir', dir, '--port', '0'], { LOG_LEVEL: 'silent' });
  for (let run = 0; run < runs; run++) {
    const changes = writeHostileExport(stage, goodFilesByName, seededRandom(seed + run));
    const token = await signIn(server.url, ADMIN);
    if (token === undefined) {
      faults.push(`seed ${seed + run}: ${changes}: the administrator cannot sign in`);
      break;
    }
    const outcome = await importThrough(server.url, token, stage.exported);
    await server.kill('SIGTERM');
    const outsideBefore = outsideOf(stage);
    server = await spawnServer(['--data-dir', dir, '--port', '0'], { LOG_LEVEL: 'silent' });
    const serverFaults = [
      ...(outsideOf(stage) === outsideBefore ? [] : ['something outside of the data folder changed']),
      ...(await accountFaults(server.url)),
      ...(JSON.stringify(readSettings(dir)) === JSON.stringify(stage.settings) ? [] : ['settings changed']),
      ...(outcome === 'none' ? ['the server did not answer'] : []),
    ];
    faults.push(...serverFaults.map((fault) => `seed ${seed + run}: ${changes}: ${fault}`));
    for (const name of readdirSync(dir))
      if (name.startsWith('replaced-')) rmSync(join(dir, name), { recursive: true, force: true });
  }
  await server.kill('SIGTERM');
  return faults;
}

const callApi = async (
  url: string,
  path: string,
  token?: string,
  body?: unknown,
): Promise<{ status: number; body: Row }> => {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json().catch(() => ({}))) as Row };
};

async function signIn(url: string, account: { username: string; password: string }): Promise<string | undefined> {
  const { status, body } = await callApi(url, '/auth/login', undefined, account);
  return status === 200 ? String(body['access_token']) : undefined;
}

async function importThrough(url: string, token: string, folder: string): Promise<'done' | 'refused' | 'none'> {
  const { status, body } = await callApi(url, '/imports', token, { folder, replace: true });
  if (status !== 202) return status < 500 || status === 503 ? 'refused' : 'none';
  for (;;) {
    const job = (await callApi(url, `/jobs/${String(body['id'])}`, token)).body as unknown as JobOut;
    if (job.status === 'succeeded') return 'done';
    if (job.status === 'failed') return 'refused';
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function accountFaults(url: string): Promise<string[]> {
  const [admin, listener] = [await signIn(url, ADMIN), await signIn(url, LISTENER_ACCOUNT)];
  if (admin === undefined || listener === undefined) return ['somebody cannot sign in'];
  const { body } = await callApi(url, '/users/me', listener);
  const isRestricted = body['is_superuser'] === false && body['can_upload'] === false && body['quota_bytes'] === 1_000;
  const health = await callApi(url, '/health');
  const tracks = await callApi(url, '/tracks?limit=200', listener);
  return [
    ...(isRestricted ? [] : ['a restricted account is not']),
    ...((await callApi(url, '/settings', listener)).status === 403 ? [] : ['settings are open to everybody']),
    ...(health.status === 200 ? [] : [`/health answers ${health.status}`]),
    ...(tracks.status === 200 ? [] : [`/tracks answers ${tracks.status}`]),
  ];
}

export async function proveImports({
  seed,
  runs = 10_000,
}: {
  seed: number;
  runs: number | undefined;
}): Promise<boolean> {
  const stage = await prepareImports(seed);
  try {
    const { faults, takenCount } = await attackInProcess(stage, seed, runs);
    console.log(`${runs} changed libraries in process, ${takenCount} taken, ${faults.length} faults`);
    const serverFaults = faults.length > 0 ? [] : await attackServer(stage, seed, Math.ceil(runs / 100));
    console.log(`${Math.ceil(runs / 100)} through a server, ${serverFaults.length} faults`);
    for (const fault of [...faults, ...serverFaults]) console.log(fault);
    return faults.length + serverFaults.length === 0;
  } finally {
    rmSync(stage.base, { recursive: true, force: true });
  }
}
