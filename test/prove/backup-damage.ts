// Damages every kind of file of a backup in every way: a restore is complete, or names what is lost. In a folder and in
// a bucket, plain and encrypted.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import Database from 'better-sqlite3';
import { AppError } from '../../server/errors.ts';
import { startFakeS3 } from '../fakes/s3.ts';
import { backUpInto, checkFolder, openBackup, restoreFrom } from '../support/backup-folders.ts';
import { filesIn, rowsIn } from '../support/backups.ts';

interface Files {
  names: () => string[];
  read: (name: string) => Buffer;
  /** Writes a file; undefined removes it. */
  write: (name: string, bytes: Buffer | undefined) => void;
}
interface Place {
  title: string;
  location: string;
  env: Record<string, string | undefined>;
  files: Files;
  close: () => Promise<void>;
}

const FILE_KINDS = {
  header: /^backup\.json$/,
  'copy of the header': /^copies\/backup\.json$/,
  'newest snapshot': /^snapshots\//,
  'copy of the newest snapshot': /^copies\/2/,
  index: /^index\//,
  pack: /^packs\//,
  checks: /^checks$/,
} as const;
type Kind = keyof typeof FILE_KINDS;

/**
 * Functions that damage a file. `others` are files of the same kind, `older` are earlier versions of the file or of its
 * kind, from before the last backup.
 */
const DAMAGE_KINDS: Record<
  string,
  (files: Files, name: string, others: string[], older: Map<string, Buffer>) => boolean
> = {
  missing: (files, name) => writeFile(files, name, undefined),
  emptied: (files, name) => writeFile(files, name, Buffer.alloc(0)),
  flipped: (files, name) => {
    const bytes = Buffer.from(files.read(name));
    if (bytes.length === 0) return false;
    bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
    return writeFile(files, name, bytes);
  },
  cut: (files, name) => writeFile(files, name, files.read(name).subarray(0, files.read(name).length >> 1)),
  swapped: (files, name, [otherName]) => {
    if (otherName === undefined) return false;
    const [ownBytes, otherBytes] = [files.read(name), files.read(otherName)];
    writeFile(files, name, otherBytes);
    return writeFile(files, otherName, ownBytes);
  },
  older: (files, name, others, older) => {
    const earlierBytes = [name, ...others]
      .map((candidate) => older.get(candidate))
      .find((bytes) => bytes && !bytes.equals(files.read(name)));
    return earlierBytes !== undefined && writeFile(files, name, earlierBytes);
  },
  'with a copy of a sync tool beside it': (files, name) =>
    writeFile(files, `${name} (conflicted copy 2026-11-27)`, files.read(name)) &&
    writeFile(files, `${name}~1[2]?`, Buffer.from('x')),
  'renamed by a sync tool': (files, name) =>
    writeFile(files, `${name} (1)`, files.read(name)) && writeFile(files, name, undefined),
};

function writeFile(files: Files, name: string, bytes: Buffer | undefined): true {
  files.write(name, bytes);
  return true;
}

function inFolder(folder: string): Files {
  return {
    names: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
        .sort(),
    read: (name) => readFileSync(join(folder, name)),
    write(name, bytes) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      if (bytes === undefined) rmSync(join(folder, name), { force: true });
      else writeFileSync(join(folder, name), bytes);
    },
  };
}

async function placeIn(base: string, kind: 'folder' | 's3'): Promise<Place> {
  if (kind === 'folder') {
    const folder = join(base, `damage-${kind}`);
    mkdirSync(folder, { recursive: true });
    const close = (): Promise<void> => Promise.resolve(rmSync(folder, { recursive: true, force: true }));
    return { title: 'folder', location: folder, env: {}, files: inFolder(folder), close };
  }
  const store = await startFakeS3();
  const BACKUP_PREFIX = 'backups/';
  const files: Files = {
    names: () =>
      [...store.objects.keys()]
        .filter((key) => key.startsWith(BACKUP_PREFIX))
        .map((key) => key.slice(BACKUP_PREFIX.length))
        .sort(),
    read: (name) => store.objects.get(BACKUP_PREFIX + name)?.bytes ?? Buffer.alloc(0),
    write(name, bytes) {
      if (bytes === undefined) store.objects.delete(BACKUP_PREFIX + name);
      else store.putObject(BACKUP_PREFIX + name, bytes);
    },
  };
  return { title: 'bucket', location: 's3', env: store.backupSettings, files, close: () => store.close() };
}

interface Case {
  base: string;
  library: string;
  passphrase: string | undefined;
}

/** Damages the backup, and returns the faults that are found afterwards. `library` is a data folder. */
export async function damageBackups(kind: 'folder' | 's3', { base, library, passphrase }: Case): Promise<string[]> {
  const target = await placeIn(base, kind);
  const { location, env, files } = target;
  const options = { passphrase, env };
  const [tmp, restoredDir] = [join(base, 'damage-tmp'), join(base, 'damage-restored')];
  const faults: string[] = [];
  let caseCount = 0;
  try {
    await backUpInto(await openBackup(location, { ...options, isNew: true }), library, tmp);
    const older = new Map(files.names().map((name) => [name, files.read(name)]));
    changeOneRow(library);
    await backUpInto(await openBackup(location, options), library, tmp);
    const originalFiles = new Map(files.names().map((name) => [name, files.read(name)]));
    for (const [fileKind, pattern] of Object.entries(FILE_KINDS) as [Kind, RegExp][]) {
      const matches = files.names().filter((name) => pattern.test(name));
      const name = matches.at(-1);
      if (name === undefined) continue;
      for (const [damage, spoil] of Object.entries(DAMAGE_KINDS)) {
        if (!spoil(files, name, matches.slice(0, -1), older)) continue;
        caseCount++;
        const fault = await restoreFault();
        if (fault)
          faults.push(`${target.title}, ${passphrase ? 'encrypted' : 'plain'}, ${fileKind} ${damage}: ${fault}`);
        for (const name of files.names()) if (!originalFiles.has(name)) files.write(name, undefined);
        for (const [name, bytes] of originalFiles) files.write(name, bytes);
      }
    }
    console.log(`${target.title}, ${passphrase ? 'encrypted' : 'plain'}: ${caseCount} cases, ${faults.length} faults`);
    return faults;
  } finally {
    await target.close();
  }

  /** Returns whether a check repairs the damage while the library exists. */
  async function isMended(): Promise<boolean> {
    await checkFolder(await openBackup(location, options), library, tmp);
    rmSync(restoredDir, { recursive: true, force: true });
    await restoreFrom(await openBackup(location, options), restoredDir);
    return isWhole(library, restoredDir);
  }

  /** Returns undefined if everything was restored, or if the lost files are named and all others were restored. */
  async function restoreFault(): Promise<string | undefined> {
    const tryRestore = async (skipDamaged: boolean) => {
      rmSync(restoredDir, { recursive: true, force: true });
      return restoreFrom(await openBackup(location, options), restoredDir, { skipDamaged });
    };
    try {
      const result = await tryRestore(false);
      if (result.lost.length > 0) return undefined;
      return isWhole(library, restoredDir) ? undefined : 'restored without a word, and something is missing';
    } catch (error) {
      if (!(error instanceof AppError)) return `failed with ${String(error)}`;
      if (error.message.startsWith(NO_DATABASE)) return (await isMended()) ? undefined : 'the check mends no database';
      if (!NAMED_CAUSE.test(error.message)) return `says only: ${error.message}`;
      try {
        const { lost } = await tryRestore(true);
        return lost.length > 0 && lost.length < MOST_LOST
          ? undefined
          : `with --skip-damaged ${lost.length} files are lost`;
      } catch (secondError) {
        return `says “${error.message}”, and with --skip-damaged: ${String(secondError)}`;
      }
    }
  }
}

/** The number of files that one lost pack may cost at most: one pack contains a large part of a small library. */
const MOST_LOST = 200;
const NO_DATABASE = 'The database is damaged';
const NAMED_CAUSE = /\d+ files|snapshot \d|backup\.json|\d{8}T\d{9}Z|[0-9a-f]{16}/;

function changeOneRow(library: string): void {
  const db = new Database(join(library, 'tonearm.db'));
  db.prepare(
    "UPDATE tracks SET updated_at = updated_at + 1, comment = coalesce(comment, '') || '.' WHERE id = 1",
  ).run();
  db.close();
}

const isWhole = (library: string, restoredDir: string): boolean =>
  existsSync(join(restoredDir, 'tonearm.db')) &&
  JSON.stringify(rowsIn(restoredDir)) === JSON.stringify(rowsIn(library)) &&
  JSON.stringify(filesIn(join(restoredDir, 'library'))) === JSON.stringify(filesIn(join(library, 'library')));
