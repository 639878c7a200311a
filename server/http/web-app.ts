// The Express app: all middleware and routers, in order.
import express, { type Express, type RequestHandler, type Response, type Router } from 'express';
import type { WatchedSettings } from '../config/live-settings.ts';
import { canReadTable, type MainDb } from '../db/client.ts';
import type { InPlace } from '../db/removed-database.ts';
import type { Reserve } from '../db/reserve.ts';
import type { Log } from '../log/log.ts';
import type { ProductPaths } from '../paths.ts';
import type { createActivity } from './activity.ts';
import { documentationRoutes } from './docs-page.ts';
import { healthRoutes, type HealthChecks } from './health.ts';
import { checkHost, checkOrigin } from './host-and-origin.ts';
import { createListVersion } from './list-etags.ts';
import { metricRoutes, type MetricSources } from './metrics.ts';
import { mountRoutes, type MountOptions } from './mount.ts';
import type { IsStillAllowed, OpenAnswers } from './open-answers.ts';
import { openApiDocument, type OpenApiDocument } from './openapi.ts';
import { unknownPathHandler } from './nearest-paths.ts';
import { errorHandler, notFoundHandler } from './problem.ts';
import { requestLog } from './request-log.ts';
import type { Route } from './route.ts';
import { securityHeaders } from './security-headers.ts';
import { webInterface } from './static-files.ts';

interface WebAppDeps extends Omit<MountOptions, 'noteOpen'> {
  paths: Pick<ProductPaths, 'renderer'>;
  version: string;
  log: Log;
  now: () => Date;
  db: MainDb;
  inPlace: InPlace;
  reserve: Reserve;
  settings: WatchedSettings;
  changes: { version: () => number };
  events: { lastId: () => number };
  activity: ReturnType<typeof createActivity>;
  jobs: { isRunning: () => boolean; canRead: () => boolean; lastSuccesses: HealthChecks['lastSuccesses'] };
  sharing: { isShared: () => boolean; ownNames: () => string[] };
  problems: { listUncounted: HealthChecks['problems'] };
  library: { countLibrary: MetricSources['library'] };
  modules: {
    /** Returns the routes below /api/v1; health, metrics and documentation are added to them. */
    routes: () => Route[];
    /** Returns the routes at the root. */
    rootRoutes: () => Route[];
  };
  /** The handler of requests below /rest. */
  subsonic: RequestHandler;
  openAnswers: OpenAnswers;
  isStillAllowed: IsStillAllowed;
}

interface WebApp {
  handler: Express;
  /** The routes below /api/v1. */
  routes: Route[];
  /** The routes at the root. */
  rootRoutes: Route[];
  openApi: () => OpenApiDocument;
}

export function createWebApp({
  paths,
  version,
  log,
  now,
  db,
  inPlace,
  reserve,
  settings,
  changes,
  events,
  activity,
  jobs,
  sharing,
  problems,
  library,
  modules,
  subsonic,
  authenticate,
  inFlight,
  openAnswers,
  isStillAllowed,
  checkReplies = false,
}: WebAppDeps): WebApp {
  const health = healthRoutes({
    version,
    database: () => inPlace.check() && canReadTable(db, 'users'),
    queue: () => jobs.isRunning() && jobs.canRead(),
    problems: problems.listUncounted,
    lastSuccesses: jobs.lastSuccesses,
    now,
  });
  const documentation = documentationRoutes(() => ({ routes: apiRoutes, rootRoutes }), version);
  const rootRoutes = [...health, ...modules.rootRoutes(), ...documentation];
  const apiRoutes: Route[] = [
    ...health,
    ...modules.routes(),
    ...metricRoutes({ version, settings, library: library.countLibrary, lastSuccesses: jobs.lastSuccesses }),
    ...documentation,
  ];
  const mountOptions: MountOptions = {
    authenticate,
    inFlight,
    watchOpenResponse: (res, user, { right, orOwn }) =>
      openAnswers.track(res, user.id, () => isStillAllowed(user, orOwn ? undefined : right)),
    checkReplies,
    assertWritten: inPlace.assert,
    withReserve: reserve.use,
    listVersion: createListVersion({ db, settings, changes }),
  };
  const handler = express()
    .disable('x-powered-by')
    .disable('etag')
    .set('query parser', false)
    .set('trust proxy', settings.get('TRUSTED_PROXIES'));
  handler.use(mergeSlashes, activity.trackRequests, requestLog(log, now), securityHeaders);
  // Health is served to every client, under any host name, and without the limits of concurrent requests.
  const healthRouter = mountRoutes(health, { authenticate: () => undefined, checkReplies });
  handler.use(healthRouter);
  handler.use('/api/v1', healthRouter);
  handler.use(
    checkHost(
      () => ({ allowedHosts: settings.get('ALLOWED_HOSTS'), isShared: sharing.isShared(), ownNames: sharing.ownNames }),
      log,
    ),
  );
  handler.use(
    '/api/v1',
    checkOrigin,
    mountOnFirstRequest(() => mountRoutes(apiRoutes, { ...mountOptions, noteSignedIn: noteLastEvent(events) })),
    unknownPathHandler(() => apiRoutes),
  );
  handler.use('/rest', subsonic);
  handler.use(mountRoutes(rootRoutes, mountOptions));
  handler.use(webInterface(paths.renderer));
  handler.use(notFoundHandler, errorHandler(log));
  return {
    handler,
    routes: apiRoutes,
    rootRoutes,
    openApi: () => openApiDocument(apiRoutes, { title: 'Tonearm', version, basePath: '/api/v1', rootRoutes }),
  };
}

/** Treats several slashes in a path as one, because people end the server's address with a slash. */
const mergeSlashes: RequestHandler = (req, _res, next) => {
  const [path = ''] = req.url.split('?', 1);
  if (path.startsWith('/') && path.includes('//'))
    req.url = path.replaceAll(/\/{2,}/g, '/') + req.url.slice(path.length);
  next();
};

/** Sends the id of the last event, so that a page that loads its lists first can request the events since then. */
const noteLastEvent =
  (events: WebAppDeps['events']) =>
  (res: Response): void =>
    void res.set('X-Last-Event-Id', String(events.lastId()));

/**
 * Returns a handler that mounts a router at the first request: compiling hundreds of path patterns would take time at
 * every start.
 */
function mountOnFirstRequest(mount: () => Router): RequestHandler {
  let router: Router | undefined;
  return (req, res, next) => (router ??= mount())(req, res, next);
}
