// Checks the types of a folder beside the work, and prints what does not hold.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

export function createTypeCheck(root: string) {
  const running = new Set<string>();
  const again = new Set<string>();
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

  function check(folder: string): void {
    if (running.has(folder)) return void again.add(folder);
    running.add(folder);
    const child = spawn(process.execPath, [tsc, '-p', folder, '--pretty'], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.once('exit', () => {
      running.delete(folder);
      if (again.delete(folder)) check(folder);
    });
  }
  return { check };
}
