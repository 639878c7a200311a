// Starts an Express app with only the given routes on a free port, for tests over HTTP.
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import { errorHandler, notFoundHandler } from '../../../server/http/problem.ts';
import { requestLog } from '../../../server/http/request-log.ts';
import { mountRoutes, type Authenticate } from '../../../server/http/mount.ts';
import type { Route } from '../../../server/http/route.ts';
import { securityHeaders } from '../../../server/http/security-headers.ts';
import { createLog } from '../../../server/log/log.ts';
import { principal } from '../../support/principals.ts';

export interface BareApp {
  url: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends raw bytes, and returns the whole response. */
  raw(text: string): Promise<string>;
  logged(): Record<string, unknown>[];
  close(): Promise<void>;
}

/** Accepts `Bearer ann` as a user and `Bearer root` as a superuser, and `token=ann` if the query may authenticate. */
const authenticate: Authenticate = (req, { query }) => {
  const name =
    req.headers.authorization?.replace('Bearer ', '') ??
    (query ? new URL(req.originalUrl, 'http://a').searchParams.get('token') : '');
  return name === 'ann' || name === 'root' ? principal(name === 'ann' ? 2 : 1, name, name === 'root') : undefined;
};

export async function openBareApp(
  routes: Route[],
  { before: handlersBefore = [], checkReplies = true }: { before?: RequestHandler[]; checkReplies?: boolean } = {},
): Promise<BareApp> {
  const lines: string[] = [];
  const log = createLog('debug', { write: (line: string) => lines.push(line) > 0 } as unknown as NodeJS.WritableStream);
  const app = express()
    .disable('x-powered-by')
    .disable('etag')
    .set('query parser', false)
    .use(
      requestLog(log, () => new Date()),
      securityHeaders,
      ...handlersBefore,
    );
  app.use(mountRoutes(routes, { authenticate, checkReplies }), notFoundHandler, errorHandler(log));
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    fetch: (path, init) => fetch(url + path, init),
    raw: (text) =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(text));
        let answer = '';
        socket
          .on('data', (chunk) => void (answer += chunk.toString()))
          .on('end', () => resolve(answer))
          .on('error', reject);
      }),
    logged: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
