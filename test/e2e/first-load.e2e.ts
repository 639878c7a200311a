// Counts the bytes that a window needs before it displays anything: its HTML, its entry with all imports, its styles
// and the Latin letters of its font, as sent over TLS.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/**
 * Maximum bytes of each window. The limit of the library window is the lowest, because people wait for it; the others
 * are opened from it and share its code.
 */
const MOST_BYTES = { 'index.html': 245_000, 'player.html': 275_000, 'settings.html': 305_000 };
const builtFolder = join(import.meta.dirname, '..', '..', 'dist', 'renderer');

/** Returns every script that is loaded before the window's code runs. */
function scriptsOf(entry: string): string[] {
  const html = readFileSync(join(builtFolder, entry), 'utf8');
  const visitedPaths = new Set<string>();
  const visit = (path: string): void => {
    if (visitedPaths.has(path)) return;
    visitedPaths.add(path);
    for (const [, name] of readFileSync(path, 'utf8').matchAll(
      /(?:^|[;}])(?:import|export)(?:[^"'();]*from)?["'](\.[^"']+)["']/g,
    ))
      visit(join(dirname(path), name!));
  };
  for (const [, name] of html.matchAll(/<script[^>]* src="(\/[^"]+)"/g)) visit(join(builtFolder, name!));
  return [...visitedPaths];
}

const sentBytes = (path: string): number => statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size;

test.each(Object.entries(MOST_BYTES))('the first load of %s is under %i bytes', (entry, maxBytes) => {
  const html = readFileSync(join(builtFolder, entry), 'utf8');
  const listNamedFiles = (pattern: RegExp): string[] =>
    [...html.matchAll(pattern)].map(([, name]) => join(builtFolder, name!));
  const scripts = scriptsOf(entry);
  const preloadedFiles = listNamedFiles(/<link rel="modulepreload"[^>]* href="(\/[^"]+)"/g);
  // the build lists the imports of an entry as preloads
  expect(preloadedFiles.filter((path) => !scripts.includes(path))).toEqual([]);
  expect(preloadedFiles.length).toBeGreaterThan(2);
  const styles = listNamedFiles(/<link rel="stylesheet"[^>]* href="(\/[^"]+)"/g);
  const fonts = readdirSync(join(builtFolder, 'assets'))
    .filter((name) => /-latin-wght-normal-.*\.woff2$/.test(name))
    .map((name) => join(builtFolder, 'assets', name));
  expect([styles.length > 0, fonts.length]).toEqual([true, 1]);
  const paths = [join(builtFolder, entry), ...scripts, ...styles, ...fonts];
  const bytes = paths.reduce((sum, path) => sum + sentBytes(path), 0);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes, paths.map((path) => `${sentBytes(path)} ${path}`).join('\n')).toBeLessThan(maxBytes);
});
