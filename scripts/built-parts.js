// The parts of the product that build.ts makes, and whether what was built last is as new as its sources. Every start
// asks that, and removing types from a file of TypeScript would take it 40 ms.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** @type {Record<string, { sources: string[]; modes: string[] }>} */
export const PARTS = {
  // Pages and shell contain rules and tables of the server.
  renderer: { sources: ['renderer', 'server', 'resources'], modes: ['renderer'] },
  server: { sources: ['server'], modes: ['server'] },
  main: { sources: ['main', 'server', 'resources'], modes: ['main', 'preload'] },
};
const SHARED = ['package.json', 'package-lock.json', 'vite.config.ts'];

/**
 * Returns the path of the file that is written when a part has been built.
 * @param {string} name
 */
export const stampOf = (name) => join(root, 'dist', `.${name}.built`);

/** @param {string} name */
export const isFresh = (name) => staleOf([name]).length === 0;

/**
 * Returns the parts that have to be built. An archive of the server has no sources, so nothing in it is out of date.
 * @param {string[]} names
 */
export function staleOf(names) {
  /** @type {Map<string, number>} */
  const newest = new Map();
  return names.filter((name) => {
    if (!existsSync(join(root, name))) return false;
    const stamp = statSync(stampOf(name), { throwIfNoEntry: false });
    return [...(PARTS[name]?.sources ?? []), ...SHARED].some((source) => {
      const changed = newest.get(source) ?? newestIn(join(root, source));
      newest.set(source, changed);
      return stamp === undefined || changed > stamp.mtimeMs;
    });
  });
}

/**
 * @param {string} path
 * @returns {number}
 */
function newestIn(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0;
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestIn(join(path, name))), stat.mtimeMs);
}
