// The server as it is shipped: one bundle, which starts with a fifth of the memory of the sources.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { root } from './server.ts';

/** Builds it into a folder that looks like the product; gives the file to start. */
export async function bundleServer(dir: string): Promise<string> {
  for (const name of ['package.json', 'migrations', 'resources', 'node_modules']) symlinkSync(join(root, name), join(dir, name));
  const outDir = join(dir, 'dist', 'server');
  await build({ mode: 'server', configFile: join(root, 'vite.config.ts'), logLevel: 'error', build: { outDir } });
  return join(outDir, 'main.js');
}
