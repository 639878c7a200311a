// Reads and writes small JSON files that people may edit (settings.json, secrets.json), safe against power failures.
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, isDiskFull, messageOf } from '../errors.ts';
import { syncFolder } from '../runtime/folders.ts';

/**
 * Returns the object in the file; {} if the file does not exist. Throws `unavailable` when the file cannot be read or
 * parsed.
 */
export function readJsonFile(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return {};
    throw new AppError(
      'unavailable',
      `${file} cannot be read (${messageOf(cause)}). Make it readable for this account.`,
      { cause },
    );
  }
  const value = parseObject(text.replace(/^\uFEFF/, '')); // some editors on Windows write a byte order mark
  if (value === undefined)
    throw new AppError(
      'unavailable',
      `${file} is damaged: it is not a JSON object. Repair it, restore it from a backup, or move it away.`,
    );
  return value;
}

/**
 * Writes a file atomically: temporary file, fsync, rename. Only this account can read the file, which may contain
 * secrets.
 */
export function writeJsonFile(file: string, value: Record<string, unknown>): void {
  const temporaryFile = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    rmSync(temporaryFile, { force: true }); // a crash may have left a temporary file with another mode
    const fd = openSync(temporaryFile, 'wx', 0o600);
    try {
      writeSync(fd, `${JSON.stringify(value, null, 2)}\n`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporaryFile, file);
    syncFolder(dirname(file));
  } catch (cause) {
    rmSync(temporaryFile, { force: true });
    if (isDiskFull(cause)) throw cause;
    throw new AppError('unavailable', `${file} cannot be written (${messageOf(cause)}). Check its permissions.`, {
      cause,
    });
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
