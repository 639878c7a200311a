// The files that a backup or an export lists. A file is written only if its place and kind are ones that this server
// writes, too, and if a row of the restored database names it. The list is stored in a temporary database, since it may
// have millions of files.
import Database from 'better-sqlite3';
import { AppError } from '../errors.ts';
import { AUDIO_EXTENSIONS } from '../media/audio-formats.ts';
import { audioKey } from '../storage/local-paths.ts';
import { isCoverKey } from './column-rules.ts';
import { listLibraryFiles } from './library-files.ts';
import type { FileLine } from './manifest.ts';
import { isPathInside } from '../storage/file-names.ts';

const MAX_FILES = 10_000_000;

export type ListedFiles = ReturnType<typeof createListedFiles>;

/** `path` is where the temporary database is created. */
export function createListedFiles(path: string) {
  const db = new Database(path);
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  db.exec(
    'DROP TABLE IF EXISTS files; CREATE TABLE files (kind TEXT NOT NULL, place TEXT NOT NULL, hash TEXT, ' +
      'size INTEGER, is_named INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (kind, place)) WITHOUT ROWID; BEGIN',
  );
  const insert = db.prepare('INSERT OR IGNORE INTO files (kind, place, hash, size) VALUES (?, ?, ?, ?)');
  const markNamed = db.prepare(
    "UPDATE files SET is_named = 1 WHERE kind = ? AND place = ? AND (kind = 'own' OR hash = ?)",
  );
  const findNamed = db
    .prepare<[string, string, string | null], number>(
      'SELECT is_named FROM files WHERE kind = ? AND place = ? AND hash IS ?',
    )
    .pluck();
  const sumBytes = db
    .prepare<[string], number>('SELECT total(size) FROM files WHERE kind = ? AND is_named = 1')
    .pluck();
  let count = 0;

  return {
    /** Adds a file. Throws `unavailable` for a file that may not be written. */
    add(line: FileLine): void {
      assertAllowed(line);
      if (++count > MAX_FILES) throw refusalError(`more than ${MAX_FILES} files`);
      const isInBackup = line.kind === 'stored' ? line.isAbsent !== true : line.isCopied;
      insert.run(line.kind, placeOf(line), line.hash, isInBackup ? line.size : 0);
    },

    /** Marks the files to which rows of a library's database refer. */
    async markNamedBy(database: string): Promise<void> {
      for await (const file of listLibraryFiles(database))
        markNamed.run(file.kind, file.kind === 'own' ? file.path : file.key, file.hash);
    },

    /** Returns whether a row names the file. False also if another file was listed for the same place. */
    isNamed: (line: FileLine): boolean => findNamed.get(line.kind, placeOf(line), line.hash) === 1,

    /** Returns the total size of the files that are named by rows and are in the backup. */
    countBytes: (kind: FileLine['kind']): number => sumBytes.get(kind) ?? 0,

    close: (): void => void db.close(),
  };
}

const placeOf = (line: FileLine): string => (line.kind === 'own' ? line.path : line.key);

const refusalError = (problem: string): AppError => new AppError('unavailable', `The list of files names ${problem}.`);

/** Throws unless the file is allowed: stored audio (named by its hash) or pictures, or audio in a music folder. */
function assertAllowed(line: FileLine): void {
  const place = placeOf(line);
  const extension = place.slice(place.lastIndexOf('.') + 1);
  if (line.kind === 'stored') {
    if (place === audioKey(line.hash, extension) || isCoverKey(place)) return;
    throw refusalError(`${JSON.stringify(place)}, which is no place of audio or covers`);
  }
  if (!isPathInside(place)) throw refusalError(`${JSON.stringify(place)}, which is no path below a music folder`);
  if (line.isCopied && !AUDIO_EXTENSIONS.has(extension.toLowerCase()))
    throw refusalError(`${JSON.stringify(place)}, which is no audio file`);
}
