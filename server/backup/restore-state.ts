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
import { arrivalOf } from './arrival.ts';
import { toSnapshotId } from './manifest.ts';
import { settleArrival } from './settled-arrival.ts';

const FOLDER = '.restoring';
const DATABASE = 'tonearm.db';
const LOCK = 'tonearm.lock';
/** Stay: they are about the data folder, and the log goes on in them. */
const LOGS = 'logs';
const ASIDE = /^replaced-\d{8}T\d{9}Z$/;

/** `name` is where the backup or the export is, `sha256` the hash of its database. */
const Origin = z.object({ kind: z.enum(['backup', 'import']), name: z.string(), sha256: z.string() });
export type RestoreOrigin = z.output<typeof Origin>;

const State = z.object({
  snapshot: z.string(),
  /** Absent in restores of earlier versions. */
  origin: Origin.optional(),
  /**
   * `ready`: complete and verified, waits for the next start · `aside`: the old files are being moved into the folder
   * `aside` · `in`: the new ones are being moved into place.
   */
  step: z.enum(['building', 'ready', 'aside', 'in']),
  aside: z.string().regex(ASIDE).nullable(),
  /** What it would change here, and what is done about it: settled-arrival.ts. */
  arrival: Arrival.optional().catch(undefined), // of an earlier version, it has another shape
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
  /** The database with what was taken, before it is settled what of its accounts comes. */
  taken: string;
  /** The files that it lists, while they are fetched. */
  listed: string;
  state: string;
}

export const restorePaths = (data: string): RestorePaths => ({
  data,
  building: join(data, FOLDER, 'new'),
  taken: join(data, FOLDER, 'taken.db'),
  listed: join(data, FOLDER, 'listed.db'),
  state: join(data, FOLDER, 'state.json'),
});

export function readState({ state }: RestorePaths): RestoreState | undefined {
  return existsSync(state) ? State.safeParse(readJsonFile(state)).data : undefined;
}

export const writeState = ({ state }: RestorePaths, value: z.input<typeof State>): void => writeJsonFile(state, value);

/** No file of the old library has been moved yet. */
export const isUntouched = ({ step }: RestoreState): boolean => step === 'building' || step === 'ready';

/** Throws `conflict` if a restore was interrupted while moving files: the server would start with an empty library. */
export function assertNotHalfRestored(data: string): void {
  const state = readState(restorePaths(data));
  if (state && !isUntouched(state))
    throw conflict(`A restore into ${data} was interrupted. Run the same restore again to finish it.`);
}

/**
 * Runs at the start, before anything in the data folder is read: moves a restored library into place, or finishes doing
 * so after a kill. Returns undefined when there was nothing to do. `aside`: the folder of the old library, if there was
 * one. `isYesVoid`: accounts changed after somebody said yes, so nothing that was asked for was taken.
 */
export async function finishRestore(
  data: string,
  now: () => Date,
): Promise<{ aside: string | undefined; isYesVoid: boolean } | undefined> {
  const paths = restorePaths(data);
  const state = readState(paths);
  if (state === undefined || state.step === 'building') return undefined;
  let isYesVoid = false;
  const unlock = lockDataFolder(join(data, LOCK), data);
  try {
    if (state.step === 'ready') {
      // of an earlier version, which did not judge what it took: it has to be restored again
      if (!existsSync(paths.taken)) return await forgetRestore(paths).then(() => undefined);
      isYesVoid = state.isAccepted && !isAsShown(paths, state);
      // now: accounts, passwords and sessions may have changed since
      settle(paths, { ...state, isAccepted: state.isAccepted && !isYesVoid }, now());
    }
    return { aside: await switchOver(paths, asideName(now())), isYesVoid };
  } finally {
    unlock();
  }
}

/** A yes is for the differences of accounts that were shown. */
const isAsShown = ({ data, taken: database }: RestorePaths, { arrival, settings, isImport }: RestoreState): boolean =>
  isDeepStrictEqual(arrivalOf({ data, database, settings, isImport }).people, arrival?.people);

/** Before `switchOver`. */
export const settle = (
  paths: RestorePaths,
  { isImport, isAccepted, hasKeys, settings, musicDir }: RestoreState,
  at: Date,
): void => settleArrival(paths, { isImport, isAccepted, hasKeys, settings, musicDir }, at);

/** Deletes a restored library that is not in place yet. */
export const forgetRestore = ({ data }: RestorePaths): Promise<void> =>
  rm(join(data, FOLDER), { recursive: true, force: true });

export const asideName = (at: Date): string => `replaced-${toSnapshotId(at)}`;

/** Names in the folder, without the lock, the logs and the files of restores. */
export async function contentsOfFolder(data: string): Promise<string[]> {
  return (await readdir(data)).filter(
    (name) => ![FOLDER, LOGS].includes(name) && !name.startsWith(LOCK) && !ASIDE.test(name),
  );
}

/**
 * Moves the old library aside and the complete restored one into place; resumes an interrupted attempt. Returns the
 * folder of the old library, if there was one.
 */
export async function switchOver(paths: RestorePaths, newAside: string): Promise<string | undefined> {
  let state = readState(paths);
  if (!state) throw new AppError('unavailable', 'The state of the restore is gone. Run it again.');
  if (isUntouched(state))
    writeState(
      paths,
      (state = { ...state, step: 'aside', aside: (await contentsOfFolder(paths.data)).length > 0 ? newAside : null }),
    );
  const aside = state.aside === null ? undefined : join(paths.data, state.aside);
  if (state.step === 'aside') {
    if (aside !== undefined) {
      await mkdir(aside, { recursive: true });
      for (const name of databaseFirst(await contentsOfFolder(paths.data)))
        await rename(join(paths.data, name), join(aside, name));
    }
    writeState(paths, { ...state, step: 'in' });
  }
  for (const name of databaseFirst(await builtThings(paths)).reverse()) {
    const place = join(paths.data, name);
    if (existsSync(place))
      throw conflict(`${place} was created since the restore was interrupted. Move it away and run the restore again.`);
    await rename(join(paths.building, name), place);
  }
  await forgetRestore(paths);
  return aside;
}

/** Empty when everything is in place and only the clean-up was interrupted. */
async function builtThings({ building, data }: RestorePaths): Promise<string[]> {
  if (!existsSync(building) && existsSync(join(data, DATABASE))) return [];
  return readdir(building);
}

/** The database is moved out first and moved in last, since a folder with a database counts as a library. */
const databaseFirst = (names: string[]): string[] => [
  ...names.filter((name) => name.startsWith(DATABASE)),
  ...names.filter((name) => !name.startsWith(DATABASE)).sort(),
];
