// Verification finds a changed byte in stored audio or a picture, repairs it if a good copy exists anywhere, and names
// the file otherwise. A verification that is killed during a repair leaves no fault, and neither does moving the
// library to an object store and back.
import { hash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { VerifyReport } from '../../server/maintenance/verify-report.ts';
import { isArtistPicture } from '../../server/storage/local-paths.ts';
import { startFakeS3 } from '../fakes/s3.ts';
import { filesIn, makeBackup, rowsIn } from '../support/backups.ts';
import { makeLibrary } from '../support/library.ts';
import { runServer } from '../support/process.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { startServer, type TestServer } from '../support/server.ts';

const TRACK_COUNT = 12;

interface Proof {
  base: string;
  music: string;
  backup: string;
  data: string;
  env: Record<string, string>;
  random: () => number;
}

function prepare(seed: number): Proof {
  const base = mkdtempSync(join(tmpdir(), 'tonearm-prove-mending-'));
  const music = join(base, 'music');
  makeLibrary({ tracks: TRACK_COUNT, seed: String(seed), art: 'embedded', seconds: '1' }, music);
  const backup = join(base, 'backup');
  mkdirSync(backup);
  const env = {
    LOCAL_MEDIA_IMPORT_PATH: music,
    BACKUP_TARGET: backup,
    ...(isEncrypted(seed) && { BACKUP_PASSPHRASE: 'a passphrase of some length' }),
  };
  return { base, music, backup, data: join(base, 'data'), env, random: seededRandom(seed) };
}

/** Returns whether the backup that repairs the library is encrypted. */
const isEncrypted = (seed: number): boolean => seed % 2 === 1;

async function open({ data, env }: Proof, now = (): Date => new Date()): Promise<TestServer> {
  mkdirSync(data, { recursive: true });
  const server = await startServer({ dir: data, env, now });
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  const form = new FormData();
  form.append('file', new Blob([readFileSync(join('resources', 'placeholder-cover.jpg'))]), 'artist.jpg');
  await server.api('/artists/1/cover', { method: 'PUT', body: form });
  await makeBackup(server);
  return server;
}

/** Changes a random byte of a file, but not its size and time; returns a description. */
function flip(path: string, random: () => number): string {
  const { atime, mtime } = statSync(path);
  const bytes = readFileSync(path);
  const offset = Math.floor(random() * bytes.length);
  bytes[offset] = (bytes[offset] ?? 0) ^ (1 + Math.floor(random() * 255));
  writeFileSync(path, bytes);
  utimesSync(path, atime, mtime);
  return `byte ${offset} of ${path}`;
}

const pick = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)] as T;

/** The places where a good copy remains. */
const COPY_PLACES = ['everywhere', 'in the music folder', 'in the backup', 'nowhere'] as const;
/**
 * Returns the places where a copy of an object can be: no audio file contains a picture that a user chose for an
 * artist.
 */
const copiesOf = (key: string): readonly (typeof COPY_PLACES)[number][] =>
  isArtistPicture(key)
    ? ['in the backup', 'nowhere']
    : key.startsWith('covers/')
      ? ['everywhere', 'in the music folder']
      : COPY_PLACES;

/** Returns the violated guarantees after this number of changed bytes, one at a time. */
export async function flipStored(seed: number, count: number): Promise<string[]> {
  const proof = prepare(seed);
  const { base, music, backup, data, random } = proof;
  let laterMs = 0;
  const server = await open(proof, () => new Date(Date.now() + laterMs));
  const faults: string[] = [];
  try {
    const root = join(data, 'library');
    const originalFiles = filesIn(root);
    const originals = Object.entries(filesIn(music));
    const keys = Object.keys(originalFiles);
    for (let n = 0; n < count; n++) {
      const key = pick(keys, random);
      laterMs += 120_000; // an opened backup, with what was read of it, is kept for a minute
      const copies = pick(copiesOf(key), random);
      const path = join(root, key);
      const originalBytes = readFileSync(path);
      const hasOriginal = copies === 'everywhere' || copies === 'in the music folder';
      const hasBackup = copies === 'everywhere' || copies === 'in the backup';
      const damageLabel = `${flip(path, random)}, a good copy ${copies}`;
      const damagedBytes = readFileSync(path);
      // the music folder may contain the same bytes twice
      const damagedOriginals = hasOriginal ? [] : originals.filter(([, hash]) => hash === originalFiles[key]);
      for (const [original] of damagedOriginals) flip(join(music, original), random);
      if (!hasBackup) renameSync(backup, `${backup}-away`);
      const { body } = await server.api<JobOut>('/jobs/verify', { method: 'POST', body: {} });
      await server.app.drain();
      const report = (await server.api<JobOut>(`/jobs/${body.id}`)).body.result as VerifyReport | null;
      const isMended = readFileSync(path).equals(originalBytes);
      const isFound = report?.findings.some(({ storage_uri: uri }) => uri.endsWith(key)) === true;
      if (!isFound) faults.push(`${damageLabel}: not named (${JSON.stringify(report)})`);
      if (copies === 'nowhere') {
        const isNamed = report !== null && report.healed === 0 && report.damaged === report.findings.length;
        if (!isNamed || !readFileSync(path).equals(damagedBytes))
          faults.push(`${damageLabel}: not left as it was (${JSON.stringify(report)})`);
        writeFileSync(path, originalBytes);
      } else if (!isMended || report?.healed !== 1)
        faults.push(`${damageLabel}: not mended (${JSON.stringify(report)})`);
      if (!isMended) writeFileSync(path, originalBytes);
      for (const [original] of damagedOriginals) {
        const { atime, mtime } = statSync(join(music, original));
        writeFileSync(join(music, original), originalBytes);
        utimesSync(join(music, original), atime, mtime);
      }
      if (!hasBackup) renameSync(`${backup}-away`, backup);
    }
    if (JSON.stringify(filesIn(root)) !== JSON.stringify(originalFiles))
      faults.push('the storage has other files at the end');
  } finally {
    await server.close();
    rmSync(base, { recursive: true, force: true });
  }
  return faults;
}

/** Returns the violated guarantees after this number of kills of a verification that repairs. */
async function killMending(seed: number, kills: number): Promise<string[]> {
  const proof = prepare(seed);
  const { base, data, env, random } = proof;
  const faults: string[] = [];
  try {
    await (await open(proof)).close();
    const originalFiles = JSON.stringify(filesIn(join(data, 'library')));
    const verify = (dir: string, killWhen?: () => boolean) =>
      runServer(['verify', '--data-dir', dir], env, { ...(killWhen && { killWhen }) });
    const damagedDir = join(base, 'damaged');
    cpSync(data, damagedDir, { recursive: true, preserveTimestamps: true });
    for (const key of Object.keys(filesIn(join(damagedDir, 'library')))) flip(join(damagedDir, 'library', key), random);
    const begin = (name: string): string => {
      cpSync(damagedDir, join(base, name), { recursive: true, preserveTimestamps: true });
      return join(base, name);
    };
    const startedAt = performance.now();
    await verify(begin('calm'));
    const durationMs = performance.now() - startedAt;
    for (let kill = 0; kill < kills; kill++) {
      const dir = begin(`kill-${kill}`);
      const cutOffAt = performance.now() + durationMs * (0.2 + 0.8 * random());
      await verify(dir, () => performance.now() > cutOffAt);
      const { code, stdout, stderr } = await verify(dir);
      if (code !== 0 || JSON.stringify(withoutTemp(filesIn(join(dir, 'library')))) !== originalFiles)
        faults.push(`verify, killed: what is stored differs afterwards: ${stdout}${stderr}`);
      const partFiles = readdirSync(join(dir, 'library'), { recursive: true }).filter((name) =>
        String(name).includes('part-'),
      );
      if (partFiles.length > 0) faults.push(`verify, killed: ${partFiles.join(', ')} is left`);
      rmSync(dir, { recursive: true, force: true });
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
  return faults;
}

/** Returns the faults after this number of kills of a move to an object store, and as many of the move back. */
async function killMoving(seed: number, kills: number): Promise<string[]> {
  const proof = prepare(seed);
  const { base, data, env, random } = proof;
  const fake = await startFakeS3();
  const faults: string[] = [];
  try {
    await (await open(proof)).close();
    const [originalFiles, rows] = [filesIn(join(data, 'library')), JSON.stringify(rowsIn(data)['tracks'])];
    const expectedFiles = JSON.stringify(originalFiles);
    const move = (dir: string, to: 's3' | 'local', killWhen?: () => boolean) =>
      runServer(
        ['storage', 'migrate', '--to', to, '--data-dir', dir],
        { ...env, ...fake.settings },
        killWhen && { killWhen },
      );
    const begin = (name: string): string => {
      fake.objects.clear();
      cpSync(data, join(base, name), { recursive: true, preserveTimestamps: true });
      return join(base, name);
    };
    const uninterruptedDir = begin('calm-move');
    const moments = { s3: 0, local: 0 };
    for (const to of ['s3', 'local'] as const) {
      const requestsBefore = fake.requests.length;
      await move(uninterruptedDir, to);
      moments[to] = fake.requests.length - requestsBefore;
      rmSync(join(uninterruptedDir, 'library', 'audio'), { recursive: true, force: true });
    }
    /**
     * Returns a function that is true at a random request, or shortly after it, because the tracks are switched after
     * the last request.
     */
    const atRandom = (to: 's3' | 'local'): (() => boolean) => {
      const [requestNumber, wait] = [fake.requests.length + Math.ceil(random() * moments[to]), random() * 40];
      let due = Infinity;
      return () => {
        if (due === Infinity && fake.requests.length >= requestNumber) due = performance.now() + wait;
        return performance.now() >= due;
      };
    };
    for (let kill = 0; kill < kills; kill++) {
      const dir = begin(`move-${kill}`);
      for (const to of ['s3', 'local'] as const) {
        await move(dir, to, atRandom(to));
        const { code, stdout, stderr } = await move(dir, to);
        const uris = (rowsIn(dir)['tracks'] as { storage_uri: string }[]).map(({ storage_uri: uri }) => uri);
        if (code !== 0 || uris.some((uri) => !uri.startsWith(`${to}:`)))
          faults.push(`move to ${to}, killed: it does not end: ${stdout}${stderr}`);
        if (to === 'local') continue;
        const wrongKeys = Object.keys(originalFiles).filter(
          (key) => hashOf(fake.objects.get(key)?.bytes) !== originalFiles[key],
        );
        if (wrongKeys.length > 0) faults.push(`move to s3, killed: ${wrongKeys.join(', ')} differ`);
        rmSync(join(dir, 'library'), { recursive: true });
      }
      const filesAfterMove = withoutTemp(filesIn(join(dir, 'library')));
      if (JSON.stringify(filesAfterMove) !== expectedFiles || JSON.stringify(rowsIn(dir)['tracks']) !== rows)
        faults.push('moved there and back, killed: the library differs');
      rmSync(dir, { recursive: true, force: true });
    }
  } finally {
    await fake.close();
    rmSync(base, { recursive: true, force: true });
  }
  return faults;
}

const withoutTemp = (files: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).filter(([name]) => !name.startsWith('tmp/')));

const hashOf = (bytes: Buffer | undefined): string => (bytes ? hash('sha256', bytes, 'hex') : 'missing');

export async function proveMending({ seed, runs = 20 }: { seed: number; runs: number | undefined }): Promise<boolean> {
  const flipFaults: string[] = [];
  for (const proofSeed of [seed, seed + 1]) {
    const faults = await flipStored(proofSeed, runs * 20);
    const encryption = isEncrypted(proofSeed) ? 'encrypted' : 'plain';
    console.log(
      `${runs * 20} single bytes of stored files changed beside a backup (${encryption}), ${faults.length} faults`,
    );
    flipFaults.push(...faults);
  }
  const killFaults = await killMending(seed + 1, runs);
  console.log(`${runs} kills of a verify that mends, ${killFaults.length} faults`);
  const moveFaults = await killMoving(seed + 2, runs);
  console.log(`${runs} kills of a move to an object store, and of the move back, ${moveFaults.length} faults`);
  const faults = [...flipFaults, ...killFaults, ...moveFaults];
  for (const fault of faults) console.log(fault);
  return faults.length === 0;
}
