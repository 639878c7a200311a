// The composition root: database, tools, services in floor order, task handlers, routes. Nothing here decides anything.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import express, { type Express } from 'express';
import { createAuthService } from './auth/service.ts';
import { authRoutes } from './auth/routes.ts';
import type { Config } from './config/config.ts';
import { loadSecrets, openSecrets } from './config/secrets.ts';
import { coverRoutes } from './covers/routes.ts';
import { createCoverService } from './covers/service.ts';
import { coverTask } from './covers/task.ts';
import { openDatabase } from './db/client.ts';
import { lockDataFolder } from './db/data-lock.ts';
import type { TrackId } from './db/ids.ts';
import { AppError } from './errors.ts';
import { createEventHub } from './events/hub.ts';
import { eventRoutes } from './events/routes.ts';
import { documentationRoutes } from './http/docs-page.ts';
import { checkHost, checkOrigin, errorHandler, notFoundHandler, requestLine } from './http/guard.ts';
import { healthRoutes } from './http/health.ts';
import { metricRoutes } from './http/metrics.ts';
import { mountRoutes } from './http/mount.ts';
import { openApiDocument } from './http/openapi.ts';
import type { Route } from './http/route.ts';
import { webInterface } from './http/static-files.ts';
import { createHistoryMoves } from './history/moves.ts';
import { ingestRoutes } from './ingest/routes.ts';
import { createReaderPool } from './ingest/reader-pool.ts';
import { createDeletedFiles } from './ingest/deleted-files.ts';
import { createLostFiles } from './ingest/lost-files.ts';
import { createRelocation } from './ingest/relocate.ts';
import { relocateRoutes } from './ingest/relocate-routes.ts';
import { assertScannable, scanTask } from './ingest/task.ts';
import { createUploadService } from './ingest/upload.ts';
import { createWalker } from './ingest/walker.ts';
import { createWatcher, type WatchTiming } from './ingest/watch.ts';
import { jobRoutes } from './jobs/routes.ts';
import { createJobs } from './jobs/service.ts';
import { createTrackMerge } from './library/merge.ts';
import { createLibraryNews } from './library/news.ts';
import { libraryRoutes } from './library/routes.ts';
import { createLibraryService } from './library/service.ts';
import { createTrackWriter } from './library/track-writer.ts';
import { createLikeMoves } from './likes/moves.ts';
import { likeRoutes } from './likes/routes.ts';
import { createLikeService } from './likes/service.ts';
import type { Log } from './log/log.ts';
import type { ProductPaths } from './paths.ts';
import { createPlaylistMoves } from './playlists/moves.ts';
import { searchRoutes } from './search/routes.ts';
import { createSearchService } from './search/service.ts';
import { importPathFault } from './settings/checks.ts';
import { createSettingsService } from './settings/service.ts';
import { settingsRoutes } from './settings/routes.ts';
import { createSources } from './sources/registry.ts';
import { sourceRoutes } from './sources/routes.ts';
import { createAudioStore } from './storage/audio-store.ts';
import { createClaims } from './storage/claims.ts';
import { openStorage } from './storage/open.ts';
import { streamingRoutes } from './streaming/routes.ts';

export interface AppOptions {
  config: Config;
  paths: ProductPaths;
  version: string;
  log: Log;
  now?: () => Date;
  /** Check every answer against its declared shape; for tests. */
  checkReplies?: boolean;
  /** How long the watch on the music folder waits for what; for tests. */
  watchTiming?: Partial<WatchTiming>;
}

export type App = Awaited<ReturnType<typeof createApp>>;

/** Clients send play queues of thousands of ids in the address. */
const MAX_REQUEST_HEAD = 256 * 1024;

export async function createApp({ config, paths, version, log, now = () => new Date(), checkReplies = false, watchTiming = {} }: AppOptions) {
  // Ground
  const { db, secrets, unlock } = await openGround(config, paths, log);
  const settings = createSettingsService({ config, log });

  // Tools
  const importPath = (): string | undefined => settings.get('LOCAL_MEDIA_IMPORT_PATH');
  const { storageRoot, tmp, cache } = config.paths;
  const storage = await openStorage(config, now);
  await rm(tmp, { recursive: true, force: true }); // uploads that a kill broke off
  const audioStore = createAudioStore({ storage, importPath });
  const news = createLibraryNews({ db });
  const events = createEventHub({ now, library: news.current });
  const jobs = createJobs({ db, log, now, events });
  const claims = createClaims();
  const reader = createReaderPool({ workerUrl: paths.workers.reader, log });
  const uploadReader = createReaderPool({ workerUrl: paths.workers.reader, log });
  const walker = createWalker({ workerUrl: paths.workers.walk });
  const watcher = createWatcher({ db, log, settings, jobs, workerUrl: paths.workers.watch, timing: watchTiming });

  // Domain
  const auth = createAuthService({ db, log, now, settings, secrets });
  const deletedFiles = createDeletedFiles({ db });
  const tracks = createTrackWriter({ db, now });
  const library = createLibraryService({ db, log, now, storage, claims, tracks, onDeleted: deletedFiles.note });
  const libraryChanged = news.announcer(events);
  const likes = createLikeService({ db, now });
  const movers = [createLikeMoves({ db }), createHistoryMoves({ db }), createPlaylistMoves({ db, now })];
  const relocation = createRelocation({ db, now, tracks, library, merge: createTrackMerge({ db, tracks, movers }) });
  const lostFiles = createLostFiles({ db });
  const onGone = (id: TrackId): void => {
    if (!library.markMissing(id)) return;
    lostFiles.note(id);
    libraryChanged();
  };
  const covers = createCoverService({ db, log, now, storage, audioStore, cacheDir: cache, workerUrl: paths.workers.cover, onCover: libraryChanged });
  const search = createSearchService({ db, library });
  const sources = createSources({ db, settings });
  const onUploaded = (): void => {
    libraryChanged();
    void jobs.tryEnqueue('cover_task', {});
  };
  const uploads = createUploadService({ db, log, tracks, storage, claims, reader: uploadReader, settings, tmpDir: tmp, onUploaded });

  jobs.start({
    scan_local_folder: scanTask({
      db, databasePath: config.paths.database, tracks, claims, reader, walker, now, settings, events, jobs, libraryChanged,
      storageRoot, releaseAudio: library.releaseAudio,
    }),
    cover_task: coverTask({ covers }),
  });

  // Doors
  const health = healthRoutes({ version, database: () => canRead(db), queue: jobs.isRunning, storage: async () => (await storage.diskUsage(), true) });
  const streaming = streamingRoutes({ db, audioStore, onGone });
  await auth.ensureAdmin();
  const rootRoutes = [...health, ...streaming];
  const api: Route[] = [
    ...health,
    ...authRoutes(auth, { version }),
    ...settingsRoutes(settings),
    ...libraryRoutes({ library, libraryChanged }),
    ...likeRoutes(likes),
    ...relocateRoutes({ relocation, libraryChanged }),
    ...searchRoutes(search),
    ...coverRoutes(covers),
    ...streaming,
    ...sourceRoutes(sources),
    ...ingestRoutes({ uploads, sources, settings, jobs, trackOut: library.trackOut }),
    ...metricRoutes({ version, library: library.countLibrary }),
    ...jobRoutes(jobs),
    ...eventRoutes({ events, authenticate: auth.authenticate }),
    ...documentationRoutes(() => api, { version, rootRoutes }),
  ];
  const mounting = { authenticate: auth.authenticate, checkReplies };

  const web = express().disable('x-powered-by').disable('etag').set('query parser', false);
  web.use(requestLine(log, now), checkHost(() => settings.get('ALLOWED_HOSTS')));
  web.use('/api/v1', checkOrigin, mountRoutes(api, mounting), notFoundHandler);
  web.use(mountRoutes(rootRoutes, mounting));
  web.use(webInterface(paths.renderer));
  web.use(notFoundHandler, errorHandler(log));

  let server: Server | undefined;
  return {
    config, db, routes: api, auth, jobs, events, library, settings, watcher,

    /** Starts to listen; gives the address. Throws an AppError that names the port when it is taken. */
    async listen(): Promise<string> {
      server = await listen(web, settings.get('HOST'), settings.get('PORT'));
      watcher.start();
      const { port } = server.address() as AddressInfo;
      return `http://${urlHost(settings.get('HOST'))}:${port}`;
    },

    openApi: () => openApiDocument(api, { title: 'Tonearm', version, basePath: '/api/v1', rootRoutes }),

    /** Throws a sentence when the music folder that is set cannot be scanned. */
    async assertScannable(): Promise<void> {
      const path = importPath();
      const fault = path === undefined ? undefined : await importPathFault(path, { data: config.paths.data, storageRoot });
      if (fault) throw new AppError('invalid', `The music folder ${path} ${fault}.`);
      await assertScannable(settings);
    },

    /** Runs queued jobs until none is left. */
    drain: () => jobs.drain(),

    /** Ends running work so that the next start goes on with it, then closes everything. */
    async close(): Promise<void> {
      server?.close();
      events.close();
      await watcher.close();
      await jobs.close({ graceMs: 5_000 });
      server?.closeAllConnections();
      await Promise.all([reader.close(), uploadReader.close(), walker.close(), covers.close()]);
      db.$client.close();
      unlock();
    },
  };
}

/** What everything stands on. Lets the data folder go when it cannot be opened. */
async function openGround(config: Config, paths: ProductPaths, log: Log) {
  const { data, database, secretsFile } = config.paths;
  mkdirSync(data, { recursive: true });
  const unlock = lockDataFolder(join(data, 'tonearm.lock'), data);
  try {
    const secrets = await loadSecrets(config.settings, openSecrets(secretsFile));
    return { db: openDatabase({ path: database, migrationsDir: paths.migrations, log }), secrets, unlock };
  } catch (error) {
    unlock();
    throw error;
  }
}

function canRead(db: ReturnType<typeof openDatabase>): boolean {
  try {
    db.$client.prepare('SELECT 1 FROM users LIMIT 1').get();
    return true;
  } catch {
    return false; // what /health is there to say
  }
}

function listen(app: Express, host: string, port: number): Promise<Server> {
  const server = createServer({ maxHeaderSize: MAX_REQUEST_HEAD, keepAliveTimeout: 65_000, requestTimeout: 0 }, app); // a large upload takes its time
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(new AppError('unavailable', listenProblem(cause, host, port), { cause })));
    server.listen(port, host, () => resolve(server));
  });
}

function listenProblem(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} on ${host} is in use. Stop the program that uses it, or choose another with --port.`;
  if (error.code === 'EACCES') return `Port ${port} may not be used by this account. Choose one above 1023 with --port.`;
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') return `${host} is no address of this machine. Choose another with --host.`;
  return `Cannot listen on ${host}:${port} (${error.message}).`;
}

const urlHost = (host: string): string => (host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host);
