// How far a restore into a data folder has come, in a file inside it. Everything is built in a folder beside the
// library that may be there; once it is whole and checked, the old things are moved aside and the new ones in, step by
// step, and a kill between two steps is gone on from.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from '../config/json-file.ts';
import { lockDataFolder } from '../db/data-lock.ts';
import { AppError, conflict } from '../errors.ts';
import { toSnapshotId } from './manifest.ts';

const FOLDER = '.restoring';
const DATABASE = 'tonearm.db';
const LOCK = 'tonearm.lock';
const ASIDE = /^replaced-\d{8}T\d{9}Z$/;

const State = z.object({
  snapshot: z.string(),
  /**
   * `ready`: whole and checked, and the next start puts it into its place · `aside`: what was there goes into the
   * folder `aside` · `in`: what was restored takes its place.
   */
  step: z.enum(['building', 'ready', 'aside', 'in']),
  aside: z.string().regex(ASIDE).nullable(),
});
export type RestoreState = z.output<typeof State>;

export interface RestorePaths {
  data: string;
  building: string;
  state: string;
}

export const restorePaths = (data: string): RestorePaths => ({
  data,
  building: join(data, FOLDER, 'new'),
  state: join(data, FOLDER, 'state.json'),
});

export function readState({ state }: RestorePaths): RestoreState | undefined {
  return existsSync(state) ? State.safeParse(readJsonFile(state)).data : undefined;
}

export const writeState = ({ state }: RestorePaths, value: RestoreState): void => writeJsonFile(state, value);

/** Nothing of the library that is there was touched yet. */
export const isUntouched = ({ step }: RestoreState): boolean => step === 'building' || step === 'ready';

/** Throws when a restore was broken off while it put things into their place: a library would begin empty there. */
export function assertNotHalfRestored(data: string): void {
  const state = readState(restorePaths(data));
  if (state && !isUntouched(state))
    throw conflict(`A restore into ${data} was broken off. Run the same restore again to finish it.`);
}

/**
 * For a start, before anything is read of the folder: puts what a running server restored into its place, and ends what
 * a kill broke off while it did. Where the old library is then; undefined when there was nothing to do.
 */
export async function finishRestore(data: string, now: () => Date): Promise<string | undefined> {
  const paths = restorePaths(data);
  if ((readState(paths)?.step ?? 'building') === 'building') return undefined;
  const unlock = lockDataFolder(join(data, LOCK), data);
  try {
    return await switchOver(paths, asideName(now()));
  } finally {
    unlock();
  }
}

/** What was restored but is not in its place yet is given up. */
export const forgetRestore = ({ data }: RestorePaths): Promise<void> =>
  rm(join(data, FOLDER), { recursive: true, force: true });

export const asideName = (at: Date): string => `replaced-${toSnapshotId(at)}`;

/** What lies in the folder besides our own. */
export async function contentsOfFolder(data: string): Promise<string[]> {
  return (await readdir(data)).filter((name) => name !== FOLDER && !name.startsWith(LOCK) && !ASIDE.test(name));
}

/**
 * From a restore that is built whole to one that is done. Begins where an earlier try ended. Where the old library is
 * now, if there was one.
 */
export async function switchOver(paths: RestorePaths, newAside: string): Promise<string | undefined> {
  let state = readState(paths);
  if (!state) throw new AppError('unavailable', 'The restore has lost its place. Run it again.');
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
      throw conflict(
        `${place} has come into being since the restore was broken off. Move it away and run the restore again.`,
      );
    await rename(join(paths.building, name), place);
  }
  await forgetRestore(paths);
  return aside;
}

/** None when the tidying up at the very end was broken off. */
async function builtThings({ building, data }: RestorePaths): Promise<string[]> {
  if (!existsSync(building) && existsSync(join(data, DATABASE))) return [];
  return readdir(building);
}

/** The database goes first and comes last: with it a folder counts as a library. */
const databaseFirst = (names: string[]): string[] => [
  ...names.filter((name) => name.startsWith(DATABASE)),
  ...names.filter((name) => !name.startsWith(DATABASE)).sort(),
];
