// The parts of the product that build.ts makes, and whether what was built last is as new as its sources.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

export const PARTS: Record<string, { sources: string[]; modes: string[] }> = {
  // Pages and shell have rules and tables of the server in them.
  renderer: { sources: ['renderer', 'server', 'resources'], modes: ['renderer'] },
  server: { sources: ['server'], modes: ['server'] },
  main: { sources: ['main', 'server', 'resources'], modes: ['main', 'preload'] },
};
const SHARED = ['package.json', 'package-lock.json', 'vite.config.ts'];

/** Written when a part is built. */
export const stampOf = (name: string): string => join(root, 'dist', `.${name}.built`);

export function isFresh(name: string): boolean {
  const stamp = stampOf(name);
  if (!existsSync(stamp)) return false;
  const built = statSync(stamp).mtimeMs;
  return [...(PARTS[name]?.sources ?? []), ...SHARED].every((source) => newestIn(join(root, source)) <= built);
}

function newestIn(path: string): number {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestIn(join(path, name))), stat.mtimeMs);
}
