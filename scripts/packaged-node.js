// `npx tonearm` and `node scripts/tonearm.js` under a Node.js that is too old: runs the same command with the one among the
// packages. Plain JavaScript that an old Node.js can read.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PARENT_CHECK_MS = 1_000;
const packages = join(dirname(fileURLToPath(import.meta.url)), '..', 'node_modules');

export const areInstalled = () => existsSync(packages);

/** Returns the path of a packaged Node.js that runs on this system, or undefined. */
export function findPackagedNode() {
  return listFolder(packages)
    .filter((name) => /^node-(linux|win)-\w+$/.test(name))
    .map((name) => join(packages, name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node'))
    .find((path) => spawnSync(path, ['-v']).status === 0);
}

/** @param {string} folder */
function listFolder(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return []; // nothing is installed
  }
}

/**
 * Runs this process's command line with `node`, and ends as that process ends.
 * @param {string} node
 */
export function runWith(node) {
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, PATH: dirname(node) + delimiter + process.env.PATH },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const parent = process.ppid;
  // The shell that npx starts does not forward signals, so its end is how this process learns of them.
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), PARENT_CHECK_MS).unref();
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code));
}
