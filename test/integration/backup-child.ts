// A process for backup-kill.test.ts that makes, checks or restores a backup, and kills itself at the chosen moment as a
// power cut would. Moments are a piece written to a file or sent to the bucket, a name that is created or removed, and
// a progress report.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { basename, join } from 'node:path';

const {
  mode,
  library,
  backup,
  dataDir,
  passphrase,
  killAt,
  killAfter,
  laterChange: clockOffsetMs = 0,
} = JSON.parse(process.argv[2] ?? '{}') as ChildOptions;

export interface ChildOptions {
  mode: 'backup' | 'check' | 'restore';
  library: string;
  backup: string;
  dataDir: string;
  passphrase?: string | undefined;
  killAt: Moment | undefined;
  /** Kills the process after this number of moments of all kinds. */
  killAfter?: number;
  laterChange?: number;
}
/** The moment with this number among those of its kind, from 1. */
export interface Moment {
  kind: string;
  number: number;
}

const moments: string[] = [];
function passMoment(kind: string): void {
  moments.push(kind);
  const isDue = kind === killAt?.kind && moments.filter((pastKind) => pastKind === kind).length === killAt.number;
  if (isDue || moments.length === killAfter) process.kill(process.pid, 'SIGKILL');
}

const { rename: originalRename, unlink: originalUnlink, rm: originalRm, open: openFile } = fs.promises;
const { renameSync: originalRenameSync } = fs;
fs.promises.rename = async (oldPath, newPath) => {
  passMoment('before a rename');
  await originalRename(oldPath, newPath);
  passMoment('after a rename');
};
fs.renameSync = (oldPath, newPath) => {
  passMoment('before what was done is noted');
  originalRenameSync(oldPath, newPath);
};
fs.promises.unlink = async (path) => {
  passMoment('before a deletion');
  // another process at the same backup may have deleted the file first
  await originalUnlink(path).finally(() => passMoment('after a deletion'));
};
fs.promises.rm = async (path, options) => {
  if (basename(path.toString()) === '.restoring') {
    // kills in the middle of the deletion
    await originalRm(join(path.toString(), 'new'), options);
    passMoment('while tidying up');
  }
  await originalRm(path, options);
};
const handle = await openFile(import.meta.filename);
const fileHandlePrototype = Object.getPrototypeOf(handle) as {
  write: (...args: unknown[]) => unknown;
  writeFile: (...args: unknown[]) => unknown;
};
await handle.close();
for (const name of ['write', 'writeFile'] as const) {
  const originalMethod = fileHandlePrototype[name];
  fileHandlePrototype[name] = function write(...args: unknown[]) {
    passMoment('in the middle of a file');
    return originalMethod.apply(this, args);
  };
}
const originalSocketWrite = net.Socket.prototype.write as (...args: unknown[]) => boolean;
net.Socket.prototype.write = function write(this: net.Socket, ...args: unknown[]) {
  if (this.remotePort !== undefined) passMoment('in the middle of sending');
  return originalSocketWrite.apply(this, args);
};
syncBuiltinESMExports(); // the modules below import the replacements

const { backUpInto, checkFolder, openBackup, restoreFrom } = await import('../support/backup-folders.ts');
const repo = await openBackup(backup, { passphrase, isNew: mode === 'backup', env: process.env });
const now = (): Date => new Date(Date.now() + clockOffsetMs);
const progress = (_done: number, _total: number | null, message = ''): void => passMoment(message);
if (mode === 'backup')
  await backUpInto(repo, library, join(dataDir, 'tmp'), { now, progress, retention: { daily: 1, weekly: 0 } });
else if (mode === 'check') await checkFolder(repo, library, join(dataDir, 'tmp'), { now, progress });
else await restoreFrom(repo, dataDir, { replace: true, progress });
process.stdout.write(`${JSON.stringify(moments)}\n`);
