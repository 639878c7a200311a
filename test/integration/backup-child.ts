// A process for backup-kill.test.ts to kill: makes, checks or restores a backup, and is killed as by a power cut at the
// nth moment of a kind. Moments are a piece written to a file or sent to the bucket, a name that is created or
// removed, and a progress report.
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
  later = 0,
} = JSON.parse(process.argv[2] ?? '{}') as ChildWish;

export interface ChildWish {
  mode: 'backup' | 'check' | 'restore';
  library: string;
  backup: string;
  dataDir: string;
  passphrase?: string | undefined;
  killAt: Moment | undefined;
  /** Or after so many moments of all kinds. */
  killAfter?: number;
  later?: number;
}
/** The nth moment of that kind. */
export interface Moment {
  what: string;
  nth: number;
}

const moments: string[] = [];
function moment(what: string): void {
  moments.push(what);
  const isDue = what === killAt?.what && moments.filter((one) => one === what).length === killAt.nth;
  if (isDue || moments.length === killAfter) process.kill(process.pid, 'SIGKILL');
}

const { rename, unlink, rm, open } = fs.promises;
const { renameSync } = fs;
fs.promises.rename = async (from, to) => {
  moment('before a rename');
  await rename(from, to);
  moment('after a rename');
};
fs.renameSync = (from, to) => {
  moment('before what was done is noted');
  renameSync(from, to);
};
fs.promises.unlink = async (path) => {
  moment('before a deletion');
  // another process at the same backup may have been faster
  await unlink(path).finally(() => moment('after a deletion'));
};
fs.promises.rm = async (path, options) => {
  if (basename(path.toString()) === '.restoring') {
    // in the middle of the write
    await rm(join(path.toString(), 'new'), options);
    moment('while tidying up');
  }
  await rm(path, options);
};
const handle = await open(import.meta.filename);
const files = Object.getPrototypeOf(handle) as {
  write: (...args: unknown[]) => unknown;
  writeFile: (...args: unknown[]) => unknown;
};
await handle.close();
for (const name of ['write', 'writeFile'] as const) {
  const whole = files[name];
  files[name] = function write(...args: unknown[]) {
    moment('in the middle of a file');
    return whole.apply(this, args);
  };
}
const send = net.Socket.prototype.write as (...args: unknown[]) => boolean;
net.Socket.prototype.write = function write(this: net.Socket, ...args: unknown[]) {
  if (this.remotePort !== undefined) moment('in the middle of sending');
  return send.apply(this, args);
};
syncBuiltinESMExports(); // the modules below get these

const { backUpInto, checkFolder, openBackup, restoreFrom } = await import('../support/backup-folders.ts');
const repo = await openBackup(backup, { passphrase, isNew: mode === 'backup', env: process.env });
const now = (): Date => new Date(Date.now() + later);
const progress = (_done: number, _total: number | null, message = ''): void => moment(message);
if (mode === 'backup')
  await backUpInto(repo, library, join(dataDir, 'tmp'), { now, progress, keep: { daily: 1, weekly: 0 } });
else if (mode === 'check') await checkFolder(repo, library, join(dataDir, 'tmp'), { now, progress });
else await restoreFrom(repo, dataDir, { replace: true, progress });
process.stdout.write(`${JSON.stringify(moments)}\n`);
