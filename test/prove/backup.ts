// Kills backups, checks, prunes and restores at random moments: nothing is lost or stored twice, and a changed byte
// anywhere in a backup is found and repaired.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { damageBackups } from './backup-damage.ts';
import type { ChildOptions } from '../integration/backup-child.ts';
import { backUpInto, checkFolder, openBackup, restoreFrom } from '../support/backup-folders.ts';
import { filesIn, rowsIn } from '../support/backups.ts';
import { makeLibrary } from '../support/library.ts';
import { runServer } from '../support/process.ts';
import { quickImports } from '../support/product.ts';
import { seededRandom } from '../support/seeded-random.ts';

const KILLED_ACTIVITIES = ['backup', 'check', 'prune', 'restore'] as const;
type Killed = (typeof KILLED_ACTIVITIES)[number];

const CHILD_SCRIPT = join(import.meta.dirname, '..', 'integration', 'backup-child.ts');
const TEST_PASSPHRASE = 'a passphrase of some length';
/**
 * Number of tracks of the first library, and of those that remain in the second, so that most packs of the first are
 * unused.
 */
const [TRACK_COUNT, REMAINING_TRACK_COUNT] = [30, 4];
/** Files of a backup whose loss costs nothing of the library. */
const MARK_FILES = /^(?:lease|checks|unused)/;

export interface BackupProof {
  base: string;
  /** Data folder of a library; `smallDir` is that of the same library without most of its tracks. */
  fullDir: string;
  smallDir: string;
  random: () => number;
  passphrase: string | undefined;
  close: () => void;
}

export async function prepareProof(seed: number): Promise<BackupProof> {
  const base = mkdtempSync(join(tmpdir(), 'tonearm-prove-backup-'));
  const music = makeLibrary(
    { tracks: TRACK_COUNT, seed: String(seed), art: 'embedded', seconds: '1' },
    join(base, 'music'),
  );
  const [fullDir, smallDir] = [join(base, 'full'), join(base, 'less')];
  const { code, stderr } = await runServer(['scan', music.dir, '--data-dir', fullDir]);
  if (code !== 0) throw new Error(stderr);
  cpSync(fullDir, smallDir, { recursive: true, preserveTimestamps: true });
  const db = new Database(join(smallDir, 'tonearm.db'));
  db.pragma('foreign_keys = ON');
  db.prepare('DELETE FROM tracks WHERE id NOT IN (SELECT id FROM tracks ORDER BY id LIMIT ?)').run(
    REMAINING_TRACK_COUNT,
  );
  db.close();
  return {
    base,
    fullDir,
    smallDir,
    random: seededRandom(seed),
    passphrase: seed % 2 === 0 ? undefined : TEST_PASSPHRASE,
    close: () => rmSync(base, { recursive: true, force: true }),
  };
}

const wholeOf = (dataDir: string): string =>
  JSON.stringify({ rows: rowsIn(dataDir), files: filesIn(join(dataDir, 'library')) });

/** Returns whether the rows, and the files that they name, equal those of the original. */
const restoredAs = (dataDir: string, originalDir: string): boolean => {
  const [restoredFiles, originalFiles] = [filesIn(join(dataDir, 'library')), filesIn(join(originalDir, 'library'))];
  return (
    JSON.stringify(rowsIn(dataDir)) === JSON.stringify(rowsIn(originalDir)) &&
    Object.entries(restoredFiles).every(([name, hash]) => originalFiles[name] === hash)
  );
};

/** Runs to the nth moment, or to the end; returns the number of moments, or undefined if the process was killed. */
async function runChild(options: ChildOptions, momentNumber?: number): Promise<number | undefined> {
  const child = spawn(
    process.execPath,
    [
      '--import',
      quickImports,
      CHILD_SCRIPT,
      JSON.stringify({ ...options, ...(momentNumber && { killAfter: momentNumber }) }),
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  if (signal === 'SIGKILL') return undefined;
  if (code !== 0) throw new Error(`${options.mode} ended with ${code}`);
  return (JSON.parse(text) as string[]).length;
}

/** Returns the violated guarantees after this number of kills during one activity. */
export async function killDuring(activity: Killed, kills: number, proof: BackupProof): Promise<string[]> {
  const { base, fullDir, smallDir, random, passphrase } = proof;
  const pathOf = (name: string): string => join(base, `${activity}-${name}`);
  const library = activity === 'prune' ? smallDir : fullDir;
  const open = async (folder: string, isNew = false) => openBackup(folder, { passphrase, isNew });
  const faults: string[] = [];
  const template = pathOf('template');
  mkdirSync(template);
  if (activity !== 'backup') {
    const { snapshot } = await backUpInto(await open(template, true), fullDir, pathOf('tmp'));
    if (activity === 'prune') await (await open(template)).deleteSnapshot(snapshot, { isNow: true });
    if (activity === 'check') flipSomewhere(template, random);
  }
  const begin = (name: string): ChildOptions => {
    cpSync(template, pathOf(name), { recursive: true });
    const dataDir = pathOf(`${name}-data`);
    mkdirSync(dataDir);
    const mode = activity === 'prune' ? 'backup' : activity;
    return { mode, library, backup: pathOf(name), dataDir, passphrase, killAt: undefined };
  };
  const moments = await runChild(begin('calm'));
  for (let kill = 0; kill < kills; kill++) {
    const name = `kill-${kill}`;
    const options = begin(name);
    const momentNumber = 1 + Math.floor(random() * (moments ?? 1));
    await runChild(options, momentNumber);
    if (activity !== 'restore') await runChild(options);
    const repo = await open(options.backup);
    const { faults: faultCount, problems, lost_items } = await checkFolder(repo, library, pathOf('tmp'));
    const restoredDir = activity === 'restore' ? options.dataDir : pathOf(`${name}-restored`);
    await restoreFrom(await open(options.backup), restoredDir, { replace: true });
    const differences = [
      ...(faultCount > 0 ? problems : []),
      ...lost_items,
      ...(restoredAs(restoredDir, library) ? [] : ['the restored library differs']),
      ...(activity === 'prune' ? await doubledIn(await open(options.backup)) : []),
    ];
    for (const fault of differences)
      faults.push(`${activity}, killed at moment ${momentNumber} of ${moments}: ${fault}`);
    for (const folder of [options.backup, options.dataDir, restoredDir])
      rmSync(folder, { recursive: true, force: true });
  }
  return faults;
}

/** Returns a fault if objects are in two packs after a completed prune. */
async function doubledIn(repo: Awaited<ReturnType<typeof openBackup>>): Promise<string[]> {
  await repo.objects.load();
  const names = [...repo.objects.index.packs.values()].flatMap(({ blobs }) => blobs.map(({ name }) => name));
  return new Set(names).size === names.length ? [] : ['objects are in two packs'];
}

function flipSomewhere(folder: string, random: () => number): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !MARK_FILES.test(path.slice(folder.length + 1)))
    .sort();
  const path = files[Math.floor(random() * files.length)] as string;
  const bytes = readFileSync(path);
  const offset = Math.floor(random() * bytes.length);
  bytes[offset] = (bytes[offset] ?? 0) ^ (1 + Math.floor(random() * 255));
  writeFileSync(path, bytes);
  return `byte ${offset} of ${path.slice(folder.length + 1)}`;
}

/** Flips one byte at a time, which the check has to find and repair. */
export async function flipBytes(count: number, { base, fullDir, random, passphrase }: BackupProof): Promise<string[]> {
  const [backup, tmp] = [join(base, 'flipped'), join(base, 'flipped-tmp')];
  mkdirSync(backup);
  await backUpInto(await openBackup(backup, { passphrase, isNew: true }), fullDir, tmp);
  const faults: string[] = [];
  for (let n = 0; n < count; n++) {
    const flippedFile = flipSomewhere(backup, random);
    const check = await checkFolder(await openBackup(backup, { passphrase }), fullDir, tmp);
    const recheck = await checkFolder(await openBackup(backup, { passphrase }), fullDir, tmp);
    if (check.faults === 0) faults.push(`${flippedFile}: not found`);
    if (check.lost > 0) faults.push(`${flippedFile}: lost ${check.lost_items.join(', ')}`);
    if (recheck.faults + recheck.lost > 0) faults.push(`${flippedFile}: not repaired: ${recheck.problems.join(', ')}`);
  }
  const restoredDir = join(base, 'flipped-restored');
  await restoreFrom(await openBackup(backup, { passphrase }), restoredDir);
  if (wholeOf(restoredDir) !== wholeOf(fullDir)) faults.push('the restored library differs');
  return faults;
}

export async function proveBackup({ seed, runs = 20 }: { seed: number; runs: number | undefined }): Promise<boolean> {
  const allFaults: string[] = [];
  for (const proofSeed of [seed, seed + 1]) {
    const proof = await prepareProof(proofSeed);
    const encryption = proof.passphrase === undefined ? 'plain' : 'encrypted';
    try {
      for (const activity of KILLED_ACTIVITIES) {
        const faults = await killDuring(activity, runs, proof);
        console.log([`${encryption}: ${runs} kills during ${activity}, ${faults.length} faults`, ...faults].join('\n'));
        allFaults.push(...faults);
      }
      for (const kind of ['folder', 's3'] as const) {
        const faults = await damageBackups(kind, {
          base: proof.base,
          library: proof.fullDir,
          passphrase: proof.passphrase,
        });
        for (const fault of faults) console.log(fault);
        allFaults.push(...faults);
      }
      const faults = await flipBytes(runs * 10, proof);
      console.log([`${encryption}: ${runs * 10} single bytes changed, ${faults.length} faults`, ...faults].join('\n'));
      allFaults.push(...faults);
    } finally {
      proof.close();
    }
  }
  return allFaults.length === 0;
}
