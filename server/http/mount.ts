// Turns the list of routes into an Express router, in which each request passes access → zod → handler → JSON.
import express, { type Request, type Response, type Router } from 'express';
import type { z } from 'zod';
import { refusal } from '../db/rights.ts';
import { AppError, badRequest, invalid, unauthenticated } from '../errors.ts';
import { parseBody, parseQuery, type QueryText } from './accepts.ts';
import { readBytes, readJson } from './body.ts';
import type { InFlight } from './in-flight.ts';
import { listEtag } from './list-etags.ts';
import { betterPasswordRequired } from './own-machine.ts';
import { parseParams } from './params.ts';
import { hasCurrentCopy } from './ranges.ts';
import { jsonText, sendText, readWhole } from './streamed-lists.ts';
import { toFields, toProblem } from './problem.ts';
import { statusesOf, successesOf } from './statuses.ts';
import { Reply, type Method, type Principal, type Route, type TokenScope } from './route.ts';

/**
 * Returns the user of a request; undefined without a valid token. With `query`, the parameter `token` is accepted, too.
 */
export type Authenticate = (req: Request, from: TokenSource) => Principal | undefined;
export interface TokenSource {
  query: boolean;
  /** Which tokens for URLs are accepted, by default `media`. */
  scope?: TokenScope | undefined;
}

export interface MountOptions {
  authenticate: Authenticate;
  inFlight?: InFlight | undefined;
  /** Tracks a response, and destroys it when its caller loses access. Returns the function that stops tracking it. */
  watchOpenResponse?: ((res: Response, user: Principal, spec: Route['spec']) => () => void) | undefined;
  /** Called with each response to a signed-in user. */
  noteSignedIn?: (res: Response) => void;
  /** Throws when a request wrote to a database file that the next start will not open. */
  assertWritten?: () => void;
  /** Runs requests that free space on a full disk. */
  withReserve?: (work: () => unknown) => Promise<unknown>;
  /** Returns the version of what lists depend on, from which their ETags are made; without it they have none. */
  listVersion?: () => string;
  /** Checks every response against its declared shape; only in tests, because it costs time. */
  checkReplies?: boolean;
}

const BODY_REQUIRED = 'A JSON body is required (Content-Type: application/json).';
const MAX_FORM_BYTES = 100_000;
const MAX_FORM_PARAMETERS = 100;
const MAX_QUERY_PARAMETERS = 11_000;
const METHODS: Method[] = ['get', 'post', 'put', 'patch', 'delete'];

export function mountRoutes(routes: Route[], options: MountOptions): Router {
  const router = express.Router({ caseSensitive: true });
  for (const { path, group } of byPath(routes.flatMap(withAliases))) {
    const pathRouter = router.route(path);
    for (const route of group) pathRouter[route.spec.method](serve(route, options));
    pathRouter.all((req, res) => refuseMethod(req, res, group));
  }
  return router;
}

const withAliases = ({ spec, handle }: Route): Route[] =>
  [spec.path, ...(spec.aliases ?? [])].flatMap((path) =>
    [spec.method, ...(spec.alsoMethods ?? [])].map((method) => ({ spec: { ...spec, path, method }, handle })),
  );

/**
 * Groups routes by path. Literal paths go before parameters (`/tracks/upload` before `/tracks/:id`), in whatever order
 * modules list them.
 */
function byPath(routes: Route[]) {
  const groups = [...Map.groupBy(routes, (route) => route.spec.path)].map(([path, group]) => ({
    path,
    group,
    rank: path.replaceAll(/[^/]+/g, (part) => (part.startsWith(':') ? '1' : '0')),
  }));
  // localeCompare is not used, because loading its tables takes 9 ms of every start.
  return groups.sort((a, b) => Number(a.rank > b.rank) - Number(a.rank < b.rank));
}

function refuseMethod(req: Request, res: Response, group: Route[]): void {
  const allowedMethods = METHODS.filter((m) => group.some((route) => route.spec.method === m)).map((m) =>
    m.toUpperCase(),
  );
  if (allowedMethods.includes('GET')) allowedMethods.push('HEAD');
  res.set('Allow', allowedMethods.join(', '));
  if (req.method === 'OPTIONS') return void res.status(204).end();
  throw new AppError('method_not_allowed', `${req.method} is not supported here.`);
}

function serve(route: Route, options: MountOptions) {
  return async (req: Request, res: Response): Promise<void> => {
    res.locals['route'] = `${route.spec.method.toUpperCase()} ${route.spec.path}`;
    try {
      await answer(route, options, req, res);
    } catch (error) {
      const { problem, isUnexpected } = toProblem(error);
      if (options.checkReplies && !isUnexpected) assertDocumented(route, problem.status);
      throw error;
    }
    if (options.checkReplies) assertDocumented(route, res.statusCode);
  };
}

/** Checks in tests that the OpenAPI document lists the status. */
function assertDocumented({ spec }: Route, status: number): void {
  if (!statusesOf(spec).has(status))
    throw new Error(`${spec.method} ${spec.path} does not say that it answers ${status}.`);
}

async function answer(
  { spec, handle }: Route,
  {
    authenticate,
    inFlight,
    watchOpenResponse: noteOpen,
    noteSignedIn,
    assertWritten,
    withReserve,
    listVersion,
    checkReplies,
  }: MountOptions,
  req: Request,
  res: Response,
): Promise<void> {
  let user = requireAccess(spec, authenticate, req);
  res.locals['userId'] = user?.id;
  if (user) noteSignedIn?.(res);
  const hasBody = spec.body !== undefined && !spec.consumes;
  const untrack = user && (hasBody || spec.produces || spec.consumes) ? noteOpen?.(res, user, spec) : undefined;
  // The body is read before the request counts, so that a stalled upload does not use up the limit.
  const rawBody = hasBody ? await readBody(req, spec) : undefined;
  if (hasBody) {
    if (!spec.produces) untrack?.(); // a request that ends its own session must still get its response
    user &&= requireAccess(spec, authenticate, req); // the caller may have lost access while the body arrived
  }
  await inFlight?.(res, { user, address: req.ip });
  const params = parseParameters(spec.params, req.params);
  const query = spec.query && parseQuery(spec.query, await queryOf(req), spec.accepts);
  const body = hasBody ? parseBody(spec.body as z.ZodType, rawBody, spec) : undefined;
  const version = spec.hasEtag && listVersion?.();
  const etag = version && user && listEtag(version, user, req.originalUrl, query);
  if (etag) {
    res.set({ ETag: `W/${etag}`, 'Cache-Control': 'private, no-cache', Vary: 'Accept-Encoding' });
    if (hasCurrentCopy(req.headers, etag)) return void res.status(304).end();
  }
  const callHandler = (): unknown => handle({ user, params, query, body, req, res, signal: signalOf(res) });
  const result = await (withReserve && makesRoom(spec) ? withReserve(callHandler) : callHandler());
  if (spec.method !== 'get') assertWritten?.();
  if (spec.produces) return;

  const reply = result instanceof Reply ? result : new Reply(successesOf(spec)[0] ?? 200, result);
  if (!spec.reply) return void res.status(reply.status).end();
  const value = checkReplies ? await readWhole(reply.value) : reply.value;
  if (checkReplies) spec.reply.parse(value);
  res.status(reply.status).set(reply.headers).set('Content-Type', 'application/json; charset=utf-8');
  if (spec.secret) res.set('Cache-Control', 'no-store'); // RFC 6749, section 5.1
  await sendText(res, jsonText(value), { mayCompress: !spec.secret });
}

const makesRoom = (spec: Route['spec']): boolean => spec.makesRoom ?? spec.method === 'delete';

function requireAccess(
  { access, scope, right, orOwn }: Route['spec'],
  authenticate: Authenticate,
  req: Request,
): Principal | undefined {
  const user = authenticate(req, { query: access === 'stream', scope });
  if (access === 'public') return user?.needsBetterPassword ? undefined : user;
  if (!user) throw unauthenticated();
  if (user.needsBetterPassword) throw betterPasswordRequired();
  if (access === 'superuser' && !user.isSuperuser)
    throw new AppError('forbidden', 'Only an administrator may do this.');
  if (right !== undefined && orOwn !== true && !user.rights[right]) throw refusal(right);
  return user;
}

async function readBody(req: Request, { form = false, longLists, bodyOptional }: Route['spec']): Promise<unknown> {
  if (bodyOptional && !sendsBody(req)) return {};
  if (form && req.is('application/x-www-form-urlencoded')) {
    const params = await parseParams(await readBytes(req, MAX_FORM_BYTES), MAX_FORM_PARAMETERS);
    return Object.fromEntries([...params].map(([name, values]) => [name, values.at(-1)]));
  }
  if (req.headers['content-length'] !== '0' && req.headers['content-type'] !== undefined && !isPlainJson(req))
    throw new AppError('unsupported_type', 'The body must be JSON (Content-Type: application/json), not compressed.');
  const body = await readJson(req, longLists);
  if (req.headers['content-type'] === undefined) throw badRequest(BODY_REQUIRED);
  return body;
}

const sendsBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const isPlainJson = (req: Request): boolean =>
  Boolean(req.is('json')) &&
  /^(?!.*charset=)|charset="?utf-?8\b/i.test(req.headers['content-type'] ?? '') &&
  (req.headers['content-encoding'] ?? 'identity') === 'identity';

function parseParameters(schema: Route['spec']['params'], value: unknown): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalid(toFields(parsed.error, value));
  return parsed.data;
}

/** Parses query parameters without Express's parser: no nesting, and a repeated parameter is a list. */
async function queryOf(req: Request): Promise<QueryText> {
  const queryStart = req.originalUrl.indexOf('?');
  const query = Object.create(null) as QueryText;
  if (queryStart < 0) return query;
  const params = await parseParams(Buffer.from(req.originalUrl.slice(queryStart + 1)), MAX_QUERY_PARAMETERS);
  for (const [name, values] of params) query[name] = values.length === 1 ? (values[0] ?? '') : values;
  return query;
}

function signalOf(res: Response): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}
