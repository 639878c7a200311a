// `tonearm restore --from DIR|s3 [--snapshot ID] [--replace]` and `tonearm import DIR [--replace]`: create a library
// from a backup or an export in a data folder that no server uses.
import { resolve } from 'node:path';
import Database from 'better-sqlite3';
import type { Arrival } from '../backup/arrival-wire.ts';
import { arrivalLines, needsConfirmation } from '../backup/arrival.ts';
import { openExport } from '../backup/export-source.ts';
import { openRepository, type Repository } from '../backup/repository.ts';
import { restore, type Decision, type RestoreOutcome, type RestoreOptions } from '../backup/restore.ts';
import { findStorageConflict } from '../backup/allowed-folders.ts';
import { targetDeps } from '../backup/service.ts';
import { openTarget } from '../backup/target.ts';
import type { Config } from '../config/config.ts';
import { lookAtDatabase } from '../db/library-identity.ts';
import { AppError, conflict } from '../errors.ts';
import { formatBytes } from '../runtime/format-bytes.ts';
import type { ProductPaths } from '../paths.ts';
import type { Command } from './command-line.ts';
import { createProgressDisplay } from './progress.ts';
import { askSecret } from './ask-secret.ts';
import { askYes } from './ask-yes.ts';
import { UsageError } from './usage-error.ts';
import { quotedForShell } from './shell-quoting.ts';
import { findBackupBackend } from '../storage/backends.ts';

export async function runRestore(
  config: Config,
  { workers, migrations: migrationsDir }: ProductPaths,
  { from = '', snapshot, music, replace = false, skipDamaged = false, acceptSettings = false }: Command,
): Promise<void> {
  const now = (): Date => new Date();
  const target = await openTarget(findBackupBackend(from) ? from : resolve(from), targetDeps(config, now));
  const repo = await openBackup(target, config.settings.BACKUP_PASSPHRASE);
  const dataDir = config.paths.data;
  const musicDir = music === undefined ? undefined : resolve(music);
  const options = {
    repo,
    snapshot,
    dataDir,
    replace,
    skipDamaged,
    now,
    workerUrl: workers.snapshot,
    migrationsDir,
    musicDir,
    minFreeBytes: config.settings.MIN_FREE_BYTES,
    decide: (arrival: Arrival) => decideRestore(arrival, acceptSettings),
  };
  for (const line of describe(await restoreWithProgress('Restoring', options), dataDir, musicDir)) console.log(line);
  const storageConflict = findStorageConflict(config);
  if (storageConflict !== undefined) console.log(storageConflict);
}

/** Prints the snapshots of a backup without opening a library, so that a new machine can choose one. */
export async function runSnapshotList(
  config: Config,
  { from = config.settings.BACKUP_TARGET }: Command,
): Promise<void> {
  if (from === undefined) throw new UsageError('Say where the backup is: tonearm backup list --from DIR.');
  const now = (): Date => new Date();
  const target = await openTarget(findBackupBackend(from) ? from : resolve(from), targetDeps(config, now));
  const repo = await openBackup(target, config.settings.BACKUP_PASSPHRASE);
  const ids = await repo.snapshotIds();
  if (ids.length === 0) console.error(`The backup in ${repo.name} has no complete snapshot.`);
  for (const id of ids) console.log(await describeSnapshot(repo, id));
}

async function describeSnapshot(repo: Repository, id: string): Promise<string> {
  const manifest = await repo.readSnapshot(id).catch((error: unknown) => {
    if (error instanceof AppError) return undefined; // listed all the same, because others may be whole
    throw error;
  });
  if (!manifest) return `${id}  damaged`;
  const { tracks, files, bytes, absent } = manifest.counts;
  const lack = absent === 0 ? '' : `, ${absent} files missing`;
  return `${id}  ${tracks} tracks, ${files} audio files, ${formatBytes(bytes)}${lack}`;
}

/** Imports an export. A library without accounts is replaced without a question. */
export async function runImport(
  config: Config,
  { workers, migrations: migrationsDir }: ProductPaths,
  { args: [from = ''], replace = false, skipDamaged = false, isConfirmed = false }: Command,
): Promise<void> {
  const storageConflict = findStorageConflict(config);
  if (storageConflict !== undefined) throw conflict(storageConflict);
  const dataDir = config.paths.data;
  const state = lookAtDatabase(config.paths.database);
  const { snapshot, counts, lost, unnamed, asideFolder } = await restoreWithProgress('Importing', {
    repo: await openExport(resolve(from)),
    snapshot: undefined,
    dataDir,
    replace: replace || (state.kind === 'library' && state.isBlank),
    skipDamaged,
    musicDir: undefined,
    workerUrl: workers.snapshot,
    migrationsDir,
    now: () => new Date(),
    minFreeBytes: config.settings.MIN_FREE_BYTES,
    decide: (arrival) => decideImport(arrival, isConfirmed),
  });
  console.log(
    `Imported ${counts.tracks} tracks, ${counts.files} audio files and ${counts.covers} covers of the export ` +
      `${snapshot} into ${dataDir}`,
  );
  if (lost.length > 0) console.log(`${lost.length} files were not in it; their tracks are listed under Missing`);
  if (unnamed > 0) console.log(unnamedLine(unnamed));
  if (asideFolder !== undefined) console.log(`The previous library is in ${asideFolder}`);
  const { names, hasSuperuser } = readPeople(config.paths.database);
  if (names.length > 0) console.log('Passwords and rights are not taken from an export. Set passwords with:');
  const quotedDataDir = quotedForShell(dataDir);
  for (const name of names) console.log(`  tonearm user passwd ${quotedForShell(name)} --data-dir ${quotedDataDir}`);
  if (names.length > 0 && !hasSuperuser)
    console.log(`Nobody is a superuser yet. Make one with: tonearm user promote NAME --data-dir ${quotedDataDir}`);
}

async function restoreWithProgress(label: string, options: Omit<RestoreOptions, 'progress'>): Promise<RestoreOutcome> {
  let display = createProgressDisplay(process.stdout, label);
  try {
    return await restore({
      ...options,
      progress: (...args) => display.progress(...args),
      async decide(arrival) {
        display.end(); // otherwise the bar would be drawn over the question
        const decision = await options.decide(arrival);
        display = createProgressDisplay(process.stdout, label);
        return decision;
      },
    });
  } finally {
    display.end();
  }
}

const unnamedLine = (files: number): string =>
  `${files} listed files belong to nothing in the library, and were not restored`;

/** Asks before settings and accounts are taken that could give others access to this computer. */
async function decideRestore(arrival: Arrival, isAccepted: boolean): Promise<Decision> {
  if (arrival.has_accounts) print('The backup differs from this server:', arrival);
  else {
    print('Accounts that come with the backup:', { ...arrival, settings: [], folders: [] });
    print('The backup differs from this server:', { ...arrival, people: [] });
  }
  if (isAccepted) return 'accept';
  if (!needsConfirmation(arrival)) return 'keep';
  if (process.stdin.isTTY && (await askYes('Also restore these from the backup? Do this only if you trust it. [y/N] ')))
    return 'accept';
  console.log(
    `${arrival.has_accounts ? 'These' : 'Settings and folders that differ'} are not taken: they stay as they are ` +
      'here, or at their defaults. Restore with --accept-settings to take them.',
  );
  return 'keep';
}

function print(title: string, arrival: Arrival): void {
  const lines = arrivalLines(arrival, false);
  for (const line of lines.length === 0 ? [] : [title, ...lines.map((text) => `  ${text}`)]) console.log(line);
}

async function decideImport(arrival: Arrival, isConfirmed: boolean): Promise<Decision> {
  const lines = arrivalLines(arrival, true);
  if (lines.length === 0) return 'keep';
  console.log('People in the export:');
  for (const line of lines) console.log(`  ${line}`);
  if (isConfirmed || !process.stdin.isTTY) return 'keep';
  return (await askYes('Import? [y/N] ')) ? 'keep' : 'stop';
}

/** Reads the names of accounts without a password, and whether any account is a superuser. */
function readPeople(path: string): { names: string[]; hasSuperuser: boolean } {
  const db = new Database(path, { readonly: true });
  try {
    return {
      names: db.prepare<[], string>("SELECT username FROM users WHERE password_hash = '' ORDER BY id").pluck().all(),
      hasSuperuser: db.prepare('SELECT 1 FROM users WHERE is_superuser = 1').get() !== undefined,
    };
  } finally {
    db.close();
  }
}

async function openBackup(
  target: Awaited<ReturnType<typeof openTarget>>,
  passphrase: string | undefined,
): Promise<Repository> {
  try {
    return await openRepository({ target, passphrase });
  } catch (error) {
    const canAsk =
      error instanceof AppError && error.code === 'forbidden' && passphrase === undefined && process.stdin.isTTY;
    if (!canAsk) throw error;
    return openRepository({ target, passphrase: await askSecret('Passphrase of the backup') });
  }
}

/** Describes which sign-ins stay valid, by the rules of apply-arrival.ts. */
function describeSignIns({ hasKeys, hasOwnKeys, arrival, isAccepted }: RestoreOutcome): string {
  if (arrival.has_accounts && !isAccepted && hasOwnKeys) return 'Everybody who is signed in here stays signed in.';
  if (arrival.has_accounts && (hasKeys || hasOwnKeys))
    return 'Sign-ins that are here and in the backup keep working; everybody else has to sign in again.';
  return hasKeys ? 'Sign-ins keep working.' : 'Everybody has to sign in again.';
}

function describe(outcome: RestoreOutcome, dataDir: string, musicDir: string | undefined): string[] {
  const { snapshot, counts, hasKeys, hasOwnKeys, copies, lost, unnamed, unlistedPacks, isListLost, asideFolder } =
    outcome;
  const { arrival, isAccepted } = outcome;
  return [
    `Restored ${counts.tracks} tracks, ${counts.files} audio files and ${counts.covers} covers of snapshot ` +
      `${snapshot} into ${dataDir}`,
    arrival.has_accounts && !isAccepted
      ? 'Existing accounts and their passwords were not changed.'
      : 'Accounts have the passwords that they had in the backup.',
    hasKeys
      ? 'The backup included the keys: app passwords keep working.'
      : hasOwnKeys
        ? 'The backup did not include the keys; those of the replaced library were kept, so its app passwords keep ' +
          'working.'
        : 'The backup did not include the keys: app passwords no longer work. Create new ones in the settings.',
    describeSignIns(outcome),
    ...(asideFolder === undefined ? [] : [`The previous library is in ${asideFolder}`]),
    ...(lost.length > 0 ? [`${lost.length} files could not be restored; their tracks are listed under Missing`] : []),
    ...(unnamed > 0 ? [unnamedLine(unnamed)] : []),
    ...(unlistedPacks > 0
      ? [`${unlistedPacks} packs were in no index of the backup, and were found anyway; the next backup repairs that`]
      : []),
    ...(isListLost
      ? [
          'The list of files is damaged. Audio and covers were found by the database; copies of files of the music ' +
            'folder were not',
        ]
      : []),
    ...(counts.referenced > copies.total
      ? [`${counts.referenced - copies.total} files of the music folder were only indexed and are not in the backup`]
      : []),
    ...(copies.total > copies.written
      ? [
          `${copies.total - copies.written} copies of files of the music folder were not restored: ` +
            (musicDir === undefined
              ? 'use --music DIR to say where they go'
              : `files of their names are in ${musicDir} already, or they are damaged`),
        ]
      : []),
  ];
}
