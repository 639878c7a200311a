// The files that a backup or an export lists. Only those are written that have a place and a kind that the product
// writes, and that a row of the taken database names. They are kept in a temporary database, as they may be millions.
import Database from 'better-sqlite3';
import { AppError } from '../errors.ts';
import { AUDIO_EXTENSIONS } from '../media/audio-formats.ts';
import { audioKey } from '../storage/local-paths.ts';
import { isCoverKey } from './column-rules.ts';
import { contentsOf } from './contents.ts';
import type { FileLine } from './manifest.ts';
import { isPathInside } from '../storage/file-names.ts';

const MAX_FILES = 10_000_000;

export type ListedFiles = ReturnType<typeof createListedFiles>;

/** `path` is that of the temporary database. */
export function createListedFiles(path: string) {
  const db = new Database(path);
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  db.exec(
    'DROP TABLE IF EXISTS files; CREATE TABLE files (kind TEXT NOT NULL, place TEXT NOT NULL, hash TEXT, ' +
      'size INTEGER, is_named INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (kind, place)) WITHOUT ROWID; BEGIN',
  );
  const insert = db.prepare('INSERT OR IGNORE INTO files (kind, place, hash, size) VALUES (?, ?, ?, ?)');
  const name = db.prepare("UPDATE files SET is_named = 1 WHERE kind = ? AND place = ? AND (kind = 'own' OR hash = ?)");
  const find = db
    .prepare<[string, string, string | null], number>(
      'SELECT is_named FROM files WHERE kind = ? AND place = ? AND hash IS ?',
    )
    .pluck();
  const sum = db.prepare<[string], number>('SELECT total(size) FROM files WHERE kind = ? AND is_named = 1').pluck();
  let count = 0;

  return {
    /** Throws `unavailable` for a file that may not be written. */
    add(line: FileLine): void {
      assertAllowed(line);
      if (++count > MAX_FILES) throw refused(`more than ${MAX_FILES} files`);
      const isInBackup = line.kind === 'stored' ? line.isAbsent !== true : line.isCopied;
      insert.run(line.kind, placeOf(line), line.hash, isInBackup ? line.size : 0);
    },

    /** Notes which of them the rows of a library name. */
    async nameBy(database: string): Promise<void> {
      for await (const content of contentsOf(database))
        name.run(content.kind, content.kind === 'own' ? content.path : content.key, content.hash);
    },

    /** Also false for a place that another file was listed for. */
    isNamed: (line: FileLine): boolean => find.get(line.kind, placeOf(line), line.hash) === 1,

    /** Of those that are named and in the backup. */
    bytes: (kind: FileLine['kind']): number => sum.get(kind) ?? 0,

    close: (): void => void db.close(),
  };
}

const placeOf = (line: FileLine): string => (line.kind === 'own' ? line.path : line.key);

const refused = (what: string): AppError => new AppError('unavailable', `The list of files names ${what}.`);

/** Audio is named by its content; beside it there are only pictures. In music folders there is only audio. */
function assertAllowed(line: FileLine): void {
  const place = placeOf(line);
  const extension = place.slice(place.lastIndexOf('.') + 1);
  if (line.kind === 'stored') {
    if (place === audioKey(line.hash, extension) || isCoverKey(place)) return;
    throw refused(`${JSON.stringify(place)}, which is no place of audio or covers`);
  }
  if (!isPathInside(place)) throw refused(`${JSON.stringify(place)}, which is no path below a music folder`);
  if (line.isCopied && !AUDIO_EXTENSIONS.has(extension.toLowerCase()))
    throw refused(`${JSON.stringify(place)}, which is no audio file`);
}
