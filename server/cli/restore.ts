// `tonearm restore --from DIR|s3 [--snapshot ID] [--replace]` and `tonearm import DIR [--replace]`: make a library from
// a backup or an export in a data folder that no server uses.
import { resolve } from 'node:path';
import Database from 'better-sqlite3';
import { openExport } from '../backup/export-source.ts';
import { openRepository, type Repository } from '../backup/repository.ts';
import { restore, type Restored, type RestoreOptions } from '../backup/restore.ts';
import { placeElsewhere } from '../backup/fit-folders.ts';
import { targetDeps } from '../backup/service.ts';
import { openTarget } from '../backup/target.ts';
import type { Config } from '../config/config.ts';
import { lookAtDatabase } from '../db/library-identity.ts';
import { AppError, conflict } from '../errors.ts';
import type { ProductPaths } from '../paths.ts';
import type { Command } from './command-line.ts';
import { progressOn } from './progress.ts';
import { askSecret } from './ask-secret.ts';
import { backupBackend } from '../storage/backends.ts';

export async function runRestore(
  config: Config,
  { workers, migrations: migrationsDir }: ProductPaths,
  { from = '', snapshot, music, replace = false, skipDamaged = false }: Command,
): Promise<void> {
  const now = (): Date => new Date();
  const target = await openTarget(backupBackend(from) ? from : resolve(from), targetDeps(config, now));
  const repo = await open(target, config.settings.BACKUP_PASSPHRASE);
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
  };
  for (const line of describe(await shown('Restoring', options), dataDir)) console.log(line);
  const elsewhere = placeElsewhere(config);
  if (elsewhere !== undefined) console.log(elsewhere);
}

/** A library that nobody has an account in yet is replaced without being asked. */
export async function runImport(
  config: Config,
  { workers, migrations: migrationsDir }: ProductPaths,
  { args: [from = ''], replace = false, skipDamaged = false }: Command,
): Promise<void> {
  const elsewhere = placeElsewhere(config);
  if (elsewhere !== undefined) throw conflict(elsewhere);
  const dataDir = config.paths.data;
  const state = lookAtDatabase(config.paths.database);
  const { snapshot, counts, lost, aside } = await shown('Importing', {
    repo: await openExport(resolve(from)),
    snapshot: undefined,
    dataDir,
    replace: replace || (state.kind === 'library' && state.isBlank),
    skipDamaged,
    musicDir: undefined,
    workerUrl: workers.snapshot,
    migrationsDir,
    now: () => new Date(),
  });
  console.log(
    `Imported ${counts.tracks} tracks, ${counts.files} audio files and ${counts.covers} covers of the export ` +
      `${snapshot} into ${dataDir}`,
  );
  if (lost.length > 0) console.log(`${lost.length} files were not in it; their tracks are listed under Missing`);
  if (aside !== undefined) console.log(`The previous library is in ${aside}`);
  const names = accountsWithoutPassword(config.paths.database);
  if (names.length > 0) console.log('Passwords are not in an export. Set them with:');
  for (const name of names) console.log(`  tonearm user passwd ${JSON.stringify(name)} --data-dir ${dataDir}`);
}

async function shown(label: string, options: Omit<RestoreOptions, 'progress'>): Promise<Restored> {
  const show = progressOn(process.stdout, label);
  try {
    return await restore({ ...options, progress: show.progress });
  } finally {
    show.end();
  }
}

function accountsWithoutPassword(path: string): string[] {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare<[], string>("SELECT username FROM users WHERE password_hash = '' ORDER BY id").pluck().all();
  } finally {
    db.close();
  }
}

async function open(
  target: Awaited<ReturnType<typeof openTarget>>,
  passphrase: string | undefined,
): Promise<Repository> {
  try {
    return await openRepository({ target, passphrase });
  } catch (error) {
    const isAsked =
      error instanceof AppError && error.code === 'forbidden' && passphrase === undefined && process.stdin.isTTY;
    if (!isAsked) throw error;
    return openRepository({ target, passphrase: await askSecret('Passphrase of the backup') });
  }
}

function describe({ snapshot, counts, hasKeys, hasOwnKeys, copies, lost, aside }: Restored, dataDir: string): string[] {
  return [
    `Restored ${counts.tracks} tracks, ${counts.files} audio files and ${counts.covers} covers of snapshot ` +
      `${snapshot} into ${dataDir}`,
    'Passwords are unchanged.',
    hasKeys
      ? 'The backup included the keys: app passwords and sign-ins keep working.'
      : hasOwnKeys
        ? 'The backup did not include the keys; those of the replaced library were kept, so its app passwords and ' +
          'sign-ins keep working.'
        : 'The backup did not include the keys: everybody has to sign in again, and app passwords no longer work. ' +
          'Create new ones in the settings.',
    ...(aside === undefined ? [] : [`The previous library is in ${aside}`]),
    ...(lost.length > 0 ? [`${lost.length} files could not be restored; their tracks are listed under Missing`] : []),
    ...(counts.referenced > copies.there
      ? [`${counts.referenced - copies.there} files of the music folder were only indexed and are not in the backup`]
      : []),
    ...(copies.there > copies.written
      ? [
          `${copies.there - copies.written} copies of files of the music folder were not restored: use --music DIR ` +
            'to say where; existing files are not overwritten',
        ]
      : []),
  ];
}
