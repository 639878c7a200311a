// Serves the web interface. Built files have hashed names and are cached for ever, HTML pages are revalidated. For
// unknown paths index.html is sent, whose router handles them.
import { existsSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import express, { type RequestHandler, type Router } from 'express';

const YEAR_MS = 365 * 86_400_000;
const TYPES: Record<string, string> = { '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8' };
const NOT_BUILT = 'The web interface has not been built. Run "npm run build" and restart the server.\n';

/**
 * The encodings of compressed scripts and styles. The build uses two, because browsers accept Brotli only over TLS and
 * from localhost.
 */
const ENCODINGS = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

export function webInterface(dir: string): Router {
  const router = express.Router();
  router.use(
    '/assets',
    serveCompressed(join(dir, 'assets')),
    express.static(join(dir, 'assets'), {
      immutable: true,
      maxAge: YEAR_MS,
      index: false,
      redirect: false,
      fallthrough: false,
      setHeaders: setEncodingHeaders,
    }),
  );
  router.use(
    express.static(dir, {
      index: false,
      redirect: false,
      extensions: ['html'],
      setHeaders: (res, path) => {
        if (path.endsWith('.html')) res.setHeader('Cache-Control', 'no-cache');
      },
    }),
  );
  router.use(serveIndex(dir));
  return router;
}

/** Rewrites the URL to the compressed file, if there is one that the browser accepts. */
const serveCompressed =
  (dir: string): RequestHandler =>
  (req, _res, next) => {
    const isName = /^\/[\w-][\w.-]*\.(js|css)$/.test(req.path);
    const encoding =
      isName &&
      ENCODINGS.find(
        ({ name, ending }) => req.acceptsEncodings(name) === name && existsSync(join(dir, `${req.path}${ending}`)),
      );
    if (encoding) req.url = `${req.path}${encoding.ending}`;
    next();
  };

function setEncodingHeaders(res: ServerResponse, path: string): void {
  res.setHeader('Vary', 'Accept-Encoding');
  const encoding = ENCODINGS.find(({ ending }) => path.endsWith(ending));
  if (!encoding) return;
  res.setHeader('Content-Encoding', encoding.name);
  res.setHeader('Content-Type', TYPES[extname(path.slice(0, -encoding.ending.length))] ?? 'application/octet-stream');
}

/** Serves index.html for paths of the client-side router (`/albums/7`). */
const serveIndex =
  (dir: string): RequestHandler =>
  (req, res, next) => {
    if ((req.method !== 'GET' && req.method !== 'HEAD') || !req.accepts('html') || /\.\w{1,5}$/.test(req.path))
      return next();
    const indexPath = join(dir, 'index.html');
    if (!existsSync(indexPath)) return void res.status(503).type('text/plain').end(NOT_BUILT);
    res.sendFile(indexPath, { headers: { 'Cache-Control': 'no-cache' } });
  };
