// Builds parts of the product: node scripts/build.ts [--if-stale] renderer server main. With --if-stale a part is built
// only if a source is newer than its last build, so that `npm start` builds only the first time and after a change of
// the sources.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'vite';
import { isFresh, PARTS, stampOf } from './built-parts.js';

const args = process.argv.slice(2);
const configFile = join(import.meta.dirname, '..', 'vite.config.ts');
const ifStale = args.includes('--if-stale');

for (const name of args.filter((arg) => !arg.startsWith('--'))) {
  const part = PARTS[name];
  if (!part) throw new Error(`There is no part ${name}; there are ${Object.keys(PARTS).join(', ')}.`);
  if (ifStale && isFresh(name)) continue;
  for (const mode of part.modes) await build({ mode, configFile, logLevel: 'warn' });
  mkdirSync(dirname(stampOf(name)), { recursive: true });
  writeFileSync(stampOf(name), '');
}
