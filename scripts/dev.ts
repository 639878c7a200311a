// npm run dev -- [FOLDER] [TRACKS]: runs the server from its sources with Vite in front of it, on the library of `npm
// run seed`, which is created on first use. Saving a file of the server restarts the server, saving one of the renderer
// updates the open windows. The terminal shows all errors, including type errors; an error that breaks a page is also
// displayed on the page.
import './check-node.js';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { join, resolve, sep } from 'node:path';
import { createServer, type Connect, type Plugin } from 'vite';
import { createRestartingServer } from './restarting-server.ts';
import { createTypeCheck } from './type-check.ts';

const root = join(import.meta.dirname, '..');
const [folder = 'seed', tracks = '1200'] = process.argv.slice(2);
const dataDir = join(resolve(folder), 'data');
/** Paths that the server answers; Vite serves all others, including modules such as `renderer/api/…`. */
const OF_THE_SERVER = /^\/(api\/v1|rest|stream|share|health)(\/|\?|$)/;
const WATCHED = ['server', 'migrations'].map((name) => join(root, name) + sep);
const RENDERER = join(root, 'renderer') + sep;

if (!existsSync(dataDir)) {
  console.log(`The library to work on is made in ${resolve(folder)}, once.`);
  for (const script of [
    ['scripts/build.ts', '--if-stale', 'server'],
    ['test/seed.ts', folder, tracks],
  ])
    execFileSync(process.execPath, script, { cwd: root, stdio: 'inherit' });
}

const types = createTypeCheck(root);
const server = createRestartingServer({
  entry: join(root, 'server', 'main.ts'),
  args: ['--data-dir', dataDir, '--port', '0'],
  onListening: (wasDown) => {
    if (wasDown) vite.ws.send({ type: 'full-reload' });
    types.check('server');
  },
  onFailed: (message) => {
    vite.ws.send(overlay(message));
    types.check('server');
  },
});
const overlay = (message: string) => ({ type: 'error' as const, err: { message, stack: '' } });

/** Forwards a request to the server, and waits while the server starts. */
const forward: Connect.NextHandleFunction = (req, res, next) => {
  if (!OF_THE_SERVER.test(req.url ?? '')) return next();
  server.address().then(
    (address) => {
      const { method, headers } = req;
      const proxyRequest = request(new URL(req.url ?? '/', address), { method, headers }, (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      });
      // the server was restarted
      proxyRequest.once('error', () => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
      res.once('close', () => proxyRequest.destroy());
      req.pipe(proxyRequest);
    },
    (error: Error) => res.writeHead(503, { 'Content-Type': 'text/plain' }).end(error.message),
  );
};

const backend: Plugin = {
  name: 'backend',
  configureServer({ middlewares, watcher, ws }) {
    middlewares.use(forward);
    ws.on('connection', () => {
      const message = server.failure();
      if (message !== undefined) ws.send(overlay(message));
    });
    watcher.add(WATCHED).on('all', (_event, path) => {
      if (WATCHED.some((dir) => path.startsWith(dir))) server.restart();
      else if (path.startsWith(RENDERER)) types.check('renderer');
    });
  },
};

const vite = await createServer({
  configFile: join(root, 'vite.config.ts'),
  mode: 'renderer',
  clearScreen: false,
  server: { host: '127.0.0.1' },
  plugins: [backend],
});
server.restart();
await vite.listen();
vite.printUrls();

const stop = async (): Promise<void> => {
  await Promise.all([server.stop(), vite.close()]);
  process.exit();
};
process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
const parent = process.ppid; // npm ends at some signals without notifying this process
setInterval(() => {
  if (process.ppid !== parent) void stop();
}, 1_000).unref();
