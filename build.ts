// Builds parts of the product: node build.ts [--if-stale] renderer server main. With --if-stale a part is built only when a
// source is newer than its last build, so that `npm start` is immediate after the first time and right after a `git pull`.
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const root = import.meta.dirname;

const PARTS: Record<string, { sources: string[]; modes: string[] }> = {
  renderer: { sources: ['renderer'], modes: ['renderer'] },
  server: { sources: ['server'], modes: ['server'] },
  main: { sources: ['main'], modes: ['main', 'preload'] },
};
const SHARED = ['package.json', 'package-lock.json', 'vite.config.ts'];

const args = process.argv.slice(2);
const ifStale = args.includes('--if-stale');

for (const name of args.filter((arg) => !arg.startsWith('--'))) {
  const part = PARTS[name];
  if (!part) throw new Error(`There is no part ${name}; there are ${Object.keys(PARTS).join(', ')}.`);
  const stamp = join(root, 'dist', `.${name}.built`);
  if (ifStale && isFresh(stamp, [...part.sources, ...SHARED])) continue;
  for (const mode of part.modes) await build({ mode, configFile: join(root, 'vite.config.ts'), logLevel: 'warn' });
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stamp, '');
}

function isFresh(stamp: string, sources: string[]): boolean {
  if (!existsSync(stamp)) return false;
  const built = statSync(stamp).mtimeMs;
  return sources.every((source) => newestIn(join(root, source)) <= built);
}

function newestIn(path: string): number {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestIn(join(path, name))), stat.mtimeMs);
}
