// A log in a folder: tonearm.log, and older ones as tonearm.1.log to tonearm.4.log. Written synchronously, so that the
// last words of a crash are in it.
import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const MAX_BYTES = 2_000_000;
const OLD_FILES = 4;

interface LogFileDeps {
  folder: string;
  maxBytes?: number;
}

export function createLogFile({ folder, maxBytes = MAX_BYTES }: LogFileDeps) {
  const pathOf = (age: number): string => join(folder, age === 0 ? 'tonearm.log' : `tonearm.${age}.log`);
  let isFolderMade = false;

  /** The data folder is not made: without it, its disk is not connected. */
  function makeFolder(): void {
    if (!isFolderMade && !existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  }

  function rotate(): void {
    for (let age = OLD_FILES; age > 0; age--) if (existsSync(pathOf(age - 1))) renameSync(pathOf(age - 1), pathOf(age));
  }

  return {
    /** Throws the system's error; the line is lost then. */
    write(line: string): void {
      makeFolder();
      const size = statSync(pathOf(0), { throwIfNoEntry: false })?.size ?? 0;
      if (size > 0 && size + Buffer.byteLength(line) > maxBytes) rotate();
      appendFileSync(pathOf(0), line, { mode: 0o600 });
      isFolderMade = true;
    },
  };
}
