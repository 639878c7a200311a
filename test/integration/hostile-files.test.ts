// Malicious files, uploaded to and scanned by a server in its own process: it keeps answering, its memory stays small,
// every file becomes an error or a valid track, and the next intact file is read as usual.
import {
  mkdirSync,
  mkdtempSync,
  openAsBlob,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScanResult } from '../../server/scan/wire.ts';
import type { UploadOut } from '../../server/uploads/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut, TrackPage } from '../../server/library/wire.ts';
import { writeAttackFiles } from '../support/attack-files.ts';
import { bundledServer } from '../support/bundle.ts';
import { fallbackAttacks } from '../support/fallback-attacks.ts';
import { makeLibrary } from '../support/library.ts';
import { openFilesBelow } from '../support/open-files.ts';
import { spawnServer, type ServerProcess } from '../support/process.ts';
import { ADMIN } from '../support/server.ts';
import { until } from '../support/until.ts';

const MOST_MEMORY_MB = 400;
const MOST_UPLOADED = 48 << 20;
/** Number of files that are uploaded besides the first eight, evenly spread. */
const UPLOAD_COUNT = 6;
const IS_LINUX = process.platform === 'linux';

let base: string;
let server: ServerProcess;
let token: string;
/** Paths of the malicious files; the first eight crash a parser without guards. */
let attacks: string[];
/** Names of the uploaded files: only one of the largest, because the same threads read uploads and scanned files. */
let uploadedNames: string[];
let intactFiles: string[];

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-attack-'));
  const music = join(base, 'music');
  attacks = writeAttackFiles(music).map((attack) => attack.path);
  for (const { name, makeFile } of fallbackAttacks) {
    writeFileSync(join(music, name), makeFile());
    attacks.push(join(music, name));
  }
  uploadedNames = attacks.filter(
    (path, i) =>
      path.endsWith('large-picture.mp3') || (statSync(path).size <= MOST_UPLOADED && (i < 8 || i % UPLOAD_COUNT === 0)),
  );
  const manifest = makeLibrary({ tracks: 80, even: true, seed: 'attack' }, join(base, 'good'));
  intactFiles = manifest.files
    .filter((file) => !file.messy && !file.duplicateOf)
    .map((file) => join(manifest.dir, file.path));
  mkdirSync(join(music, 'Good'));
  for (const file of intactFiles.slice(0, 10)) writeFileSync(join(music, 'Good', basename(file)), readFileSync(file));
  const product = join(base, 'product');
  mkdirSync(product);
  const entry = await bundledServer(product);
  server = await spawnServer(
    ['--data-dir', join(base, 'data'), '--port', '0'],
    {
      ADMIN_USERNAME: ADMIN.username,
      ADMIN_PASSWORD: ADMIN.password,
      LOCAL_MEDIA_IMPORT_PATH: music,
      LOG_LEVEL: 'silent',
    },
    entry,
  );
  token = (
    await call<{ access_token: string }>('/auth/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(ADMIN),
    })
  ).body.access_token;
});
afterAll(async () => {
  await server.kill('SIGTERM');
  rmSync(base, { recursive: true, force: true });
});

async function call<T>(path: string, init: RequestInit = {}): Promise<{ status: number; body: T }> {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    ...init,
    headers: { ...(token && { Authorization: `Bearer ${token}` }), ...init.headers },
  });
  return { status: response.status, body: (await response.json()) as T };
}

interface Problem {
  detail: string;
  errors: { field: string; message: string }[];
}

async function upload(path: string): Promise<{ status: number; body: UploadOut & Problem }> {
  const form = new FormData();
  form.append('files', await openAsBlob(path), basename(path));
  return call<UploadOut & Problem>('/tracks/upload', { method: 'POST', body: form });
}

/** Requests /health repeatedly while something runs; every request has to succeed. */
async function whileHealthy(work: () => Promise<void>): Promise<void> {
  let isDone = false;
  const statuses: number[] = [];
  const measureResponseMs = async (): Promise<number> => {
    const response = await fetch(`${server.url}/health`);
    await response.text();
    return statuses.push(response.status);
  };
  const asking = until(measureResponseMs, () => isDone, { everyMs: 50 });
  try {
    await work();
  } finally {
    isDone = true;
    await asking;
  }
  expect(new Set(statuses)).toEqual(new Set([200]));
}

/** Returns the server's peak memory. */
const memoryMb = (): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))?.[1]) / 1024;
const openAudio = (): string[] =>
  ['good', 'music', 'data/tmp', 'data/library'].flatMap((folder) =>
    openFilesBelow(join(base, folder), server.child.pid),
  );

/** Expects a reason that is a sentence without a stack, a path or an object. */
function expectReason(reason: string): void {
  expect(reason).toMatch(/^[\w"].{8,300}$/);
  expect(reason).not.toMatch(/[\n\\]|\/tmp|\/work|tonearm|node_modules|\bat \w+ \(|\[object|undefined|NaN|Error\b/);
}

function expectSane(track: TrackOut): void {
  expect(
    Number.isInteger(track.duration_ms) && (track.duration_ms ?? 0) > 0 && (track.duration_ms ?? 0) <= 48 * 3_600_000,
    `${track.source_id} plays ${track.duration_ms}`,
  ).toBe(true);
  expect(track.title.length).toBeGreaterThan(0);
  expect(track.title.length).toBeLessThanOrEqual(2_000);
  expect(track.sample_rate_hz).toBeGreaterThan(0);
  expect(track.channels).toBeGreaterThan(0);
  expect(Number.isFinite(track.bitrate_kbps)).toBe(true);
}

describe('malicious files', () => {
  test('uploaded one by one are rejected or become valid tracks, and the next intact file becomes a track', async () => {
    await whileHealthy(async () => {
      for (const [i, path] of uploadedNames.entries()) {
        const { status, body } = await upload(path);
        expect([200, 201, 422]).toContain(status);
        if (status === 422) expectReason(body.errors[0]?.message ?? '');
        else for (const track of body.items) expectSane(track);
        if (attacks.indexOf(path) < 8) expect(status, basename(path)).toBe(422);
        expect((await upload(intactFiles[10 + i] as string)).status, `after ${basename(path)}`).toBe(201);
      }
    });
    // polls, because /health writes there, too
    await expect.poll(() => readdirSync(join(base, 'data', 'tmp'))).toEqual([]);
    expect(readdirSync(join(base, 'data', 'library', 'tmp'))).toEqual([]);
    if (IS_LINUX) expect(memoryMb()).toBeLessThan(MOST_MEMORY_MB);
    await expect.poll(openAudio).toEqual([]);
  });

  test('scanned together with intact files are rejected or become valid tracks, and uploads work meanwhile', async () => {
    let result: ScanResult | undefined;
    await whileHealthy(async () => {
      const { body: job } = await call<JobOut>('/sources/local_folder/scan', { method: 'POST' });
      const concurrentUpload = upload(intactFiles[60] as string);
      const finishedJob = await until(
        async () => (await call<JobOut>(`/jobs/${job.id}`)).body,
        (polledJob) => polledJob.finished_at !== null,
      );
      expect([finishedJob.status, finishedJob.error]).toEqual(['succeeded', null]);
      result = finishedJob.result as ScanResult;
      expect((await concurrentUpload).status).toBe(201);
    });
    const reasonsBySourceId = new Map(result?.failed.map((line) => [line.source_id, line.reason]));
    for (const reason of reasonsBySourceId.values()) expectReason(reason);
    const tracks = await listAll('&source=local_folder');
    for (const track of tracks) expectSane(track);
    const reportedSourceIds = new Set([...reasonsBySourceId.keys(), ...tracks.map((track) => track.source_id)]);
    expect(attacks.filter((path) => !reportedSourceIds.has(basename(path)))).toEqual([]);
    expect(tracks.filter((track) => track.source_id.startsWith('Good/'))).toHaveLength(10);
    for (const path of attacks.slice(0, 8)) expect(reasonsBySourceId.has(basename(path)), basename(path)).toBe(true);
    expect(readdirSync(join(base, 'data', 'library', 'tmp'))).toEqual([]);
    if (IS_LINUX) expect(memoryMb()).toBeLessThan(MOST_MEMORY_MB);
  });
});

async function listAll(query: string): Promise<TrackOut[]> {
  const { body } = await call<TrackPage>(`/tracks?limit=200${query}`);
  expect(body.total).toBe(body.items.length);
  return body.items;
}
