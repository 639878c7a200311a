// Small JSON files that people may edit, written so that they survive a power failure: settings.json, secrets.json.
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, isDiskFull, messageOf } from '../errors.ts';
import { syncFolder } from '../runtime/folders.ts';

/** The object in the file; {} if there is no file. Throws `unavailable` or `invalid` if it cannot be read or parsed. */
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
  const value = parse(text.replace(/^\uFEFF/, '')); // some editors on Windows write a BOM
  if (value === undefined)
    throw new AppError(
      'unavailable',
      `${file} is damaged: it is not a JSON object. Repair it, restore it from a backup, or move it away.`,
    );
  return value;
}

/** Atomic: temporary file, fsync, rename. Only readable by this account, since both files may contain secrets. */
export function writeJsonFile(file: string, value: Record<string, unknown>): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    rmSync(temporary, { force: true }); // left by a crash, possibly with another mode
    const fd = openSync(temporary, 'wx', 0o600);
    try {
      writeSync(fd, `${JSON.stringify(value, null, 2)}\n`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, file);
    syncFolder(dirname(file));
  } catch (cause) {
    rmSync(temporary, { force: true });
    if (isDiskFull(cause)) throw cause;
    throw new AppError('unavailable', `${file} cannot be written (${messageOf(cause)}). Check its permissions.`, {
      cause,
    });
  }
}

function parse(text: string): Record<string, unknown> | undefined {
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
