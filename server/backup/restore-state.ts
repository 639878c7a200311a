// How far a restore into a data folder has come, in a file inside it. Everything is built in a folder beside the library that may be there;
// once it is whole and checked, the old things are moved aside and the new ones in, step by step, and a kill between two steps is gone on from.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from '../config/json-file.ts';
import { AppError, conflict } from '../errors.ts';

const FOLDER = '.restoring';
const DATABASE = 'tonearm.db';
const LOCK = 'tonearm.lock';
const ASIDE = /^replaced-\d{8}T\d{9}Z$/;

const State = z.object({
  snapshot: z.string(),
  /** `aside`: what was there goes into the folder `aside` · `in`: what was restored takes its place. */
  step: z.enum(['building', 'aside', 'in']),
  aside: z.string().regex(ASIDE).nullable(),
});
export type RestoreState = z.output<typeof State>;

export interface RestorePaths { data: string; building: string; state: string }

export const restorePaths = (data: string): RestorePaths => ({ data, building: join(data, FOLDER, 'new'), state: join(data, FOLDER, 'state.json') });

export function readState({ state }: RestorePaths): RestoreState | undefined {
  return existsSync(state) ? State.safeParse(readJsonFile(state)).data : undefined;
}

export const writeState = ({ state }: RestorePaths, value: RestoreState): void => writeJsonFile(state, value);

/** Throws when a restore was broken off while it put things into their place: a library would begin empty there. */
export function assertNotHalfRestored(data: string): void {
  const state = readState(restorePaths(data));
  if (state && state.step !== 'building') throw conflict(`A restore into ${data} was broken off. Run the same restore again to finish it.`);
}

/** What lies in the folder besides our own. */
export async function contentsOfFolder(data: string): Promise<string[]> {
  return (await readdir(data)).filter((name) => name !== FOLDER && !name.startsWith(LOCK) && !ASIDE.test(name));
}

/** From a restore that is built whole to one that is done. Begins where an earlier try ended. Where the old library is now, if there was one. */
export async function switchOver(paths: RestorePaths, asideName: string): Promise<string | undefined> {
  let state = readState(paths);
  if (!state) throw new AppError('unavailable', 'The restore has lost its place. Run it again.');
  if (state.step === 'building') writeState(paths, state = { ...state, step: 'aside', aside: (await contentsOfFolder(paths.data)).length > 0 ? asideName : null });
  const aside = state.aside === null ? undefined : join(paths.data, state.aside);
  if (state.step === 'aside') {
    if (aside !== undefined) {
      await mkdir(aside, { recursive: true });
      for (const name of databaseFirst(await contentsOfFolder(paths.data))) await rename(join(paths.data, name), join(aside, name));
    }
    writeState(paths, { ...state, step: 'in' });
  }
  for (const name of databaseFirst(await readdir(paths.building)).reverse()) {
    const place = join(paths.data, name);
    if (existsSync(place)) throw conflict(`${place} has come into being since the restore was broken off. Move it away and run the restore again.`);
    await rename(join(paths.building, name), place);
  }
  await rm(join(paths.data, FOLDER), { recursive: true, force: true });
  return aside;
}

/** The database goes first and comes last: with it a folder counts as a library. */
const databaseFirst = (names: string[]): string[] => [...names.filter((name) => name.startsWith(DATABASE)), ...names.filter((name) => !name.startsWith(DATABASE)).sort()];
