// How much code a window loads before it shows anything: the compressed size of its entry and all of its static
// imports.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const MOST_BYTES = 350 * 1024;
const built = join(import.meta.dirname, '..', '..', 'dist', 'renderer');

/** Every script that is loaded before the window's code runs. */
function scriptsOf(entry: string): string[] {
  const html = readFileSync(join(built, entry), 'utf8');
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const [, name] of readFileSync(path, 'utf8').matchAll(
      /(?:^|[;}])(?:import|export)(?:[^"'();]*from)?["'](\.[^"']+)["']/g,
    ))
      visit(join(dirname(path), name!));
  };
  for (const [, name] of html.matchAll(/<script[^>]* src="(\/[^"]+)"/g)) visit(join(built, name!));
  return [...found];
}

/** As sent to browsers in the network; with Brotli over TLS it is less. */
const sentBytes = (path: string): number => statSync(existsSync(`${path}.gz`) ? `${path}.gz` : path).size;

test.each(['index.html', 'player.html', 'settings.html'])(
  'the first load of %s is under 350 KB of compressed script',
  (entry) => {
    const scripts = scriptsOf(entry);
    const preloaded = [
      ...readFileSync(join(built, entry), 'utf8').matchAll(/<link rel="modulepreload"[^>]* href="(\/[^"]+)"/g),
    ].map(([, name]) => join(built, name!));
    // the build lists what an entry imports
    expect(preloaded.filter((path) => !scripts.includes(path))).toEqual([]);
    expect(preloaded.length).toBeGreaterThan(2);
    const bytes = scripts.reduce((sum, path) => sum + sentBytes(path), 0);
    expect(bytes).toBeGreaterThan(50 * 1024);
    expect(bytes, scripts.map((path) => `${sentBytes(path)} ${path}`).join('\n')).toBeLessThan(MOST_BYTES);
  },
);
