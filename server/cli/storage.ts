// `tonearm storage migrate --to NAME`: moves the library to another storage, without a server.
import { SingleBar } from 'cli-progress';
import type { MainDb } from '../db/client.ts';
import type { Config } from '../config/config.ts';
import { openDataFolder } from '../data-folder.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import type { ProductPaths } from '../paths.ts';
import { createSettingsService, type SettingsDeps } from '../settings/service.ts';
import { openStorage } from '../storage/backends.ts';
import type { Storage } from '../storage/storage.ts';
import { FILE_SCHEME } from '../storage/uri.ts';
import { migrateStorage, type Migration } from '../maintenance/storage-migration.ts';

const LINE_EVERY_MS = 5_000;

export async function runMigrate(given: Config, paths: ProductPaths, log: Log, to: string): Promise<void> {
  const stop = new AbortController();
  const onStop = (): void =>
    stop.abort(new AppError('conflict', 'It was stopped. Nothing was changed; the same command goes on where it was.'));
  process.once('SIGINT', onStop).once('SIGTERM', onStop);
  const { offers, close } = await openDataFolder(given, paths, log);
  const { config, db, secretStore } = offers;
  const progress = showMigration(process.stdout);
  try {
    const target = await openStorage(config, {}, to);
    if (!(await target.isUp())) await target.stat('audio/probe'); // throws, with the reason
    const sources = sourcesOf(db, config.settings.STORAGE_BACKEND, to);
    if (sources.length === 0) console.log(`0 objects copied: the library is in ${target.backend.title} already.`);
    for (const name of sources) {
      const from = await openStorage(config, {}, name);
      const result = await migrateStorage({ db, from, to: target, signal: stop.signal, onProgress: progress.show });
      progress.end();
      for (const line of describe(result, target)) console.log(line);
      if (result.problems.length > 0) process.exitCode = 1;
    }
    await switchTo({ config, secretStore, log }, to);
  } finally {
    progress.end();
    close();
  }
}

/** Where the library is, and where an earlier move left something. */
function sourcesOf(db: MainDb, current: string, to: string): string[] {
  const schemes = db.$client
    .prepare<[], string>(
      `SELECT DISTINCT substr(storage_uri, 1, instr(storage_uri, ':') - 1) FROM tracks WHERE content_hash IS NOT NULL
         AND storage_uri NOT LIKE '${FILE_SCHEME}:%'`,
    )
    .pluck()
    .all();
  return [...new Set([current, ...schemes])].filter((name) => name !== to);
}

async function switchTo(deps: SettingsDeps, to: string): Promise<void> {
  const { config } = deps;
  if (config.settings.STORAGE_BACKEND === to) return;
  if (config.origins.STORAGE_BACKEND === 'env')
    return console.log(`Now set STORAGE_BACKEND=${to} where this program gets its environment from.`);
  await createSettingsService(deps).change({ STORAGE_BACKEND: to });
  console.log(`STORAGE_BACKEND is ${to} from the next start on.`);
}

function describe({ copied, present, bytes, tracks, problems }: Migration, to: Storage): string[] {
  return [
    `${copied} objects copied (${Math.round(bytes / 1e6)} MB), ${present} were there already; ${tracks} ` +
      `tracks now play from ${to.backend.title}.`,
    ...problems.map(({ key, reason }) => `  ${key}: ${reason}`),
    ...(problems.length > 0
      ? ['Tracks of these keep their old address. Run verify before the next try: it heals from the backup.']
      : []),
    'The old objects are still where they were; the way back is the same command with the other name.',
  ];
}

function showMigration(out: NodeJS.WriteStream): {
  show: (done: number, total: number, bytes: number) => void;
  end: () => void;
} {
  if (out.isTTY) {
    const bar = new SingleBar({
      format: 'Moving {bar} {value}/{total} objects · {mb} MB',
      stream: out,
      hideCursor: true,
      clearOnComplete: false,
    });
    bar.start(0, 0, { mb: 0 });
    return {
      show: (done, total, bytes) => {
        bar.setTotal(total);
        bar.update(done, { mb: Math.round(bytes / 1e6) });
      },
      end: () => bar.stop(),
    };
  }
  let last = performance.now();
  return {
    show: (done, total, bytes) => {
      if (performance.now() - last < LINE_EVERY_MS) return;
      last = performance.now();
      out.write(`Moving: ${done} of ${total} objects, ${Math.round(bytes / 1e6)} MB\n`);
    },
    end: () => undefined,
  };
}
