// The build that a start makes first, when something has never been built or a source is newer.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { staleOf } from './built-parts.js';

const root = join(import.meta.dirname, '..');
/** Each part is built in a separate process, kept below 550 MB; the build then takes a quarter longer. */
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=256', '--max-semi-space-size=2'];
const FEW_THREADS = { RAYON_NUM_THREADS: '1', TOKIO_WORKER_THREADS: '1', MIMALLOC_PURGE_DELAY: '0' };
const NEEDED_MB = 768;
/** The file that contains the process id of the start that builds. */
const LOCK = join(root, 'dist', '.building');
const LOOK_EVERY_MS = 200;
const LONGEST_MS = 600_000;

/**
 * Returns a sentence that says why the build failed, or undefined when everything is up to date.
 * @param {string[]} parts
 */
export function buildStaleParts(parts) {
  const stale = staleOf(parts);
  if (stale.length === 0) return undefined;
  if (!existsSync(join(root, 'node_modules', 'vite')))
    return 'This copy has to be built first, and the packages for that are not installed: run "npm ci" without --omit=dev.';
  if (!isWritable(root) || (existsSync(join(root, 'dist')) && !isWritable(join(root, 'dist'))))
    return `This copy has to be built first, because a source is newer than the build, and ${root} is read-only: run "npm run build" as its owner.`;

  if (!takeTurn()) return buildStaleParts(parts);
  try {
    return build(stale);
  } finally {
    rmSync(LOCK, { force: true });
  }
}

/** @param {string[]} stale */
function build(stale) {
  // printed on stderr, so that the output of a command can be written to a file
  const begun = performance.now();
  console.error('Building the server and the web pages, once. This takes half a minute …');
  for (const part of stale) {
    const { status, signal } = spawnSync(process.execPath, [...NODE_FLAGS, join(root, 'scripts', 'build.ts'), part], {
      stdio: ['ignore', 'ignore', 2], // Vite's output on stdout is progress that it redraws
      env: { ...process.env, ...FEW_THREADS },
    });
    if (status !== 0) return failure(signal);
  }
  console.error(`Built in ${Math.round((performance.now() - begun) / 1000)} seconds.`);
  return undefined;
}

/** Returns false after waiting for another start, which was already building. */
function takeTurn() {
  mkdirSync(dirname(LOCK), { recursive: true });
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  console.error('Another start of Tonearm is building it. This one waits …');
  while (isBuilding()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_EVERY_MS);
  rmSync(LOCK, { force: true });
  return false;
}

/** Returns whether the process that wrote the file still runs. */
function isBuilding() {
  const since = statSync(LOCK, { throwIfNoEntry: false })?.mtimeMs;
  if (since === undefined || Date.now() - since > LONGEST_MS) return false;
  try {
    return process.kill(Number(readFileSync(LOCK, 'utf8')), 0);
  } catch {
    return false;
  }
}

/** @param {NodeJS.Signals | null} signal */
const failure = (signal) =>
  signal === 'SIGKILL' || signal === 'SIGABRT'
    ? `The build was stopped (${signal}), most likely because memory ran out: it needs ${NEEDED_MB} MB. Close other ` +
      'programs, or make an archive on a larger machine with "npm run package -- server", which needs no build here.'
    : 'The build failed; the lines above say why.';

/** @param {string} folder */
function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
