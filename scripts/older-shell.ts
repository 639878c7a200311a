// Builds the desktop shell for an older Electron, from version 25 on, which loads no ES modules, has Node 18, and lacks
// the functions added below. The server is the normal one, and runs on the Node that came with the project.
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');

const POLYFILLS = `
URL.canParse ??= (text) => { try { return Boolean(new URL(text)); } catch { return false; } };
Array.prototype.toSorted ??= function (compare) { return [...this].sort(compare); };
Promise.withResolvers ??= function () {
  let resolve, reject;
  const promise = new this((...both) => { [resolve, reject] = both; });
  return { promise, resolve, reject };
};
{
  const fs = require('node:fs');
  fs.openAsBlob ??= async (path) => new Blob([await fs.promises.readFile(path)]);
  require('electron').app.on('web-contents-created', (_event, page) => {
    page.navigationHistory ??= { goBack: () => page.goBack(), goForward: () => page.goForward() };
  });
}
`;

/** Creates an app that Electron can start; returns its folder. Expects the server and the pages to be built. */
export async function makeOlderShell(folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ['dist', 'migrations', 'resources', 'node_modules'])
    symlinkSync(join(root, name), join(folder, name), 'junction');
  for (const [name, banner] of [
    ['index', POLYFILLS],
    ['preload', ''],
  ] as const)
    await build({
      configFile: false,
      root,
      logLevel: 'warn',
      define: { 'import.meta.dirname': '__dirname' },
      ssr: { noExternal: true, external: ['electron'] },
      build: {
        ssr: true,
        target: 'node18',
        outDir: join(folder, 'shell'),
        emptyOutDir: false,
        rolldownOptions: {
          input: { [name]: join(root, 'main', `${name}.ts`) },
          external: ['electron'],
          output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false, banner },
        },
      },
    });
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, main: 'shell/index.cjs' }));
  return folder;
}
