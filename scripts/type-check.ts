// Checks the types of a folder in the background, and prints the errors.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

export function createTypeCheck(root: string) {
  const runningFolders = new Set<string>();
  const pendingFolders = new Set<string>();
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

  function check(folder: string): void {
    if (runningFolders.has(folder)) return void pendingFolders.add(folder);
    runningFolders.add(folder);
    const child = spawn(process.execPath, [tsc, '-p', folder, '--pretty'], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.once('exit', () => {
      runningFolders.delete(folder);
      if (pendingFolders.delete(folder)) check(folder);
    });
  }
  return { check };
}
