// Writes lyrics as `.lrc` beside the audio file. A file that somebody else wrote is left alone; ours says so in its
// first line, which players ignore.
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname, extname, join } from 'node:path';
import { formatLrc } from '../media/lrc-format.ts';
import type { LyricsLine } from '../media/types.ts';

const OURS = '[re:Tonearm]';

/** Whether the file is there now. Throws the file system's errors. */
export async function writeLyricsFile(audioPath: string, lines: readonly LyricsLine[]): Promise<boolean> {
  const path = pathOf(audioPath);
  const there = await readIfThere(path);
  if (there !== undefined && !there.startsWith(OURS)) return false;
  const temporary = join(dirname(path), `.${randomUUID()}.tmp`);
  try {
    await writeFile(temporary, `${OURS}\n${formatLrc(lines)}\n`, { flag: 'wx' });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  return true;
}

/** Whether there was a file of ours, which is gone now. Throws the file system's errors. */
export async function removeLyricsFile(audioPath: string): Promise<boolean> {
  const path = pathOf(audioPath);
  if ((await readIfThere(path))?.startsWith(OURS) !== true) return false;
  await rm(path, { force: true });
  return true;
}

const pathOf = (audioPath: string): string => `${audioPath.slice(0, audioPath.length - extname(audioPath).length)}.lrc`;

const readIfThere = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
