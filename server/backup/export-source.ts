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
import { checking } from './object-source.ts';
import type { Repository } from './repository.ts';

/** Written last: it says that the export is complete. */
export const EXPORT = join('data', 'export.json');
export const EXPORT_FILES = join('data', 'files.json');
export const DATABASE = join('data', 'library.db');

export const ExportManifest = Manifest.extend({
  tonearm_export: z.literal(1),
  /** Never in pieces, as in a backup of the first format. */
  database: z.strictObject({ size: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
});
export type ExportManifest = z.output<typeof ExportManifest>;

const { manifest: MANIFEST, line: LINE } = TEXT_LIMITS.backup;
/** Paths are looked up soon after their line was read. */
const KEPT_PATHS = 1_000;

/** A row of files.json; `path` is that of the file in the export. */
export type ExportLine = StoredLine & { path?: string };
const ExportLine = FileLine.and(z.object({ path: z.string().max(32_768).optional() }));

/** What a restore needs of a backup. */
export type RestoreSource = Pick<Repository, 'name' | 'snapshotIds' | 'readSnapshot' | 'readFiles' | 'read'> & {
  /** Of a backup, which is leased. */
  target?: Repository['target'];
  unlistedPacks?: Repository['unlistedPacks'];
  isEncrypted?: boolean;
  /** It has no passwords, keys and settings, and no earlier snapshots. */
  isExport?: boolean;
};

/**
 * Throws `not_found` when there is no complete export. It may come from anybody: nothing outside of its folder is read,
 * and keys and settings that it has are ignored.
 */
export async function openExport(folder: string): Promise<RestoreSource> {
  const manifest = { ...(await readManifest(folder)), keys: null, settings: {} };
  const database = { path: DATABASE, size: manifest.database.size };
  const files = new Map<string, { path: string; size: number | null }>();

  async function* readFiles(): AsyncGenerator<FileLine> {
    const sum = createHash('sha256');
    for await (const line of linesOf(folder, (chunk) => sum.update(chunk))) {
      if (line.path !== undefined) {
        files.delete(line.hash);
        files.set(line.hash, { path: line.path, size: line.size });
        const [oldest = ''] = files.keys();
        if (files.size > KEPT_PATHS) files.delete(oldest);
      }
      yield line;
    }
    if (sum.digest('hex') !== manifest.lists[0]?.sha256) throw new DamagedObject('it does not match its hash');
  }

  async function* read(hash: string): AsyncGenerator<Buffer> {
    const file = hash === manifest.database.sha256 ? database : files.get(hash);
    if (!file) throw notFound('file of the export');
    const { path, size } = await fileIn(folder, file.path);
    if (file.size !== null && size !== file.size) throw new DamagedObject('it has another size');
    yield* checking(chunksOf(path), hash);
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

/** A plain file below the folder, also behind symbolic links. Throws `not_found`. */
async function fileIn(folder: string, file: string): Promise<{ path: string; size: number }> {
  const absent = (error: unknown): never => {
    throw isAbsent(error) ? notFound('file of the export', file) : error;
  };
  const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, file))]).catch(absent);
  const found = await stat(path).catch(absent);
  if (!path.startsWith(root.endsWith(sep) ? root : root + sep) || !found.isFile())
    throw notFound('file of the export', file);
  return { path, size: found.size };
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  yield* (await openPlainFile(path)).handle.createReadStream() as AsyncIterable<Buffer>;
}

async function readManifest(folder: string): Promise<ExportManifest> {
  const { path, size } = await fileIn(folder, EXPORT).catch((error: unknown) => {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
    throw new AppError(
      'not_found',
      `There is no complete export in ${folder}: ${EXPORT} is missing. If the export was interrupted, run it again. ` +
        'A music folder is added with --import, or "tonearm scan DIR".',
    );
  });
  try {
    if (size > MANIFEST.bytes) throw new Error('it is too large');
    return ExportManifest.parse(parseLimitedJson((await readPlainFile(path, size)).toString('utf8'), MANIFEST));
  } catch (cause) {
    throw new AppError('unavailable', `${join(folder, EXPORT)} is damaged or from a newer version.`, { cause });
  }
}

/** Throws DamagedObject and `not_found`. */
async function* linesOf(folder: string, onChunk?: (chunk: Buffer) => void): AsyncGenerator<ExportLine> {
  const { path } = await fileIn(folder, EXPORT_FILES);
  const decoder = new StringDecoder();
  let rest = '';
  for await (const chunk of chunksOf(path)) {
    onChunk?.(chunk);
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE.bytes) throw new DamagedObject('a line of it is too long');
    for (const line of lines) if (line.startsWith('{')) yield parseLine(line.replace(/,$/, ''));
  }
}

function parseLine(text: string): ExportLine {
  try {
    return ExportLine.parse(parseLimitedJson(text, LINE)) as ExportLine;
  } catch (cause) {
    throw new DamagedObject('a line of it cannot be read', { cause });
  }
}

/** Hashes of the files of an earlier export, by `<size> <path>`, so that they need not be read again. */
export async function readListed(folder: string): Promise<Map<string, string>> {
  const listed = new Map<string, string>();
  try {
    for await (const { path, size, hash } of linesOf(folder))
      if (path !== undefined) listed.set(`${size} ${path}`, hash);
  } catch (error) {
    if (!(error instanceof DamagedObject || (error instanceof AppError && error.code === 'not_found'))) throw error;
    listed.clear();
  }
  return listed;
}
