// The Express app: all middleware and routers, in order.
import express, { type Express, type RequestHandler, type Response, type Router } from 'express';
import type { LiveSettings } from '../config/live-settings.ts';
import { canReadTable, type MainDb } from '../db/client.ts';
import type { InPlace } from '../db/removed-database.ts';
import type { Reserve } from '../db/reserve.ts';
import type { Log } from '../log/log.ts';
import type { ProductPaths } from '../paths.ts';
import type { createActivity } from './activity.ts';
import { documentationRoutes } from './docs-page.ts';
import { healthRoutes, type HealthChecks } from './health.ts';
import { checkHost, checkOrigin } from './host-and-origin.ts';
import { metricRoutes, type MetricSources } from './metrics.ts';
import { mountRoutes, type MountOptions } from './mount.ts';
import type { MayGoOn, OpenAnswers } from './open-answers.ts';
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
  settings: LiveSettings;
  events: { lastId: () => number };
  activity: ReturnType<typeof createActivity>;
  jobs: { isRunning: () => boolean; canRead: () => boolean };
  sharing: { isShared: () => boolean; ownNames: () => string[] };
  problems: { listUncounted: HealthChecks['problems'] };
  library: { countLibrary: MetricSources['library'] };
  modules: {
    /** Below /api/v1, where health, metrics and documentation are added. */
    routes: () => Route[];
    /** Below /. */
    rootRoutes: () => Route[];
  };
  /** Below /rest. */
  subsonic: RequestHandler;
  openAnswers: OpenAnswers;
  mayGoOn: MayGoOn;
}

interface WebApp {
  handler: Express;
  /** Below /api/v1. */
  routes: Route[];
  /** Below /. */
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
  mayGoOn,
  checkReplies = false,
}: WebAppDeps): WebApp {
  const health = healthRoutes({
    version,
    database: () => inPlace.check() && canReadTable(db, 'users'),
    queue: () => jobs.isRunning() && jobs.canRead(),
    problems: problems.listUncounted,
  });
  const documentation = documentationRoutes(() => ({ routes: api, rootRoutes }), version);
  const rootRoutes = [...health, ...modules.rootRoutes(), ...documentation];
  const api: Route[] = [
    ...health,
    ...modules.routes(),
    ...metricRoutes({ version, library: library.countLibrary }),
    ...documentation,
  ];
  const mounting: MountOptions = {
    authenticate,
    inFlight,
    noteOpen: (res, user, { right, orOwn }) =>
      openAnswers.note(res, user.id, () => mayGoOn(user, orOwn ? undefined : right)),
    checkReplies,
    assertWritten: inPlace.assert,
    withReserve: reserve.use,
  };
  const handler = express()
    .disable('x-powered-by')
    .disable('etag')
    .set('query parser', false)
    .set('trust proxy', settings.get('TRUSTED_PROXIES'));
  handler.use(activity.notice, requestLog(log, now), securityHeaders);
  // For every client that reaches the server, under whatever name, and however busy it is.
  const healthRouter = mountRoutes(health, { authenticate: () => undefined, checkReplies });
  handler.use(healthRouter);
  handler.use('/api/v1', healthRouter);
  handler.use(
    checkHost(
      () => ({ allowed: settings.get('ALLOWED_HOSTS'), isShared: sharing.isShared(), own: sharing.ownNames }),
      log,
    ),
  );
  handler.use(
    '/api/v1',
    checkOrigin,
    mountedLater(() => mountRoutes(api, { ...mounting, noteSignedIn: noteLastEvent(events) })),
    unknownPathHandler(() => api),
  );
  handler.use('/rest', subsonic);
  handler.use(mountRoutes(rootRoutes, mounting));
  handler.use(webInterface(paths.renderer));
  handler.use(notFoundHandler, errorHandler(log));
  return {
    handler,
    routes: api,
    rootRoutes,
    openApi: () => openApiDocument(api, { title: 'Tonearm', version, basePath: '/api/v1', rootRoutes }),
  };
}

/** A page asks for lists before it hears of changes: it asks for those since its first answer. */
const noteLastEvent =
  (events: WebAppDeps['events']) =>
  (res: Response): void =>
    void res.set('X-Last-Event-Id', String(events.lastId()));

/** The first request pays for hundreds of patterns, not every start. */
function mountedLater(mount: () => Router): RequestHandler {
  let router: Router | undefined;
  return (req, res, next) => (router ??= mount())(req, res, next);
}
