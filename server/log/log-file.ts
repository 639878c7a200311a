// A log in a folder: tonearm.log, and older ones as tonearm.1.log to tonearm.4.log. Written synchronously, so that the
// last words of a crash are in it.
import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const MAX_BYTES = 2_000_000;
const OLD_FILES = 4;

interface LogFileDeps {
  folder: string;
  maxBytes?: number;
  /** Called once for each time that the file becomes impossible to write; lines are dropped until it is possible. */
  onFault: (error: unknown) => void;
}

export function createLogFile({ folder, maxBytes = MAX_BYTES, onFault }: LogFileDeps) {
  const pathOf = (age: number): string => join(folder, age === 0 ? 'tonearm.log' : `tonearm.${age}.log`);
  let isFolderMade = false;
  let isFailing = false;

  /** The data folder is not made: without it, its disk is not connected. */
  function makeFolder(): void {
    if (!isFolderMade && !existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  }

  function rotate(): void {
    for (let age = OLD_FILES; age > 0; age--) if (existsSync(pathOf(age - 1))) renameSync(pathOf(age - 1), pathOf(age));
  }

  return {
    /** Never throws: a full disk must not end the server. */
    write(line: string): void {
      try {
        makeFolder();
        const size = statSync(pathOf(0), { throwIfNoEntry: false })?.size ?? 0;
        if (size > 0 && size + Buffer.byteLength(line) > maxBytes) rotate();
        appendFileSync(pathOf(0), line, { mode: 0o600 });
        isFolderMade = true;
        isFailing = false;
      } catch (error) {
        const wasFailing = isFailing;
        isFailing = true;
        if (!wasFailing) onFault(error);
      }
    },
  };
}
