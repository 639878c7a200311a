// Reads an export as a restore reads a backup: `tonearm import` makes a library of it.
import { createReadStream } from 'node:fs';
import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { AppError, notFound } from '../errors.ts';
import { isAbsent } from '../storage/file-errors.ts';
import { DamagedObject } from './encryption.ts';
import { FileLine, Manifest, type StoredLine } from './manifest.ts';
import { checking } from './objects.ts';
import type { Repository } from './repository.ts';

/** Written last: it says that the export is complete. */
export const EXPORT = join('data', 'export.json');
export const EXPORT_FILES = join('data', 'files.json');
export const DATABASE = join('data', 'library.db');

export const ExportManifest = Manifest.extend({ tonearm_export: z.literal(1) });
export type ExportManifest = z.output<typeof ExportManifest>;

/** A row of files.json; `path` is that of the file in the export. */
export type ExportLine = StoredLine & { path?: string };
const ExportLine = FileLine.and(z.object({ path: z.string().max(32_768).optional() }));

/** What a restore needs of a backup. */
export type RestoreSource = Pick<Repository, 'name' | 'snapshotIds' | 'readSnapshot' | 'readFiles' | 'read'> & {
  /** Of a backup, which is leased. */
  target?: Repository['target'];
  /** It has no passwords, keys and settings, and no earlier snapshots. */
  isExport?: boolean;
};

/** Throws `not_found` when there is no complete export. */
export async function openExport(folder: string): Promise<RestoreSource> {
  const manifest = await readManifest(folder);
  const pathOf = new Map<string, string>([[manifest.database.sha256, DATABASE]]);

  async function* readFiles(): AsyncGenerator<FileLine> {
    const sum = createHash('sha256');
    for await (const line of linesOf(folder, (chunk) => sum.update(chunk))) {
      if (line.path !== undefined) pathOf.set(line.hash, line.path);
      yield line;
    }
    if (sum.digest('hex') !== manifest.lists[0]?.sha256) throw new DamagedObject('it does not match its hash');
  }

  async function* read(hash: string): AsyncGenerator<Buffer> {
    const path = pathOf.get(hash);
    if (path === undefined || path.split('/').includes('..')) throw notFound('file of the export');
    const file = await open(join(folder, ...path.split('/'))).catch((error: unknown) => {
      throw isAbsent(error) ? notFound('file of the export', path) : error;
    });
    yield* checking(createReadStream('', { fd: file }) as AsyncIterable<Buffer>, hash);
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

async function readManifest(folder: string): Promise<ExportManifest> {
  const text = await readFile(join(folder, EXPORT), 'utf8').catch((error: unknown) => {
    if (!isAbsent(error)) throw error;
    throw new AppError(
      'not_found',
      `There is no complete export in ${folder}: ${EXPORT} is missing. If the export was interrupted, run it again.`,
    );
  });
  try {
    return ExportManifest.parse(JSON.parse(text));
  } catch (cause) {
    throw new AppError('unavailable', `${join(folder, EXPORT)} is damaged or from a newer version.`, { cause });
  }
}

/** Throws DamagedObject. */
async function* linesOf(folder: string, onChunk?: (chunk: Buffer) => void): AsyncGenerator<ExportLine> {
  const stream = createReadStream(join(folder, EXPORT_FILES));
  if (onChunk) stream.on('data', (chunk) => onChunk(chunk as Buffer));
  for await (const line of createInterface({ input: stream })) {
    if (!line.startsWith('{')) continue;
    yield parseLine(line.replace(/,$/, ''));
  }
}

function parseLine(text: string): ExportLine {
  try {
    return ExportLine.parse(JSON.parse(text)) as ExportLine;
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
    if (!isAbsent(error) && !(error instanceof DamagedObject)) throw error;
    listed.clear();
  }
  return listed;
}
