// Writes the log to files in a folder: tonearm.log, and older ones as tonearm.1.log to tonearm.4.log. Writes are
// synchronous, so that the last lines before a crash are in the file.
import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const MAX_BYTES = 2_000_000;
const MAX_OLD_FILES = 4;

interface LogFileDeps {
  folder: string;
  maxBytes?: number;
}

export function createLogFile({ folder, maxBytes = MAX_BYTES }: LogFileDeps) {
  const pathOf = (age: number): string => join(folder, age === 0 ? 'tonearm.log' : `tonearm.${age}.log`);
  let isFolderMade = false;

  /** Creates the folder, but not the data folder around it, which is missing when its disk is not connected. */
  function makeFolder(): void {
    if (!isFolderMade && !existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  }

  function rotate(): void {
    for (let age = MAX_OLD_FILES; age > 0; age--)
      if (existsSync(pathOf(age - 1))) renameSync(pathOf(age - 1), pathOf(age));
  }

  return {
    /** Writes a line. Throws the system's error; the line is then lost. */
    write(line: string): void {
      makeFolder();
      const size = statSync(pathOf(0), { throwIfNoEntry: false })?.size ?? 0;
      if (size > 0 && size + Buffer.byteLength(line) > maxBytes) rotate();
      appendFileSync(pathOf(0), line, { mode: 0o600 });
      isFolderMade = true;
    },
  };
}
