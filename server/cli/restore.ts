// `tonearm restore --from DIR|s3 [--snapshot ID] [--replace]`: a library from a backup, into a data folder that no
// server uses.
import { resolve } from 'node:path';
import { SingleBar } from 'cli-progress';
import { openRepository, type Repository } from '../backup/repository.ts';
import { restore, type Restored } from '../backup/restore.ts';
import { placeElsewhere } from '../backup/own-folders.ts';
import { targetDeps } from '../backup/service.ts';
import { openTarget } from '../backup/target.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { ProductPaths } from '../paths.ts';
import type { Command } from './command-line.ts';
import { askPassword } from './users.ts';
import { backupBackend } from '../storage/backends.ts';

const LINE_EVERY_MS = 5_000;

export async function runRestore(
  config: Config,
  { workers }: ProductPaths,
  { from = '', snapshot, music, replace = false, skipDamaged = false }: Command,
): Promise<void> {
  const now = (): Date => new Date();
  const target = await openTarget(backupBackend(from) ? from : resolve(from), targetDeps(config, now));
  const repo = await open(target, config.settings.BACKUP_PASSPHRASE);
  const show = process.stdout.isTTY ? barOn(process.stdout) : linesOn(process.stdout);
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
    'Everybody signs in with their own password as before.',
    hasKeys
      ? 'The keys were in the backup: app-passwords and open sign-ins go on working.'
      : hasOwnKeys
        ? 'The keys were not in the backup; those that were here stay, so the app-passwords of this same ' +
          'library go on working.'
        : 'The keys were not in the backup: everybody signs in anew, and app-passwords of phones do not work ' +
          'any more. Make new ones in the settings.',
    ...(aside === undefined ? [] : [`What was there before is in ${aside}`]),
    ...(lost.length > 0 ? [`${lost.length} files could not be restored; their tracks are listed under Missing`] : []),
    ...(counts.referenced > copies.there
      ? [`${counts.referenced - copies.there} files of the music folder were only indexed and are not in the backup`]
      : []),
    ...(copies.there > copies.written
      ? [
          `${copies.there - copies.written} copies of files of the music folder were left out: give --music ` +
            'DIR for a place, where none is overwritten',
        ]
      : []),
  ];
}

interface Shown {
  progress: (done: number, total: number | null, message: string) => void;
  end: () => void;
}

function barOn(out: NodeJS.WriteStream): Shown {
  const bar = new SingleBar({
    format: 'Restoring {bar} {value}/{total} · {message}',
    stream: out,
    hideCursor: true,
    clearOnComplete: false,
  });
  let isOpen = false;
  return {
    progress(done, total, message) {
      if (!isOpen) bar.start(total ?? 0, done, { message });
      isOpen = true;
      bar.setTotal(total ?? 0);
      bar.update(done, { message });
    },
    end() {
      if (isOpen) bar.stop();
      isOpen = false;
    },
  };
}

function linesOn(out: NodeJS.WritableStream): Shown {
  let last = performance.now();
  return {
    progress(done, total, message) {
      if (performance.now() - last < LINE_EVERY_MS) return;
      last = performance.now();
      out.write(`Restoring: ${message}, ${done} of ${total ?? '?'}\n`);
    },
    end: () => undefined,
  };
}
