// `tonearm restore --from DIR|s3 [--snapshot ID] [--replace]`: restores a library into a data folder that no server
// uses.
import { resolve } from 'node:path';
import { openRepository, type Repository } from '../backup/repository.ts';
import { restore, type Restored } from '../backup/restore.ts';
import { placeElsewhere } from '../backup/fit-folders.ts';
import { targetDeps } from '../backup/service.ts';
import { openTarget } from '../backup/target.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { ProductPaths } from '../paths.ts';
import type { Command } from './command-line.ts';
import { progressOn } from './progress.ts';
import { askPassword } from './users.ts';
import { backupBackend } from '../storage/backends.ts';

export async function runRestore(
  config: Config,
  { workers }: ProductPaths,
  { from = '', snapshot, music, replace = false, skipDamaged = false }: Command,
): Promise<void> {
  const now = (): Date => new Date();
  const target = await openTarget(backupBackend(from) ? from : resolve(from), targetDeps(config, now));
  const repo = await open(target, config.settings.BACKUP_PASSPHRASE);
  const show = progressOn(process.stdout, 'Restoring');
  const dataDir = config.paths.data;
  try {
    const restored = await restore({
      repo,
      snapshot,
      dataDir,
      replace,
      skipDamaged,
      now,
      workerUrl: workers.snapshot,
      musicDir: music === undefined ? undefined : resolve(music),
      progress: show.progress,
    });
    show.end();
    for (const line of describe(restored, dataDir)) console.log(line);
    const elsewhere = placeElsewhere(config);
    if (elsewhere !== undefined) console.log(elsewhere);
  } finally {
    show.end();
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
    return openRepository({ target, passphrase: await askPassword('Passphrase of the backup: ') });
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
