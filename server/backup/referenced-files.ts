// Copies files that are only indexed (reference mode) into backups if BACKUP_INCLUDE_REFERENCED is on. A file that has
// not changed since the last snapshot is not read again.
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { openPlainFile } from '../runtime/plain-files.ts';
import { isAbsent } from '../storage/file-errors.ts';
import { isPathInside, pathBelow } from '../storage/file-names.ts';
import { locateInRoots, type MusicRoots } from '../storage/music-roots.ts';
import type { OwnLine } from './manifest.ts';
import { SourceError } from './object-source.ts';
import type { Repository } from './repository.ts';

const READ_BUFFER_BYTES = 1 << 20;

interface OwnFile {
  path: string;
  hash: string | null;
  size: number | null;
}

interface OwnFilesDeps {
  repo: Repository;
  /** The music folders. */
  folders: MusicRoots;
  /** The indexed files that the last snapshot lists, by path. */
  previousLines: ReadonlyMap<string, OwnLine>;
}

export const toUncopiedLine = ({ path, hash, size }: OwnFile): OwnLine => ({
  kind: 'own',
  path,
  hash: fullHash(hash),
  size,
  mtimeMs: null,
  isCopied: false,
});

/**
 * Copies a file into the backup unless the backup has it. If the file is missing or unreadable, its last copy is kept;
 * without one it is listed as not copied.
 */
export async function copyOwnFile(
  { repo, folders, previousLines }: OwnFilesDeps,
  file: OwnFile,
  signal: AbortSignal,
): Promise<{ line: OwnLine; bytes: number }> {
  const { root, relativePath } = locateInRoots(folders, file.path);
  if (!isPathInside(relativePath)) return { line: toUncopiedLine(file), bytes: 0 };
  const path = pathBelow(root, relativePath);
  const previousLine = previousLines.get(file.path);
  try {
    const { size, mtimeMs } = await stat(path);
    const isUnchanged = previousLine?.hash != null && previousLine.size === size && previousLine.mtimeMs === mtimeMs;
    const hash = isUnchanged && previousLine.hash !== null ? previousLine.hash : await hashOfFile(path, signal);
    const line: OwnLine = { kind: 'own', path: file.path, hash, size, mtimeMs, isCopied: true };
    if (repo.has(hash, size)) return { line, bytes: 0 };
    return { line, bytes: await repo.objects.put(hash, stopOnAbort(readFile(path), signal)) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SourceError || isAbsent(error) || (error instanceof Error && 'syscall' in error)))
      throw error;
    const hasCopy =
      previousLine?.isCopied === true && previousLine.hash !== null && repo.has(previousLine.hash, previousLine.size);
    return { line: hasCopy ? previousLine : toUncopiedLine(file), bytes: 0 };
  }
}

const fullHash = (hash: string | null): string | null => (hash !== null && /^[0-9a-f]{64}$/.test(hash) ? hash : null);

export async function hashOfFile(path: string | Buffer, signal: AbortSignal): Promise<string> {
  const hasher = createHash('sha256');
  for await (const chunk of readFile(path)) {
    signal.throwIfAborted();
    hasher.update(chunk);
  }
  return hasher.digest('hex');
}

export async function* stopOnAbort(source: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    signal.throwIfAborted();
    yield chunk;
  }
}

async function* readFile(path: string | Buffer): AsyncGenerator<Buffer> {
  const { handle } = await openPlainFile(path);
  yield* handle.createReadStream({ highWaterMark: READ_BUFFER_BYTES }) as AsyncIterable<Buffer>;
}
