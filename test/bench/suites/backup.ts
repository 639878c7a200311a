// Compares backups of a running server with restic on the same files and in the same store: time, processor time, bytes
// and requests of the first backup, of a backup without a change, after a like, and after 100 new tracks; and of the
// first backup of 10,000 tracks. Both encrypt. In an object store a proxy counts requests and bytes; in a folder, its
// growth is measured.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { startFaultProxy, type FaultProxy } from '../../support/fault-proxy.ts';
import { makeLibrary } from '../../support/library.ts';
import { S3_MAKES, startS3Server, type S3Server } from '../../support/s3-servers.ts';
import { measure, median, type Measure } from '../measure.ts';
import { processorMs, startProduct, type Product } from '../product.ts';

const BENCH_PASSPHRASE = 'a passphrase for benchmarks';
const [FEW_TRACKS, NEW_TRACKS, MANY_TRACKS] = [150, 100, Number(process.env['MANY'] ?? 10_000)];
const ROUND_COUNT = 3;
/** Settings with which the server does nothing besides backups. */
const SERVER_ENV = { ANALYSIS_ENABLED: 'false' };
const UNIT_GOALS = { ms: 1.5, 'ms of processor time': 1.5, kB: 1.3, requests: 2 } as const;
type Unit = keyof typeof UNIT_GOALS;
type Cost = Partial<Record<Unit, number>>;

/** A backup target of both programs; each number names a fresh one. */
interface Place {
  name: string;
  env: (n: number) => Record<string, string>;
  restic: (n: number) => string;
  costOf: (n: number, tool: 'ours' | 'restic', work: () => Promise<Cost>) => Promise<Cost>;
}

export async function backupSuite(dir: string): Promise<Measure[]> {
  if (spawnSync('restic', ['version']).status !== 0)
    throw new Error('NOT MEASURED: restic is not installed (apt-get install restic)');
  const s3Make = S3_MAKES.find(({ name }) => name === 'versitygw');
  const server = s3Make ? await startS3Server(s3Make) : 'it is not known';
  if (typeof server === 'string') console.error(`bench: backup to an object store is NOT MEASURED: ${server}`);
  const proxy = typeof server === 'string' ? undefined : await startFaultProxy(server.endpoint);
  try {
    const measures: Measure[] = [];
    const places = [folderPlace(dir), ...(typeof server === 'string' || !proxy ? [] : [storePlace(server, proxy)])];
    const manyLibrary = await libraryOf(join(dir, 'many'), MANY_TRACKS, '1');
    for (const place of places) {
      const fewLibrary = await libraryOf(join(dir, `few-${place.name}`), FEW_TRACKS);
      measures.push(...(await stepsOf(place, fewLibrary)));
      const firstCosts = await inServer(place, ROUND_COUNT, manyLibrary, (runBoth) => runBoth());
      measures.push(...compareCosts(place, `first, ${MANY_TRACKS.toLocaleString('en')} tracks`, [firstCosts]));
    }
    return measures;
  } finally {
    await proxy?.close();
    if (typeof server !== 'string') server.stop();
  }
}

async function stepsOf(place: Place, library: Library): Promise<Measure[]> {
  const measures: Measure[] = [];
  const firsts: [Cost, Cost][] = [];
  for (let n = ROUND_COUNT - 1; n >= 0; n--) firsts.push(await inServer(place, n, library, (runBoth) => runBoth()));
  measures.push(...compareCosts(place, `first, ${FEW_TRACKS} tracks`, firsts));
  await inServer(place, 0, library, async (runBoth, server) => {
    const rounds = async (name: string, change: (n: number) => Promise<unknown>): Promise<void> => {
      const costs: [Cost, Cost][] = [];
      for (let n = 0; n < ROUND_COUNT; n++) {
        await change(n);
        costs.push(await runBoth());
      }
      measures.push(...compareCosts(place, name, costs));
    };
    await rounds('unchanged', async () => undefined);
    await rounds('one like', () => likeOne(server));
    await rounds(`${NEW_TRACKS} new tracks`, async (n) => {
      library.add(`more-${n}`, NEW_TRACKS);
      await server.scan();
    });
  });
  return measures;
}

async function likeOne({ api }: Product): Promise<void> {
  const { items } = await api<{ items: { id: number }[] }>('/tracks?liked=false&limit=1');
  await api('/likes', 'POST', { item_type: 'track', item_id: items[0]?.id, liked: true });
}

/** Runs the work with a server that backs up the library to this place. */
async function inServer<T>(
  place: Place,
  n: number,
  library: Library,
  work: (runBoth: () => Promise<[Cost, Cost]>, server: Product) => Promise<T>,
): Promise<T> {
  const env = {
    ...SERVER_ENV,
    LOCAL_MEDIA_IMPORT_PATH: library.music,
    BACKUP_PASSPHRASE: BENCH_PASSPHRASE,
    ...place.env(n),
  };
  const server = await startProduct(library.data, env);
  try {
    return await work(async () => {
      const ownCost = await place.costOf(n, 'ours', () => backUp(server));
      return [ownCost, await place.costOf(n, 'restic', () => restic(place.restic(n), library))];
    }, server);
  } finally {
    await server.stop();
  }
}

interface Job {
  id: number;
  status: string;
  error: string | null;
  started_at: string;
  finished_at: string | null;
}

/** Makes a backup, and waits until its job has ended. */
async function backUp({ api, pid }: Product): Promise<Cost> {
  const cpuBefore = processorMs(pid);
  let job = await api<Job>('/backups', 'POST', {});
  for (let wait = 20; job.finished_at === null; wait = Math.min(1_000, wait * 2)) {
    await sleep(wait);
    job = await api<Job>(`/jobs/${job.id}`);
  }
  if (job.status !== 'succeeded') throw new Error(`the backup ${job.status}: ${job.error}`);
  return {
    ms: Date.parse(job.finished_at) - Date.parse(job.started_at),
    [PROCESSOR_UNIT]: processorMs(pid) - cpuBefore,
  };
}

/** Backs up the same content with restic as Tonearm does: the current database and the stored files. */
async function restic(repository: string, { data, cache }: Library): Promise<Cost> {
  const db = new Database(join(data, 'tonearm.db'));
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  const env = {
    RESTIC_PASSWORD: BENCH_PASSPHRASE,
    RESTIC_REPOSITORY: repository,
    RESTIC_CACHE_DIR: cache,
    ...storeKeys,
  };
  const isNew = !initializedRepositories.has(repository);
  initializedRepositories.add(repository);
  const initCost = isNew ? await run('restic', ['init'], env) : {};
  const backupCost = await run('restic', ['backup', join(data, 'tonearm.db'), join(data, 'library')], env);
  return {
    ms: sum(initCost.ms, backupCost.ms),
    [PROCESSOR_UNIT]: sum(initCost[PROCESSOR_UNIT], backupCost[PROCESSOR_UNIT]),
  };
}

const initializedRepositories = new Set<string>();
let storeKeys: Record<string, string> = {};
const sum = (a = 0, b = 0): number => a + b;
const PROCESSOR_UNIT = 'ms of processor time' as const;

function compareCosts(place: Place, name: string, costs: [Cost, Cost][]): Measure[] {
  return (Object.keys(UNIT_GOALS) as Unit[]).flatMap((unit) => {
    const [ownCosts, resticCosts] = [0, 1].map((tool) => costs.map((pair) => pair[tool as 0 | 1][unit]));
    if (!ownCosts?.every((cost) => cost !== undefined) || !resticCosts?.every((cost) => cost !== undefined)) return [];
    return measure({
      suite: 'backup',
      name: `${place.name}: ${name}`,
      unit,
      product: median(ownCosts),
      bound: { name: 'restic', value: median(resticCosts) },
      goal: { op: '<=', value: UNIT_GOALS[unit] },
    });
  });
}

function folderPlace(dir: string): Place {
  const folder = (tool: string, n: number): string => {
    const path = join(dir, `${tool}-${n}`);
    mkdirSync(path, { recursive: true });
    return path;
  };
  return {
    name: 'folder',
    env: (n) => ({ BACKUP_TARGET: folder('ours', n) }),
    restic: (n) => folder('restic', n),
    async costOf(n, tool, work) {
      const bytesBefore = bytesIn(folder(tool, n));
      const cost = await work();
      return { ...cost, kB: (bytesIn(folder(tool, n)) - bytesBefore) / 1000 };
    },
  };
}

function storePlace({ bucket, keys }: S3Server, proxy: FaultProxy): Place {
  storeKeys = { AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secretAccessKey };
  return {
    name: 'versitygw',
    env: (n) => ({
      BACKUP_TARGET: 's3',
      BACKUP_S3_ENDPOINT: proxy.url,
      BACKUP_S3_FORCE_PATH_STYLE: 'true',
      BACKUP_S3_REGION: 'us-east-1',
      BACKUP_S3_BUCKET: bucket,
      BACKUP_S3_ACCESS_KEY_ID: keys.accessKeyId,
      BACKUP_S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
      BACKUP_S3_PREFIX: `ours-${n}`,
    }),
    restic: (n) => `s3:${proxy.url}/${bucket}/restic-${n}`,
    async costOf(_n, _tool, work) {
      const [requests, bytesSent] = [proxy.requests, proxy.bytesSent];
      const cost = await work();
      return { ...cost, kB: (proxy.bytesSent - bytesSent) / 1000, requests: proxy.requests - requests };
    },
  };
}

interface Library {
  data: string;
  music: string;
  cache: string;
  add: (name: string, tracks: number) => void;
}

async function libraryOf(dir: string, tracks: number, seconds = '5'): Promise<Library> {
  const [data, music] = [join(dir, 'data'), join(dir, 'music')];
  const add = (name: string, count: number): void =>
    void makeLibrary({ tracks: count, seed: name, messy: 0, art: 'embedded', seconds }, join(music, name));
  add('first', tracks);
  const server = await startProduct(data, { ...SERVER_ENV, LOCAL_MEDIA_IMPORT_PATH: music });
  await server.scan();
  await server.stop();
  return { data, music, cache: join(dir, 'restic-cache'), add };
}

/** Runs the command and measures it with all its threads and children. */
async function run(command: string, args: string[], env: Record<string, string>): Promise<Cost> {
  const script = 'TIMEFORMAT="%3R %3U %3S"; time "$@" >/dev/null 2>&1';
  const child = spawn('bash', ['-c', script, 'bash', command, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`);
  const [real = 0, user = 0, system = 0] = text.trim().split(' ').map(Number);
  return { ms: real * 1000, [PROCESSOR_UNIT]: (user + system) * 1000 };
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((total, entry) => total + statSync(join(entry.parentPath, entry.name)).size, 0);
