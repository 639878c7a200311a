// Opens the data folder for this process alone, with its secrets and its database. A library whose database is gone, or
// was replaced by that of another library, does not count as a new one.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { migrateBackupSettings } from './backup/migrate-backup-settings.ts';
import { assertNotHalfRestored } from './backup/restore-state.ts';
import type { Config } from './config/config.ts';
import { readJsonFile, writeJsonFile } from './config/json-file.ts';
import { makePrivate } from './config/private-files.ts';
import { openSecretStore, type SecretStore } from './config/secret-store.ts';
import { loadSecrets, moveWrittenSecrets, addStoredSettings } from './config/secrets.ts';
import { openDatabase, type MainDb } from './db/client.ts';
import { lockDataFolder } from './db/data-lock.ts';
import { watchInPlace } from './db/removed-database.ts';
import { hasAudioIn, libraryId, lookAtDatabase, skipCovers, type DatabaseState } from './db/library-identity.ts';
import { createReserve } from './db/reserve.ts';
import { conflict } from './errors.ts';
import type { Log } from './log/log.ts';
import type { Module } from './module.ts';
import type { ProductPaths } from './paths.ts';
import { assertUsable, makeFolder, type FolderDescription } from './runtime/folders.ts';
import { openStorage } from './storage/backends.ts';
import { holdsAudio, readMark, type OwnerOptions } from './storage/library-mark.ts';

export const DATA_FOLDER: FolderDescription = {
  name: 'The data folder',
  remedy: 'Choose another one with --data-dir or DATA_DIR.',
};
const FILES = ['tonearm.db', 'tonearm.db-wal', 'tonearm.db-shm', 'tonearm.lock', 'secrets.json', 'settings.json'];
/** The end of the database's name while `tonearm rebuild` creates it. */
export const REBUILDING = '.rebuilding';

export interface DataFolderOptions {
  config: Config;
  paths: ProductPaths;
  log: Log;
  /** True with `--new-library`: existing data belongs to another library and is not needed. */
  isNewLibrary?: boolean;
  /** Address of the desktop app that started this server. */
  shell?: string | undefined;
}

/** Opens the data folder. Unlocks the folder again when something in it cannot be opened. */
export async function openDataFolder({
  config: givenConfig,
  paths,
  log,
  isNewLibrary = false,
  shell,
}: DataFolderOptions) {
  const { database } = givenConfig.paths;
  const reserve = createReserve({ path: join(givenConfig.paths.data, 'reserve'), log });
  reserve.makeRoomToStart();
  const folder = takeDataFolder(givenConfig, log, shell);
  try {
    assertNotHalfRestored(givenConfig.paths.data);
    const { config: openedConfig, secretStore } = await openSecrets(givenConfig, log);
    const secrets = await loadSecrets(openedConfig.settings, secretStore, log);
    const state = lookAtDatabase(database);
    if (state.kind === 'foreign')
      throw conflict(`${database} is the database of another program. Move it away, or choose another --data-dir.`);
    if (!isNewLibrary) await assertOwnDatabase(openedConfig, state);
    const db = openDatabase({ path: database, migrationsDir: paths.migrations, log });
    const config = await migrateBackupSettings(openedConfig, { db, secretStore, log });
    const owner = identify(config, db, state, isNewLibrary);
    const inPlace = watchInPlace({ client: db.$client, path: database, log });
    return {
      offers: { config, db, inPlace, owner, secretStore, secrets, reserve },
      start: reserve.start,
      stop: reserve.stop,
      close(): void {
        inPlace.close();
        db.$client.close();
        folder.unlock();
      },
    } satisfies Module;
  } catch (error) {
    folder.unlock();
    throw error;
  }
}

/** Creates the data folder if it does not exist, locks it for this process, and closes it to other accounts. */
export function takeDataFolder({ paths: { data } }: Config, log: Log, shell?: string): { unlock: () => void } {
  makeFolder(data, DATA_FOLDER);
  assertUsable(data, FILES, DATA_FOLDER);
  makePrivate(data, log);
  return { unlock: lockDataFolder(join(data, 'tonearm.lock'), data, shell) };
}

export async function openSecrets(
  givenConfig: Config,
  log: Log,
): Promise<{ config: Config; secretStore: SecretStore }> {
  const secretStore = await openSecretStore({
    file: givenConfig.paths.secretsFile,
    requestedPlace: givenConfig.settings.SECRET_STORE,
    log,
  });
  await moveWrittenSecrets(givenConfig, secretStore, log);
  return { config: await addStoredSettings(givenConfig, secretStore), secretStore };
}

/**
 * The mark of a data folder. `unmarked` is the storage that was this library's, or taken over, when it could not be
 * reached to be marked.
 */
const Mark = z.object({
  library_id: z.uuid(),
  unmarked: z.object({ backend: z.string(), takes_over: z.boolean() }).optional(),
});
type Mark = z.output<typeof Mark>;
const markFile = ({ paths }: Config): string => join(paths.data, 'library.json');
const readMarkOfFolder = (config: Config): Mark | undefined => Mark.safeParse(readJsonFile(markFile(config))).data;

/** Returns the library that the data folder belongs to; undefined before the first start of a version that notes it. */
export const libraryOfFolder = (config: Config): string | undefined => readMarkOfFolder(config)?.library_id;

/** Throws `conflict` when the folder's library has another database, or none. */
async function assertOwnDatabase(config: Config, state: Exclude<DatabaseState, { kind: 'foreign' }>): Promise<void> {
  const { data, database } = config.paths;
  const ofFolder = libraryOfFolder(config);
  if (state.kind === 'library' && !(state.isBlank && state.id === undefined)) {
    if (state.id === undefined || ofFolder === undefined || state.id === ofFolder) return;
    throw conflict(
      `The database ${database} belongs to another library (${state.id}) than ${data} (${ofFolder}). Put the right ` +
        `one back, or ${waysOn(data)} (this keeps the current database).`,
    );
  }
  const evidence = ofFolder === undefined ? await libraryInStorage(config) : 'its library.json';
  if (evidence === undefined) return;
  const databaseState = state.kind === 'library' || state.fileExists ? 'is empty' : 'does not exist';
  throw conflict(
    `There is a library here (${evidence}), but its database ${database} ${databaseState}. ` +
      (existsSync(database + REBUILDING)
        ? 'Making a new one was interrupted: run "tonearm rebuild" again to finish it.'
        : `Nothing was changed. If it is on a disk that is not connected, connect it. Otherwise, ${waysOn(data)}.`),
  );
}

const waysOn = (data: string): string =>
  `restore a backup with "tonearm restore --from DIR --replace --data-dir ${data}", make a new database from the ` +
  'stored audio with "tonearm rebuild", or start a new library by starting once with --new-library';

/**
 * Returns a sentence that shows that audio is stored; undefined when there is none, or the storage cannot be reached.
 */
async function libraryInStorage(config: Config): Promise<string | undefined> {
  const storage = await openStorage(config);
  try {
    if (!(await storage.isUp())) return undefined; // the storage is checked again before the first write
    const isFound = (await readMark(storage)) !== undefined || (await holdsAudio(storage));
    return isFound ? `audio in ${storage.backend.title}` : undefined;
  } finally {
    storage.close?.();
  }
}

/** Gives database and folder their id, and returns what is needed to mark the storage with it. */
function identify(config: Config, db: MainDb, state: DatabaseState, isNewLibrary: boolean): OwnerOptions {
  const mark = readMarkOfFolder(config);
  const ofFolder = mark?.library_id;
  const id = libraryId(db.$client, isNewLibrary ? undefined : ofFolder);
  const write = (to: Mark): void => writeJsonFile(markFile(config), to);
  // the first start of a version that marks storages marks the configured storage as its own
  const isFromBefore = ofFolder === undefined && state.kind === 'library' && !state.isBlank;
  const backend = config.settings.STORAGE_BACKEND;
  const unmarked = isNewLibrary || isFromBefore ? { backend, takes_over: isNewLibrary } : mark?.unmarked;
  if (id !== ofFolder || unmarked !== mark?.unmarked) write({ library_id: id, ...(unmarked && { unmarked }) });
  const isUnmarked = unmarked?.backend === backend;
  return {
    libraryId: id,
    takesOver: isUnmarked && unmarked.takes_over,
    ownsUnmarkedAudio: () => (isUnmarked && !unmarked.takes_over) || hasAudioIn(db.$client, backend),
    onEarlierObjects: (storage) => skipCovers(db.$client, storage),
    onClaimed: (name) => {
      if (name === unmarked?.backend) write({ library_id: id });
    },
    now: () => new Date(),
  };
}
