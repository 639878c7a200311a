// The composition root: database, tools, services in floor order, task handlers, routes. Nothing here decides anything.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import express from 'express';
import { createAuthService } from './auth/service.ts';
import { authRoutes } from './auth/routes.ts';
import { createExportService } from './backup/export.ts';
import { backupRoutes } from './backup/routes.ts';
import { createRestoreService } from './backup/restore-service.ts';
import { createBackupService } from './backup/service.ts';
import type { Config } from './config/config.ts';
import { createSealer } from './config/sealed-text.ts';
import { createCoverArchive, type ArchivePace } from './covers/archive.ts';
import { coverRoutes } from './covers/routes.ts';
import { createCoverService } from './covers/service.ts';
import { createPlaceholderCovers } from './covers/placeholder-covers.ts';
import { coverArchiveTask, coverTask } from './covers/task.ts';
import { createCheckpoints } from './db/checkpoints.ts';
import type { MainDb } from './db/client.ts';
import type { TrackId } from './db/ids.ts';
import { duplicateRoutes } from './enrichment/duplicate-routes.ts';
import { createDuplicateService } from './enrichment/duplicates.ts';
import { findFingerprint, storeFingerprint } from './enrichment/fingerprints.ts';
import { AppError } from './errors.ts';
import { enrichmentRoutes } from './enrichment/routes.ts';
import { createEnrichment } from './enrichment/service.ts';
import { enrichLibraryTask, enrichTask } from './enrichment/tasks.ts';
import { createEventHub } from './events/hub.ts';
import { eventRoutes } from './events/routes.ts';
import { openGround } from './ground.ts';
import { createActivity } from './http/activity.ts';
import { documentationRoutes } from './http/docs-page.ts';
import { checkHost, checkOrigin, errorHandler, notFoundHandler, requestLine } from './http/guard.ts';
import { healthRoutes } from './http/health.ts';
import { metricRoutes } from './http/metrics.ts';
import { mountRoutes } from './http/mount.ts';
import { openApiDocument } from './http/openapi.ts';
import type { Route } from './http/route.ts';
import { webInterface } from './http/static-files.ts';
import { createHistoryImports } from './history/imports.ts';
import { matchHistoryTask } from './history/match-task.ts';
import { createPlayMerge } from './history/track-merge.ts';
import { createNowPlaying } from './history/now-playing.ts';
import { historyRoutes } from './history/routes.ts';
import { createScrobbling } from './history/scrobbling.ts';
import { createHistoryService } from './history/service.ts';
import { scanRoutes } from './scan/routes.ts';
import { downloadRoutes } from './downloads/routes.ts';
import { downloadTask } from './downloads/task.ts';
import { createDownloads } from './downloads/service.ts';
import { createReaderPool } from './files/reader-pool.ts';
import { createSourceFiles } from './files/source-files.ts';
import { createRelocation } from './relocation/service.ts';
import { relocationRoutes } from './relocation/routes.ts';
import { createRemoteMerge, createRemoteTracks } from './downloads/remote-tracks.ts';
import { createStoreFile } from './files/store-file.ts';
import { createTagReader } from './files/tag-reader.ts';
import { assertScannable, previewScan, scanTask, type PreviewWish } from './scan/task.ts';
import { createFingerprintIdentity } from './scan/fingerprint-identity.ts';
import { uploadRoutes } from './uploads/routes.ts';
import { createUploadService, enrichUploaded } from './uploads/service.ts';
import { createWalker } from './scan/walker.ts';
import { createWatcher, type WatchTiming } from './watch/service.ts';
import { createYieldToRequests } from './jobs/yield-to-requests.ts';
import { jobRoutes } from './jobs/routes.ts';
import { createJobs } from './jobs/service.ts';
import { jukeboxRoutes } from './jukebox/routes.ts';
import { createJukebox } from './jukebox/service.ts';
import { jukeboxEvent, toJukeboxOut } from './jukebox/wire.ts';
import { createTrackMerge } from './library/track-merge.ts';
import { createChangeEvents } from './library/change-events.ts';
import { createListThread } from './library/listing.ts';
import { libraryRoutes } from './library/routes.ts';
import { rebuildSearch } from './library/search-rebuild.ts';
import { createLibraryService } from './library/service.ts';
import { settleCreditsTask } from './library/task.ts';
import { createTrackWriter } from './library/track-writer.ts';
import { toTrackOut } from './library/wire-maps.ts';
import { libraryEvent } from './library/wire.ts';
import { createLikeMerge } from './likes/track-merge.ts';
import { likeRoutes } from './likes/routes.ts';
import { createLikeService } from './likes/service.ts';
import { likeEvent, toLikeState } from './likes/wire.ts';
import type { Log } from './log/log.ts';
import { networkRoutes } from './lan/routes.ts';
import { createSharing } from './lan/sharing.ts';
import { networkEvent } from './lan/wire.ts';
import type { ProductPaths } from './paths.ts';
import { createFingerprinter } from './media/fingerprint.ts';
import { createToolFinder } from './media/tools.ts';
import { createBookmarkService } from './playback/bookmarks.ts';
import { createPlaybackMerge } from './playback/track-merge.ts';
import { createQueueService } from './playback/queue.ts';
import { playbackRoutes } from './playback/routes.ts';
import { createFileMatcher } from './playlists/file-match.ts';
import { createEntryMerge } from './playlists/track-merge.ts';
import { playlistRoutes } from './playlists/routes.ts';
import { createPlaylistService } from './playlists/service.ts';
import { createSmartThread } from './playlists/smart-thread.ts';
import { createSmartLists } from './playlists/smart.ts';
import { createSongMatcher } from './playlists/song-match.ts';
import { createTransfer } from './playlists/transfer.ts';
import { createRadioService } from './radio/service.ts';
import { remoteSearchRoutes } from './search/remote-routes.ts';
import { createRemoteSearch } from './search/remote-search.ts';
import { searchRoutes } from './search/routes.ts';
import { createSearchService } from './search/service.ts';
import { importPathFault } from './settings/checks.ts';
import { createSettingsService } from './settings/service.ts';
import { settingsRoutes } from './settings/routes.ts';
import { createShareMerge } from './shares/track-merge.ts';
import { shareRoutes } from './shares/routes.ts';
import { createShareService } from './shares/service.ts';
import type { CataloguePace } from './sources/provider-http.ts';
import { createSources } from './sources/registry.ts';
import { createRemoteCatalogue } from './sources/remote-catalogue.ts';
import { sourceRoutes } from './sources/routes.ts';
import { statsRoutes } from './stats/routes.ts';
import { createStatsService } from './stats/service.ts';
import { createStorageStats } from './stats/storage-stats.ts';
import { createAudioStore } from './storage/audio-store.ts';
import { createLeases } from './storage/leases.ts';
import { openStorage } from './storage/open.ts';
import type { StoreLimits } from './storage/backend.ts';
import { streamingRoutes } from './streaming/routes.ts';
import { createStreamingService } from './streaming/service.ts';
import { createTranscodes } from './streaming/transcodes.ts';
import { createCoverArt } from './subsonic/cover-art.ts';
import { createSubsonicRouter } from './subsonic/router.ts';
import { createEndpoints } from './subsonic/endpoints.ts';
import { createResponder } from './subsonic/respond.ts';
import { createPlaybackSessions } from './subsonic/sessions.ts';
import { createDailyVerify } from './maintenance/daily-verify.ts';
import { garbageTask } from './maintenance/garbage-collection.ts';
import type { VerifyPace } from './maintenance/verify-pace.ts';
import { maintenanceRoutes } from './maintenance/routes.ts';
import { createStoreTest } from './maintenance/storage-test.ts';
import { verifyTask } from './maintenance/verify.ts';
import { EVENTS } from './wire.ts';

export interface AppOptions {
  config: Config;
  paths: ProductPaths;
  version: string;
  log: Log;
  now?: () => Date;
  /** Check every answer against its declared shape; for tests. */
  checkReplies?: boolean;
  /** Take up and run background jobs; default true. Without, those of an earlier run stay where they are. */
  work?: boolean;
  /** How long the watch on the music folder waits for what; for tests. */
  watchTiming?: Partial<WatchTiming>;
  /** How the cover archive is asked; for tests. */
  archivePace?: Partial<ArchivePace>;
  /** How long the object store is waited for; for tests. */
  s3Limits?: Partial<StoreLimits>;
  /** How the daily comparison with the checksums steps aside; for tests. */
  verifyPace?: Partial<VerifyPace>;
  /** How the remote catalogue is asked; for tests. */
  cataloguePace?: Partial<CataloguePace>;
  /** How often ListenBrainz is asked; for tests. */
  scrobblesPerSecond?: number;
}

export type App = Awaited<ReturnType<typeof createApp>>;

export async function createApp({
  config: given,
  paths,
  version,
  log,
  now = () => new Date(),
  checkReplies = false,
  work = true,
  watchTiming = {},
  archivePace = {},
  cataloguePace = {},
  s3Limits = {},
  verifyPace = {},
  scrobblesPerSecond = 1,
}: AppOptions) {
  // Ground
  const { config, db, secretStore, secrets, unlock } = await openGround(given, paths, log);
  const settings = createSettingsService({ config, secretStore, log });
  const sharing = createSharing({ settings, hostOrigin: config.origins.HOST, log });
  settings.onChange(['HOST'], () =>
    events.publish(networkEvent, { shared: sharing.state().isShared }, { audience: 'superuser' }),
  );

  // Tools
  const importPath = (): string | undefined => settings.get('LOCAL_MEDIA_IMPORT_PATH');
  const { storageRoot, tmp, cache } = config.paths;
  const storage = await openStorage(config, { now, s3Limits });
  await rm(tmp, { recursive: true, force: true }); // uploads that a kill broke off
  const audioStore = createAudioStore({ storage, importPath });
  const findTool = createToolFinder({ binDir: join(paths.resources, 'bin') });
  const fingerprinter = createFingerprinter({
    findTool,
    toolPath: (name) => settings.get(name === 'fpcalc' ? 'FPCALC_PATH' : 'FFMPEG_PATH'),
    workerUrl: paths.workers.fingerprint,
    wasmPath: paths.chromaprint,
    log,
  });
  const news = createChangeEvents({ db });
  const events = createEventHub({ now });
  events.summarizeWith(libraryEvent, news.current);
  const activity = createActivity({ now });
  const yieldToRequests = createYieldToRequests({ isServing: activity.isServing });
  const jobs = createJobs({ db, log, now, events, yieldToRequests });
  const leases = createLeases();
  const reader = createReaderPool({ workerUrl: paths.workers.reader, log });
  const uploadReader = createReaderPool({ workerUrl: paths.workers.reader, log });
  const walker = createWalker({ workerUrl: paths.workers.walk });
  const checkpoints = createCheckpoints({
    client: db.$client,
    databasePath: config.paths.database,
    workerUrl: paths.workers.checkpoint,
    log,
  });
  const dailyVerify = createDailyVerify({ db, now, settings, storage, jobs });
  const watcher = createWatcher({ db, log, settings, jobs, workerUrl: paths.workers.watch, timing: watchTiming });

  // Domain
  const auth = createAuthService({ db, log, now, settings, secrets });
  const sourceFiles = createSourceFiles({ db });
  const tracks = createTrackWriter({ db, now });
  const listThread = createListThread({ workerUrl: paths.workers.lists, databasePath: config.paths.database });
  const library = createLibraryService({
    db,
    log,
    now,
    storage,
    leases,
    tracks,
    listThread,
    onDeleted: sourceFiles.noteDeleted,
    settleLater: (artistId) => void jobs.tryEnqueue('settle_credits', { artistId }),
  });
  const libraryChanged = news.announcer(events);
  const likes = createLikeService({
    db,
    now,
    onChange: (userId, state) => events.publish(likeEvent, toLikeState(state), { audience: { userId } }),
  });
  const scrobbling = createScrobbling({
    db,
    log,
    now,
    settings,
    sealer: createSealer(secrets.compatSecretKey, 'tonearm scrobbling token v1'),
    jobs,
    version,
    perSecond: scrobblesPerSecond,
  });
  const history = createHistoryService({
    db,
    now,
    events,
    library,
    readAside: listThread.readAside,
    onRecorded: scrobbling.queue,
    afterRecorded: scrobbling.send,
  });
  const nowPlaying = createNowPlaying({
    now,
    events,
    library,
    onStart: (userId, track) => void scrobbling.tryPlayingNow(userId, track),
  });
  const imports = createHistoryImports({
    db,
    now,
    history,
    jobs,
    dir: config.paths.imports,
    maxBytes: () => settings.get('MAX_UPLOAD_BYTES'),
  });
  const queue = createQueueService({ db, now, events, library });
  const bookmarks = createBookmarkService({ db, now, library });
  const movers = [
    createLikeMerge({ db }),
    createPlayMerge({ db }),
    createEntryMerge({ db, now }),
    createPlaybackMerge({ db }),
    createShareMerge({ db }),
    createRemoteMerge({ db }),
  ];
  const merge = createTrackMerge({ db, tracks, movers });
  const relocation = createRelocation({ db, now, tracks, library, merge, sourceFiles });
  const duplicates = createDuplicateService({ db, library, merge, onMerged: sourceFiles.noteDeleted, now });
  const onGone = (id: TrackId): void => {
    if (!library.markMissing(id)) return;
    sourceFiles.noteGone(id);
    libraryChanged();
  };
  const archive = createCoverArchive({ settings, version, log, now, pace: archivePace });
  const covers = createCoverService({
    db,
    log,
    now,
    storage,
    audioStore,
    archive,
    cacheDir: cache,
    workerUrl: paths.workers.cover,
    onCover: libraryChanged,
  });
  settings.onChange(['COVERART_ENABLED', 'COVERART_BASE_URL'], () => {
    archive.reset();
    covers.forgetLookups();
    void jobs.tryEnqueue('cover_task', {});
  });
  const transcodes = createTranscodes({
    log,
    now,
    cacheDir: cache,
    ffmpeg: async () => (await findTool('ffmpeg', settings.get('FFMPEG_PATH')))?.path,
    atOnce: () => settings.get('TRANSCODE_PROCESSES'),
    cacheBytes: () => settings.get('TRANSCODE_CACHE_BYTES'),
  });
  const search = createSearchService({ db, library });
  const smartThread = createSmartThread({ workerUrl: paths.workers.smart, databasePath: config.paths.database });
  const songs = createSongMatcher({ db });
  const playlists = createPlaylistService({
    db,
    now,
    library,
    songs,
    smart: createSmartLists({ db, thread: smartThread, now }),
    events,
  });
  const playlistTransfer = createTransfer({
    playlists,
    importPath,
    files: createFileMatcher({ db, songs, importPath }),
  });
  const catalogue = createRemoteCatalogue({ settings, version, now, findTool, tmpDir: tmp, pace: cataloguePace });
  const placeholderCovers = createPlaceholderCovers({ db, cacheDir: cache, now, fetchPicture: catalogue.cover });
  const sources = createSources({ db, settings, catalogue });
  const onNewTracks = (): void => {
    if (history.hasLoosePlays()) void jobs.tryEnqueue('match_history', {});
  };
  const enrichment = createEnrichment({
    db,
    log,
    now,
    version,
    settings,
    tracks,
    audioStore,
    tmpDir: tmp,
    readTags: createTagReader({ reader: uploadReader }),
    fingerprinter,
    jobs,
    libraryChanged,
    findCover: covers.resolveCover,
  });
  const onUploaded = (ids: TrackId[]): void => {
    onNewTracks();
    libraryChanged();
    void enrichUploaded(jobs, ids, now());
    void jobs.tryEnqueue('cover_task', {});
  };
  const storeFile = createStoreFile({ storage, leases, reader: uploadReader });
  const uploads = createUploadService({ db, log, tracks, storeFile, settings, tmpDir: tmp, onUploaded });
  const onSaved = (): void => {
    onNewTracks();
    libraryChanged();
  };
  const remoteTracks = createRemoteTracks({ db, tracks, catalogue, onSaved });
  const downloads = createDownloads({ db, now, jobs, events, catalogue, libraryChanged, dir: config.paths.downloads });
  const fetchTask = downloadTask({
    db,
    log,
    now,
    settings,
    downloads,
    catalogue,
    tracks,
    storeFile,
    releaseAudio: library.releaseAudio,
    libraryChanged,
    onFetched: (id) => onUploaded([id]),
  });

  const adoptByFingerprint = createFingerprintIdentity({
    db,
    fingerprinter,
    relocation,
    tracks,
    reader,
    findFingerprint: (id) => findFingerprint(db, id),
    storeFingerprint: (id, sound) => void storeFingerprint(db, id, sound, now()),
  });
  const scanDeps = {
    db,
    databasePath: config.paths.database,
    tracks,
    leases,
    reader,
    walker,
    now,
    settings,
    events,
    jobs,
    libraryChanged,
    onNewTracks,
    storage,
    releaseAudio: library.releaseAudio,
    isServing: activity.isServing,
    adoptByFingerprint,
    relieve: checkpoints.relieve,
  };
  const ownFolders = (): string[] =>
    [config.paths.data, storageRoot, importPath()].filter((path) => path !== undefined);
  const backups = createBackupService({
    db,
    config,
    settings,
    secrets,
    secretStore,
    jobs,
    storage,
    leases,
    workerUrl: paths.workers.snapshot,
    version,
    now,
    ownFolders,
    log,
    s3Limits,
  });
  const restores = createRestoreService({
    config,
    jobs,
    open: () => backups.open(),
    ownFolders,
    workerUrl: paths.workers.snapshot,
    now,
  });
  const exports = createExportService({ db, audioStore, playlists, jobs, tmpDir: tmp, ownFolders });
  if (work)
    jobs.start({
      backup_task: backups.task,
      restore_task: restores.task,
      export_task: exports.task,
      scan_local_folder: scanTask(scanDeps),
      settle_credits: settleCreditsTask({ library, libraryChanged }),
      enrich_task: enrichTask(enrichment.runs),
      enrich_library: enrichLibraryTask(enrichment.runs),
      download_task: fetchTask,
      materialize_track: fetchTask,
      cover_task: coverTask({ covers, jobs }),
      cover_archive_task: coverArchiveTask({ covers }),
      verify_storage: verifyTask({
        db,
        now,
        settings,
        storage,
        audioStore,
        reader: uploadReader,
        heal: backups.heal,
        proveCover: covers.prove,
        onGone,
        pace: verifyPace,
        isBusy: () =>
          activity.isServing() ||
          jobs.list({ task: 'scan_local_folder', status: 'running' }, { limit: 1, offset: 0 }).total > 0,
        onReturned: (id) => {
          if (library.markAvailable(id)) libraryChanged();
        },
      }),
      collect_garbage: garbageTask({
        db,
        now,
        storage,
        leases,
        onOrphanedCovers: () => void jobs.tryEnqueue('cover_task', {}),
      }),
      import_history: imports.task,
      match_history: matchHistoryTask({ db }),
      scrobble_task: scrobbling.task,
    });
  if (work) scrobbling.resume();
  const resumed = work
    ? downloads.resume().catch((err: unknown) => {
        log.error({ err }, 'downloads could not be taken up again');
      })
    : undefined;
  if (work)
    void rebuildSearch({ db, search: tracks.search, log, yieldToRequests }).catch((err: unknown) => {
      log.error({ err }, 'search could not be rebuilt');
    });
  if (work && covers.hasDue()) void jobs.tryEnqueue('cover_task', {});

  // Doors
  const health = healthRoutes({ version, database: () => canRead(db), queue: jobs.isRunning, storage: storage.isUp });
  const streamingDeps = { db, audioStore, onGone, transcodes };
  const streaming = streamingRoutes(streamingDeps);
  const audio = createStreamingService(streamingDeps);
  const shares = createShareService({ db, now });
  const jukebox = createJukebox({
    now,
    announce: (userId, state) => events.publish(jukeboxEvent, toJukeboxOut(state), { audience: { userId } }),
  });
  const subsonic = createSubsonicRouter({
    log,
    appSignIn: auth.appSignIn,
    respond: createResponder({ serverVersion: version }),
    endpoints: createEndpoints({
      library,
      likes,
      search,
      sources,
      jobs,
      history,
      nowPlaying,
      queue,
      bookmarks,
      shares,
      jukebox,
      now,
      accounts: auth.accounts,
      streaming: audio,
      radio: createRadioService({ db, now }),
      sessions: createPlaybackSessions({ now }),
      playlists,
      covers: createCoverArt({ covers, placeholders: placeholderCovers, library, playlists }),
      fetchNow: downloads.fetchNow,
      showsRemote: () => settings.get('SUBSONIC_REMOTE_TRACKS'),
      placeholderPath: join(paths.resources, 'placeholder-cover.jpg'),
      changedAt: () => news.current().version,
      canTranscode: transcodes.isPossible,
      assertScannable: () => assertScannable(settings),
    }),
  });
  await auth.ensureAdmin();
  const rootRoutes = [
    ...health,
    ...streaming,
    ...shareRoutes({ shares, library, streaming: audio, usernameOf: (id) => auth.accounts.get(id).username }),
  ];
  const api: Route[] = [
    ...health,
    ...authRoutes(auth, { version }),
    ...settingsRoutes(settings, { version, secretStore }),
    ...networkRoutes(sharing),
    ...libraryRoutes({ library, libraryChanged }),
    ...likeRoutes(likes),
    ...playlistRoutes({ playlists, transfer: playlistTransfer }),
    ...historyRoutes({ history, nowPlaying, imports, scrobbling }),
    ...playbackRoutes({ queue, bookmarks }),
    ...jukeboxRoutes(jukebox),
    ...statsRoutes({ stats: createStatsService({ db }), storageStats: createStorageStats({ db, storage, library }) }),
    ...relocationRoutes({ relocation, libraryChanged }),
    ...duplicateRoutes({ duplicates, libraryChanged }),
    ...searchRoutes(search),
    ...remoteSearchRoutes({
      remoteSearch: createRemoteSearch({ db, catalogue }),
      sources,
      catalogue,
      sendPicture: placeholderCovers.send,
    }),
    ...enrichmentRoutes({
      reviews: enrichment.reviews,
      jobs,
      now,
      trackOut: library.trackOut,
      tracksOut: (user, ids) => library.tracksById(user.id, ids).map(toTrackOut),
    }),
    ...coverRoutes(covers, placeholderCovers),
    ...streaming,
    ...sourceRoutes(sources),
    ...downloadRoutes({ downloads, remoteTracks, catalogue, sources, trackOut: library.trackOut }),
    ...scanRoutes({ sources, settings, jobs }),
    ...uploadRoutes({ uploads, trackOut: library.trackOut }),
    ...backupRoutes({ backups, restores, exports }),
    ...metricRoutes({ version, library: library.countLibrary }),
    ...maintenanceRoutes({ jobs, testStore: createStoreTest({ config, settings }) }),
    ...jobRoutes(jobs),
    ...eventRoutes({ events, kinds: EVENTS, authenticate: auth.authenticate }),
    ...documentationRoutes(() => api, { version, rootRoutes }),
  ];
  const mounting = { authenticate: auth.authenticate, checkReplies };

  const web = express().disable('x-powered-by').disable('etag').set('query parser', false);
  web.use(
    activity.notice,
    requestLine(log, now),
    checkHost(() => settings.get('ALLOWED_HOSTS')),
  );
  web.use('/api/v1', checkOrigin, mountRoutes(api, mounting), notFoundHandler);
  web.use('/rest', subsonic);
  web.use(mountRoutes(rootRoutes, mounting));
  web.use(webInterface(paths.renderer));
  web.use(notFoundHandler, errorHandler(log));

  return {
    config,
    db,
    routes: api,
    auth,
    jobs,
    events,
    library,
    settings,
    sharing,
    sources,
    watcher,
    dailyVerify,
    backups,
    exports,

    /** Starts to listen; gives the address. Throws an AppError that names the port when it is taken. */
    async listen(): Promise<string> {
      const url = await sharing.start(web);
      watcher.start();
      dailyVerify.start();
      backups.startSchedule();
      void enrichment.resume();
      return url;
    },

    openApi: () => openApiDocument(api, { title: 'Tonearm', version, basePath: '/api/v1', rootRoutes }),

    /** Throws a sentence when the music folder that is set cannot be scanned. */
    async assertScannable(): Promise<void> {
      const path = importPath();
      const fault =
        path === undefined ? undefined : await importPathFault(path, { data: config.paths.data, storageRoot });
      if (fault) throw new AppError('invalid', `The music folder ${path} ${fault}.`);
      await assertScannable(settings);
    },

    /** What a scan would change; writes nothing. */
    previewScan: (wish: PreviewWish) => previewScan(scanDeps, wish),

    /** Runs queued jobs until none is left. */
    drain: () => jobs.drain(),

    /** Ends running work so that the next start goes on with it, then closes everything. */
    async close(): Promise<void> {
      const goodbye = sharing.stop();
      events.close();
      await watcher.close();
      dailyVerify.close();
      enrichment.close();
      backups.close();
      await resumed;
      await jobs.close({ graceMs: 5_000 });
      await goodbye;
      sharing.end();
      await Promise.all([
        reader.close(),
        uploadReader.close(),
        walker.close(),
        fingerprinter.close(),
        covers.close(),
        transcodes.close(),
        smartThread.close(),
        listThread.close(),
        checkpoints.close(),
      ]);
      db.$client.close();
      unlock();
    },
  };
}

function canRead(db: MainDb): boolean {
  try {
    db.$client.prepare('SELECT 1 FROM users LIMIT 1').get();
    return true;
  } catch {
    return false; // what /health is there to say
  }
}
