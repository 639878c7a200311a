// Small JSON files that people may edit and that must survive a power cut: settings.json and secrets.json.
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, isDiskFull, messageOf } from '../errors.ts';

/**
 * The object in the file; {} when there is no file. Throws one clear line when it cannot be read or is no JSON object.
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
  const value = parse(text.replace(/^\uFEFF/, '')); // some editors on Windows put a mark in front
  if (value === undefined)
    throw new AppError(
      'unavailable',
      `${file} is damaged: it does not hold a JSON object. Repair it, restore it from a backup, or move it away.`,
    );
  return value;
}

/**
 * Whole or not at all: temporary file beside it, fsync, rename. Readable by this account only, since both files may
 * hold secrets.
 */
export function writeJsonFile(file: string, value: Record<string, unknown>): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    rmSync(temporary, { force: true }); // left by a crash, perhaps with another mode
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
    throw new AppError('unavailable', `${file} cannot be written (${messageOf(cause)}). Check who may write there.`, {
      cause,
    });
  }
}

/** The new name itself must reach the disk; Windows cannot open folders, and does not need it. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
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
