// `tonearm storage migrate --to NAME`: moves the library to another storage, without a running server.
import type { MainDb } from '../db/client.ts';
import type { Config } from '../config/config.ts';
import { openDataFolder } from '../data-folder.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import type { ProductPaths } from '../paths.ts';
import { createSettingsService, type SettingsDeps } from '../settings/service.ts';
import { openStorage } from '../storage/backends.ts';
import { createOwnedStorage } from '../storage/library-mark.ts';
import type { Storage } from '../storage/storage.ts';
import { FILE_SCHEME } from '../storage/uri.ts';
import { migrateStorage, type Migration } from '../maintenance/storage-migration.ts';
import { createProgressDisplay } from './progress.ts';

export async function runMigrate(initialConfig: Config, paths: ProductPaths, log: Log, to: string): Promise<void> {
  const stop = new AbortController();
  const onStop = (): void => stop.abort(new AppError('conflict', 'Stopped. Run the same command again to resume.'));
  process.once('SIGINT', onStop).once('SIGTERM', onStop);
  const { offers, close } = await openDataFolder({ config: initialConfig, paths, log });
  const { config, db, secretStore } = offers;
  const display = createProgressDisplay(process.stdout, 'Moving objects');
  try {
    const targetStorage = await openStorage(config, {}, to);
    // `stat` throws an error with the reason
    if (!(await targetStorage.isUp())) await targetStorage.stat('audio/probe');
    // an interrupted migration may have copied a part of the library, so any mark in the target is accepted
    const target = createOwnedStorage(targetStorage, { ...offers.owner, ownsUnmarkedAudio: () => true });
    await target.claim();
    const sources = sourcesOf(db, config.settings.STORAGE_BACKEND, to);
    if (sources.length === 0) console.log(`0 objects copied: the library is already in ${target.backend.title}.`);
    for (const name of sources) {
      const from = await openStorage(config, {}, name);
      const result = await migrateStorage({
        db,
        from,
        to: target,
        signal: stop.signal,
        onProgress: (done, total, bytes) => display.progress(done, total, `${Math.round(bytes / 1e6)} MB`),
      });
      display.end();
      for (const line of describe(result, target)) console.log(line);
      if (result.problems.length > 0) process.exitCode = 1;
    }
    await switchStorage({ config, secretStore, log }, to);
  } finally {
    display.end();
    close();
  }
}

/** Lists the current storage, and others that still have tracks after an unfinished migration. */
function sourcesOf(db: MainDb, currentStorage: string, to: string): string[] {
  const schemes = db.$client
    .prepare<[], string>(
      `SELECT DISTINCT substr(storage_uri, 1, instr(storage_uri, ':') - 1) FROM stored_audio
       WHERE content_hash IS NOT NULL
         AND storage_uri NOT LIKE '${FILE_SCHEME}:%'`,
    )
    .pluck()
    .all();
  return [...new Set([currentStorage, ...schemes])].filter((name) => name !== to);
}

async function switchStorage(deps: SettingsDeps, to: string): Promise<void> {
  const { config } = deps;
  if (config.settings.STORAGE_BACKEND === to) return;
  if (config.origins.STORAGE_BACKEND === 'env')
    return console.log(`Now set STORAGE_BACKEND=${to} in the environment of the server.`);
  await createSettingsService(deps).change({ STORAGE_BACKEND: to });
  console.log(`STORAGE_BACKEND is set to ${to} and takes effect at the next start.`);
}

function describe({ copied, present, bytes, tracks, problems }: Migration, to: Storage): string[] {
  return [
    `${copied} objects copied (${Math.round(bytes / 1e6)} MB), ${present} were already there; ${tracks} ` +
      `tracks now play from ${to.backend.title}.`,
    ...problems.map(({ key, reason }) => `  ${key}: ${reason}`),
    ...(problems.length > 0
      ? ['The tracks of these stay in the old storage. Run verify, which repairs from the backup, and then this again.']
      : []),
    'The old objects were not deleted. To go back, migrate to the old storage.',
  ];
}
