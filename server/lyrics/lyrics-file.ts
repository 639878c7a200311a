// Writes lyrics as `.lrc` beside the audio file. A file that somebody else wrote is left alone; files that Tonearm
// wrote say so in their first line, which players ignore.
import { rename, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname, extname, join } from 'node:path';
import { formatLrc } from '../media/lrc-format.ts';
import type { LyricsLine } from '../media/types.ts';
import { readPlainFile } from '../runtime/plain-files.ts';

const OWN_FILE_MARK = '[re:Tonearm]';

/**
 * Writes the lyrics, unless somebody else's file is there. Returns whether the lyrics were written. Throws the file
 * system's errors.
 */
export async function writeLyricsFile(audioPath: string, lines: readonly LyricsLine[]): Promise<boolean> {
  const path = pathOf(audioPath);
  if ((await isOwnFile(path)) === false) return false;
  const temporary = join(dirname(path), `.${randomUUID()}.tmp`);
  try {
    await writeFile(temporary, `${OWN_FILE_MARK}\n${formatLrc(lines)}\n`, { flag: 'wx' });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  return true;
}

/** Deletes a file that Tonearm wrote; returns whether there was one. Throws the file system's errors. */
export async function removeLyricsFile(audioPath: string): Promise<boolean> {
  const path = pathOf(audioPath);
  if ((await isOwnFile(path)) !== true) return false;
  await rm(path, { force: true });
  return true;
}

const pathOf = (audioPath: string): string => `${audioPath.slice(0, audioPath.length - extname(audioPath).length)}.lrc`;

/** Returns whether Tonearm wrote the file; undefined when there is no file. */
const isOwnFile = (path: string): Promise<boolean | undefined> =>
  readPlainFile(path, OWN_FILE_MARK.length).then(
    (start) => start.toString('latin1') === OWN_FILE_MARK,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    },
  );
