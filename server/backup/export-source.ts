// Reads an export as a restore reads a backup: `tonearm import` makes a library of it.
import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { z } from 'zod';
import { AppError, notFound } from '../errors.ts';
import { openPlainFile, readPlainFile } from '../runtime/plain-files.ts';
import { parseLimitedJson, TEXT_LIMITS } from '../runtime/text-limits.ts';
import { isAbsent } from '../storage/file-errors.ts';
import { DamagedObject } from './encryption.ts';
import { FileLine, Manifest, type StoredLine } from './manifest.ts';
import { verifyHash } from './object-source.ts';
import type { Repository } from './repository.ts';

/** The file that is written last: if it exists, the export is complete. */
export const MANIFEST_PATH = join('data', 'export.json');
export const FILES_PATH = join('data', 'files.json');
export const DATABASE_PATH = join('data', 'library.db');

export const ExportManifest = Manifest.extend({
  tonearm_export: z.literal(1),
  /** The database is always one file; only in backups of the first format was it stored in pieces. */
  database: z.strictObject({ size: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
});
export type ExportManifest = z.output<typeof ExportManifest>;

const { manifest: MANIFEST_LIMITS, line: LINE_LIMITS } = TEXT_LIMITS.backup;
/** A few paths are enough, because a restore looks a path up soon after reading its line. */
const MAX_REMEMBERED_PATHS = 1_000;

/** A row of files.json; `path` is the path of the file in the export. */
export type ExportLine = StoredLine & { path?: string };
const ExportLine = FileLine.and(z.object({ path: z.string().max(32_768).optional() }));

/** The parts of a repository that a restore needs; an export has them, too. */
export type RestoreSource = Pick<Repository, 'name' | 'snapshotIds' | 'readSnapshot' | 'readFiles' | 'read'> & {
  /** The target of a backup, for which a restore takes a lease; undefined for an export. */
  target?: Repository['target'];
  countUnlistedPacks?: Repository['countUnlistedPacks'];
  isEncrypted?: boolean;
  /** True for an export, which has no passwords, no keys, no settings and only one snapshot. */
  isExport?: boolean;
};

/**
 * Opens an export. Throws `not_found` when the folder contains no complete export. Anybody may have made the export:
 * nothing outside its folder is read, and its keys and settings are ignored.
 */
export async function openExport(folder: string): Promise<RestoreSource> {
  const manifest = { ...(await readManifest(folder)), keys: null, settings: {} };
  const database = { path: DATABASE_PATH, size: manifest.database.size };
  const files = new Map<string, { path: string; size: number | null }>();

  async function* readFiles(): AsyncGenerator<FileLine> {
    const hasher = createHash('sha256');
    for await (const line of readLines(folder, (chunk) => hasher.update(chunk))) {
      if (line.path !== undefined) {
        files.delete(line.hash);
        files.set(line.hash, { path: line.path, size: line.size });
        const [oldest = ''] = files.keys();
        if (files.size > MAX_REMEMBERED_PATHS) files.delete(oldest);
      }
      yield line;
    }
    if (hasher.digest('hex') !== manifest.lists[0]?.sha256) throw new DamagedObject('it does not match its hash');
  }

  async function* read(hash: string): AsyncGenerator<Buffer> {
    const file = hash === manifest.database.sha256 ? database : files.get(hash);
    if (!file) throw notFound('file of the export');
    const { path, size } = await locateFile(folder, file.path);
    if (file.size !== null && size !== file.size) throw new DamagedObject('it has another size');
    yield* verifyHash(readChunks(path), hash);
  }

  return {
    name: folder,
    isExport: true,
    snapshotIds: () => Promise.resolve([manifest.id]),
    readSnapshot: () => Promise.resolve(manifest),
    readFiles,
    read,
  };
}

/**
 * Returns the path of a plain file, which must be inside the folder even if symbolic links lead to it. Throws
 * `not_found`.
 */
async function locateFile(folder: string, file: string): Promise<{ path: string; size: number }> {
  const throwNotFound = (error: unknown): never => {
    throw isAbsent(error) ? notFound('file of the export', file) : error;
  };
  const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, file))]).catch(throwNotFound);
  const fileStat = await stat(path).catch(throwNotFound);
  if (!path.startsWith(root.endsWith(sep) ? root : root + sep) || !fileStat.isFile())
    throw notFound('file of the export', file);
  return { path, size: fileStat.size };
}

async function* readChunks(path: string): AsyncGenerator<Buffer> {
  yield* (await openPlainFile(path)).handle.createReadStream() as AsyncIterable<Buffer>;
}

async function readManifest(folder: string): Promise<ExportManifest> {
  const { path, size } = await locateFile(folder, MANIFEST_PATH).catch((error: unknown) => {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
    throw new AppError(
      'not_found',
      `There is no complete export in ${folder}: ${MANIFEST_PATH} is missing. ` +
        'If the export was interrupted, run it again. ' +
        'A music folder is added with --import, or "tonearm scan DIR".',
    );
  });
  try {
    if (size > MANIFEST_LIMITS.bytes) throw new Error('it is too large');
    return ExportManifest.parse(parseLimitedJson((await readPlainFile(path, size)).toString('utf8'), MANIFEST_LIMITS));
  } catch (cause) {
    throw new AppError('unavailable', `${join(folder, MANIFEST_PATH)} is damaged or from a newer version.`, { cause });
  }
}

/** Yields the lines of files.json. Throws DamagedObject and `not_found`. */
async function* readLines(folder: string, onChunk?: (chunk: Buffer) => void): AsyncGenerator<ExportLine> {
  const { path } = await locateFile(folder, FILES_PATH);
  const decoder = new StringDecoder();
  let remainder = '';
  for await (const chunk of readChunks(path)) {
    onChunk?.(chunk);
    const lines = (remainder + decoder.write(chunk)).split('\n');
    remainder = lines.pop() ?? '';
    if (remainder.length > LINE_LIMITS.bytes) throw new DamagedObject('a line of it is too long');
    for (const line of lines) if (line.startsWith('{')) yield parseLine(line.replace(/,$/, ''));
  }
}

function parseLine(text: string): ExportLine {
  try {
    return ExportLine.parse(parseLimitedJson(text, LINE_LIMITS)) as ExportLine;
  } catch (cause) {
    throw new DamagedObject('a line of it cannot be read', { cause });
  }
}

/**
 * Returns the hashes of the files of an earlier export, by `<size> <path>`, so that these files need not be read again.
 */
export async function readListedHashes(folder: string): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  try {
    for await (const { path, size, hash } of readLines(folder))
      if (path !== undefined) hashes.set(`${size} ${path}`, hash);
  } catch (error) {
    if (!(error instanceof DamagedObject || (error instanceof AppError && error.code === 'not_found'))) throw error;
    hashes.clear();
  }
  return hashes;
}
