// A process for backup-kill.test.ts to lose: makes a backup, or restores one, and is killed as by a power cut at its nth step. A step is
// what makes something count: a file gets its name.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const [mode = '', library = '', backup = '', dataDir = '', killAt = '0'] = process.argv.slice(2);

let steps = 0;
const rename = fs.promises.rename;
function step(): void {
  steps++;
  if (steps === Number(killAt)) process.kill(process.pid, 'SIGKILL');
}
fs.promises.rename = async (from, to) => {
  step();
  await rename(from, to);
  step();
};
syncBuiltinESMExports(); // the modules below get these

const { backUpFolder, restoreFolder } = await import('../support/backup-folders.ts');
if (mode === 'backup') await backUpFolder(library, backup, join(dataDir, 'tmp'));
else await restoreFolder(backup, dataDir, { replace: true });
console.log(steps); // oxlint-disable-line no-console
