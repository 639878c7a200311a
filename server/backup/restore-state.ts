// The progress of a restore into a data folder, in a file inside it. The restored library is built in a subfolder; when
// it is complete and verified, the old files are moved aside and the new ones into place, in steps that can be resumed
// after a kill.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from '../config/json-file.ts';
import { lockDataFolder } from '../db/data-lock.ts';
import { AppError, conflict } from '../errors.ts';
import { Arrival } from './arrival-wire.ts';
import { describeArrival } from './arrival.ts';
import { toSnapshotId } from './manifest.ts';
import { applyArrival } from './apply-arrival.ts';

const RESTORE_FOLDER = '.restoring';
const DATABASE_NAME = 'tonearm.db';
const LOCK_NAME = 'tonearm.lock';
/** The logs stay in place: they belong to the data folder and continue there. */
const LOGS_FOLDER = 'logs';
const ASIDE_PATTERN = /^replaced-\d{8}T\d{9}Z$/;

/** What is being restored. `name` is the place of the backup or the export, `sha256` the hash of its database. */
const Origin = z.object({ kind: z.enum(['backup', 'import']), name: z.string(), sha256: z.string() });
export type RestoreOrigin = z.output<typeof Origin>;

const State = z.object({
  snapshot: z.string(),
  /** Undefined for restores that an earlier version began. */
  origin: Origin.optional(),
  /**
   * `building`: files are being fetched · `ready`: complete and verified, waits for the next start · `aside`: the old
   * files are being moved into the folder `aside` · `in`: the new files are being moved into place.
   */
  step: z.enum(['building', 'ready', 'aside', 'in']),
  aside: z.string().regex(ASIDE_PATTERN).nullable(),
  /** The changes that the restore makes on this server, see apply-arrival.ts. */
  arrival: Arrival.optional().catch(undefined), // an earlier version wrote another shape
  isImport: z.boolean().default(false),
  isAccepted: z.boolean().default(false),
  hasKeys: z.boolean().default(false),
  settings: z.record(z.string(), z.unknown()).default({}),
  musicDir: z.string().optional(),
});
export type RestoreState = z.output<typeof State>;

export interface RestorePaths {
  data: string;
  building: string;
  /** The checked database with all accounts of the backup, before it is decided which accounts are taken. */
  takenDatabase: string;
  /** The temporary database of the listed files, which exists while they are fetched. */
  listedFilesDatabase: string;
  state: string;
}

export const restorePaths = (data: string): RestorePaths => ({
  data,
  building: join(data, RESTORE_FOLDER, 'new'),
  takenDatabase: join(data, RESTORE_FOLDER, 'taken.db'),
  listedFilesDatabase: join(data, RESTORE_FOLDER, 'listed.db'),
  state: join(data, RESTORE_FOLDER, 'state.json'),
});

export function readState({ state }: RestorePaths): RestoreState | undefined {
  return existsSync(state) ? State.safeParse(readJsonFile(state)).data : undefined;
}

export const writeState = ({ state }: RestorePaths, value: z.input<typeof State>): void => writeJsonFile(state, value);

/** Returns true while no file of the old library has been moved. */
export const isUntouched = ({ step }: RestoreState): boolean => step === 'building' || step === 'ready';

/** Throws `conflict` if a restore was interrupted while moving files: the server would start with an empty library. */
export function assertNotHalfRestored(data: string): void {
  const state = readState(restorePaths(data));
  if (state && !isUntouched(state))
    throw conflict(`A restore into ${data} was interrupted. Run the same restore again to finish it.`);
}

/**
 * Moves a restored library into place, or finishes doing so after a kill. Runs at the start, before anything in the
 * data folder is read. Returns undefined when there is nothing to do. `asideFolder` is the folder of the old library,
 * if there was one. `isConfirmationVoid` says that accounts changed after the confirmation, so that only changes that
 * need no confirmation were made.
 */
export async function finishRestore(
  data: string,
  now: () => Date,
): Promise<{ asideFolder: string | undefined; isConfirmationVoid: boolean } | undefined> {
  const paths = restorePaths(data);
  const state = readState(paths);
  if (state === undefined || state.step === 'building') return undefined;
  let isConfirmationVoid = false;
  const unlock = lockDataFolder(join(data, LOCK_NAME), data);
  try {
    if (state.step === 'ready') {
      // an earlier version prepared this restore without checking the database, so the restore has to be repeated
      if (!existsSync(paths.takenDatabase)) return await forgetRestore(paths).then(() => undefined);
      isConfirmationVoid = state.isAccepted && !isUnchanged(paths, state);
      // applied at the last moment, because accounts, passwords and sessions may have changed since the restore was
      // prepared
      applyRestoreState(paths, { ...state, isAccepted: state.isAccepted && !isConfirmationVoid }, now());
    }
    return { asideFolder: await switchOver(paths, asideName(now())), isConfirmationVoid };
  } finally {
    unlock();
  }
}

/**
 * Returns whether the accounts still differ as they did when the changes were shown: a confirmation counts only for
 * those.
 */
const isUnchanged = (
  { data, takenDatabase: database }: RestorePaths,
  { arrival, settings, isImport }: RestoreState,
): boolean => isDeepStrictEqual(describeArrival({ data, database, settings, isImport }).people, arrival?.people);

/** Makes the changes of a restore. Must be called before `switchOver`. */
export const applyRestoreState = (
  paths: RestorePaths,
  { isImport, isAccepted, hasKeys, settings, musicDir }: RestoreState,
  now: Date,
): void => applyArrival(paths, { isImport, isAccepted, hasKeys, settings, musicDir }, now);

/** Deletes a restored library that has not been moved into place. */
export const forgetRestore = ({ data }: RestorePaths): Promise<void> =>
  rm(join(data, RESTORE_FOLDER), { recursive: true, force: true });

export const asideName = (time: Date): string => `replaced-${toSnapshotId(time)}`;

/** Returns the names in the folder, without the lock, the logs and the files of restores. */
export async function contentsOfFolder(data: string): Promise<string[]> {
  return (await readdir(data)).filter(
    (name) => ![RESTORE_FOLDER, LOGS_FOLDER].includes(name) && !name.startsWith(LOCK_NAME) && !ASIDE_PATTERN.test(name),
  );
}

/**
 * Moves the old library aside and the complete restored one into place; resumes an interrupted attempt. Returns the
 * folder of the old library, if there was one.
 */
export async function switchOver(paths: RestorePaths, newAside: string): Promise<string | undefined> {
  let state = readState(paths);
  if (!state) throw new AppError('unavailable', 'The state of the restore is missing. Run it again.');
  if (isUntouched(state))
    writeState(
      paths,
      (state = { ...state, step: 'aside', aside: (await contentsOfFolder(paths.data)).length > 0 ? newAside : null }),
    );
  const asideFolder = state.aside === null ? undefined : join(paths.data, state.aside);
  if (state.step === 'aside') {
    if (asideFolder !== undefined) {
      await mkdir(asideFolder, { recursive: true });
      for (const name of sortDatabaseFirst(await contentsOfFolder(paths.data)))
        await rename(join(paths.data, name), join(asideFolder, name));
    }
    writeState(paths, { ...state, step: 'in' });
  }
  for (const name of sortDatabaseFirst(await listBuiltNames(paths)).reverse()) {
    const targetPath = join(paths.data, name);
    if (existsSync(targetPath))
      throw conflict(
        `${targetPath} was created since the restore was interrupted. Move it away and run the restore again.`,
      );
    await rename(join(paths.building, name), targetPath);
  }
  await forgetRestore(paths);
  return asideFolder;
}

/** Returns the names of restored files that are not in place yet. Empty when only the clean-up was interrupted. */
async function listBuiltNames({ building, data }: RestorePaths): Promise<string[]> {
  if (!existsSync(building) && existsSync(join(data, DATABASE_NAME))) return [];
  return readdir(building);
}

/**
 * Puts the database first: it is moved out first and moved in last, since a folder with a database counts as a library.
 */
const sortDatabaseFirst = (names: string[]): string[] => [
  ...names.filter((name) => name.startsWith(DATABASE_NAME)),
  ...names.filter((name) => !name.startsWith(DATABASE_NAME)).sort(),
];
