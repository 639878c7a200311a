// Checks settings that depend on the disk or on other settings.
import { access, constants, opendir, realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { isAbsolute } from 'node:path';
import { MIN_SECRET_CHARS } from '../config/secret-store.ts';
import type { SettingName, Settings } from '../config/settings.ts';
import { AppError, type FieldError } from '../errors.ts';
import { findUnsuitableReason, type OwnFolders } from '../runtime/unsuitable-folders.ts';
import { getBackend, missingSettings } from '../storage/backends.ts';

/** Checks the changed settings; `next` are all settings after the next start. */
export async function checkSettingCombination(
  next: Settings,
  changedNames: readonly SettingName[],
  ownFolders: OwnFolders,
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  if (changedNames.includes('LOCAL_MEDIA_IMPORT_PATH') && next.LOCAL_MEDIA_IMPORT_PATH !== undefined) {
    const message = await importPathFault(next.LOCAL_MEDIA_IMPORT_PATH, ownFolders);
    if (message !== undefined) errors.push({ field: 'local_media_import_path', message });
  }
  if (changedNames.includes('HOST') && !(await canListenOn(next.HOST)))
    errors.push({
      field: 'host',
      message: 'is not an address of this computer; use 0.0.0.0 for the whole network, 127.0.0.1 for this computer',
    }); // with a wrong address, the server would not start again
  for (const name of ['JWT_SECRET', 'COMPAT_SECRET_KEY'] as const)
    if (changedNames.includes(name) && (next[name]?.length ?? MIN_SECRET_CHARS) < MIN_SECRET_CHARS)
      errors.push({ field: name.toLowerCase(), message: `must have at least ${MIN_SECRET_CHARS} characters` });
  const backend = getBackend(next.STORAGE_BACKEND);
  const missingNames = missingSettings(backend, next).map((name) => name.toLowerCase());
  const [field = ''] = changedNames.includes('STORAGE_BACKEND')
    ? ['storage_backend']
    : missingNames.filter((name) => changedNames.some((changedName) => changedName.toLowerCase() === name));
  if (missingNames.length > 0 && field !== '')
    // without these settings, the server would not start again
    errors.push({ field, message: `${backend.title} needs ${missingNames.join(', ')}` });
  return errors;
}

/** Throws `invalid` for a music folder that cannot be scanned. */
export async function assertImportPath(path: string, ownFolders: OwnFolders): Promise<void> {
  const fault = await importPathFault(path, ownFolders);
  if (fault) throw new AppError('invalid', `The music folder ${path} ${fault}.`);
}

/** Returns what is wrong with a music folder; undefined if it can be scanned. */
export async function importPathFault(path: string, ownFolders: OwnFolders): Promise<string | undefined> {
  if (!isAbsolute(path)) return 'must be an absolute path';
  const realFolder = await realpath(path).catch(() => undefined);
  if (realFolder === undefined || !(await stat(realFolder)).isDirectory()) return 'does not exist or is not a folder';
  if (!(await isReadable(realFolder))) return 'cannot be read; allow the account that runs Tonearm to read this folder';
  const { data, storageRoot } = ownFolders;
  return findUnsuitableReason(realFolder, {
    data: await realpath(data).catch(() => data),
    storageRoot: await realpath(storageRoot).catch(() => storageRoot),
  });
}

function canListenOn(host: string): Promise<boolean> {
  const attempt = createServer();
  return new Promise((resolve) => {
    attempt.once('error', () => resolve(false));
    attempt.listen(0, host, () => attempt.close(() => resolve(true)));
  });
}

async function isReadable(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.R_OK | constants.X_OK);
    await (await opendir(folder)).close(); // access() may succeed on network shares that refuse to be read
    return true;
  } catch {
    return false;
  }
}
