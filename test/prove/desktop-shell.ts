// The desktop app's built main process with the fake Electron, as a child process that can be killed: node
// test/prove/desktop-shell.ts PROFILE packaged|plain. Prints the process id of each server that it starts.
import { subscribe } from 'node:diagnostics_channel';
import type { ChildProcess } from 'node:child_process';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as fake from '../fakes/electron.ts';
import { root } from '../support/product.ts';

const electron = pathToFileURL(join(root, 'test', 'fakes', 'electron.ts')).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: electron, shortCircuit: true } : next(specifier, context),
});
const { app, pathsIn } = (await import(electron)) as typeof fake;
const [profile = '', shellKind] = process.argv.slice(2);
app.paths = pathsIn(profile);
app.isPackaged = shellKind === 'packaged';
app.appPath = root;
subscribe('child_process', (message) => {
  const { process: child } = message as { process: ChildProcess };
  setImmediate(() => process.send?.({ server: child.pid }));
});
await import(pathToFileURL(join(root, 'dist', 'main', 'index.js')).href);
app.becomeReady();
process.on('message', () => app.quit());
app.once('quit', () => process.exit());
