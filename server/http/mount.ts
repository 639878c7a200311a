// Turns the list of routes into an Express router: access → zod → handler → JSON.
import express, { type Request, type Response, type Router } from 'express';
import { refusal } from '../db/rights.ts';
import { AppError, invalid } from '../errors.ts';
import { toFields } from './problem.ts';
import { Reply, type Method, type Principal, type Route } from './route.ts';

/** The user of a request; undefined without a valid token. `query` also accepts the `token` parameter. */
export type Authenticate = (req: Request, from: { query: boolean }) => Principal | undefined;

export interface MountOptions {
  authenticate: Authenticate;
  /** Check every response against its schema; for tests, since it costs time. */
  checkReplies?: boolean;
}

const noBody = (): AppError => new AppError('bad_request', 'A JSON body is required (Content-Type: application/json).');
const parseJson = express.json({
  limit: '5mb',
  strict: false,
  // Express reads an empty body as {}, which would be valid where every field is optional
  verify: (_req, _res, bytes) => {
    if (bytes.length === 0) throw noBody();
  },
});
const METHODS: Method[] = ['get', 'post', 'put', 'patch', 'delete'];

export function mountRoutes(routes: Route[], options: MountOptions): Router {
  const router = express.Router({ caseSensitive: true });
  for (const [path, group] of byPath(routes)) {
    for (const route of group) router[route.spec.method](path, serve(route, options));
    router.all(path, (req, res) => refuseMethod(req, res, group));
  }
  return router;
}

/** Literal paths go before parameters (`/tracks/upload` before `/tracks/:id`), in whatever order modules list them. */
function byPath(routes: Route[]): [string, Route[]][] {
  const groups = Map.groupBy(routes, (route) => route.spec.path);
  const rank = (path: string) =>
    path
      .split('/')
      .map((part) => (part.startsWith(':') ? '1' : '0'))
      .join('');
  return [...groups].sort(([a], [b]) => rank(a).localeCompare(rank(b)));
}

function refuseMethod(req: Request, res: Response, group: Route[]): void {
  const allowed = METHODS.filter((m) => group.some((route) => route.spec.method === m)).map((m) => m.toUpperCase());
  if (allowed.includes('GET')) allowed.push('HEAD');
  res.set('Allow', allowed.join(', '));
  if (req.method === 'OPTIONS') return void res.status(204).end();
  throw new AppError('method_not_allowed', `${req.method} is not supported here.`);
}

function serve({ spec, handle }: Route, { authenticate, checkReplies }: MountOptions) {
  return async (req: Request, res: Response): Promise<void> => {
    res.locals['route'] = `${spec.method.toUpperCase()} ${spec.path}`;
    const user = requireAccess(spec, authenticate, req);
    res.locals['userId'] = user?.id;
    if (spec.body && !spec.consumes) await readBody(req, res, spec.form === true);

    const params = parsePart(spec.params, req.params);
    const query = parsePart(spec.query, spec.query && queryOf(req));
    const body = spec.consumes ? undefined : parsePart(spec.body, req.body);
    const answer = await handle({ user, params, query, body, req, res, signal: signalOf(res) });
    if (spec.produces) return;

    const reply = answer instanceof Reply ? answer : new Reply(spec.status?.[0] ?? (spec.reply ? 200 : 204), answer);
    if (!spec.reply) return void res.status(reply.status).end();
    if (checkReplies) spec.reply.parse(reply.value);
    res
      .status(reply.status)
      .set(reply.headers)
      .set('Content-Type', 'application/json; charset=utf-8')
      .end(JSON.stringify(reply.value));
  };
}

function requireAccess(
  { access, right, orOwn }: Route['spec'],
  authenticate: Authenticate,
  req: Request,
): Principal | undefined {
  const user = authenticate(req, { query: access === 'stream' });
  if (access === 'public') return user;
  if (!user) throw new AppError('unauthenticated', 'Sign in first: the access token is missing, invalid or expired.');
  if (access === 'superuser' && !user.isSuperuser)
    throw new AppError('forbidden', 'Only an administrator may do this.');
  if (right !== undefined && orOwn !== true && !user.rights[right]) throw refusal(right);
  return user;
}

async function readBody(req: Request, res: Response, form: boolean): Promise<void> {
  if (form && req.is('application/x-www-form-urlencoded')) {
    req.body = Object.fromEntries(new URLSearchParams(await readText(req, 100_000)));
    return;
  }
  if (req.headers['content-length'] !== '0' && req.headers['content-type'] !== undefined && !req.is('json')) {
    throw new AppError('unsupported_type', 'The body must be JSON (Content-Type: application/json).');
  }
  await new Promise<void>((resolve, reject) =>
    parseJson(req, res, (error?: unknown) => (error ? reject(error) : resolve())),
  );
  if (req.body === undefined) throw noBody();
}

async function readText(req: Request, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new AppError('too_large', 'The body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsePart(schema: Route['spec']['params'], value: unknown): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalid(toFields(parsed.error));
  return parsed.data;
}

/** Query parameters without Express's parser: no nesting, no limit on their number; a repeated one is a list. */
export function queryOf(req: Request): Record<string, string | string[]> {
  const at = req.originalUrl.indexOf('?');
  const query: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  if (at < 0) return query;
  for (const [key, value] of new URLSearchParams(req.originalUrl.slice(at))) {
    const before = query[key];
    query[key] = before === undefined ? value : Array.isArray(before) ? (before.push(value), before) : [before, value];
  }
  return query;
}

function signalOf(res: Response): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}
