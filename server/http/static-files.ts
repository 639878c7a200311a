// The web interface: built files with hashed names for ever, HTML entries never cached, and any other page address is the library window's.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import express, { type RequestHandler, type Router } from 'express';

const YEAR_MS = 365 * 86_400_000;
const NOT_BUILT = 'The web interface has not been built. Run "npm run build" and start again.\n';

export function webInterface(dir: string): Router {
  const router = express.Router();
  router.use('/assets', express.static(join(dir, 'assets'), { immutable: true, maxAge: YEAR_MS, index: false, fallthrough: false }));
  router.use(express.static(dir, { index: false, extensions: ['html'], setHeaders: (res, path) => { if (path.endsWith('.html')) res.setHeader('Cache-Control', 'no-cache'); } }));
  router.use(page(dir));
  return router;
}

/** Addresses inside the window's own router (`/albums/7`) are answered with the window. */
const page = (dir: string): RequestHandler => (req, res, next) => {
  if ((req.method !== 'GET' && req.method !== 'HEAD') || !req.accepts('html') || /\.\w{1,5}$/.test(req.path)) return next();
  const entry = join(dir, 'index.html');
  if (!existsSync(entry)) return void res.status(503).type('text/plain').end(NOT_BUILT);
  res.sendFile(entry, { headers: { 'Cache-Control': 'no-cache' } });
};
