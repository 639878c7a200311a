// The table of contents: every module, layer by layer, with its dependencies. Nothing is decided here.
import { aboutModule, type AboutTuning } from './about/module.ts';
import { analysisModule } from './analysis/module.ts';
import { authModule } from './auth/module.ts';
import { backupModule, type BackupTuning } from './backup/module.ts';
import { coversModule, type CoversTuning } from './covers/module.ts';
import { openDataFolder, type DataFolderOptions } from './data-folder.ts';
import { devicesModule } from './devices/module.ts';
import { downloadsModule } from './downloads/module.ts';
import { enrichmentModule, type EnrichmentTuning } from './enrichment/module.ts';
import { createEventHub } from './events/hub.ts';
import { eventRoutes } from './events/routes.ts';
import { filesModule } from './files/module.ts';
import { historyModule } from './history/module.ts';
import { createWebApp } from './http/web-app.ts';
import { jobsModule } from './jobs/module.ts';
import { jukeboxModule } from './jukebox/module.ts';
import { lanModule, type LanTuning } from './lan/module.ts';
import { libraryModule } from './library/module.ts';
import { likenessModule, type LikenessTuning } from './likeness/module.ts';
import { likesModule } from './likes/module.ts';
import { lyricsModule, type LyricsTuning } from './lyrics/module.ts';
import { openClock } from './maintenance/clock-file.ts';
import { maintenanceModule, type MaintenanceTuning } from './maintenance/module.ts';
import { mediaModule } from './media/module.ts';
import { createModules, type Base } from './module.ts';
import { musicFoldersModule } from './music-folders/module.ts';
import { playbackModule } from './playback/module.ts';
import { playlistFilesModule, type PlaylistFilesTuning } from './playlist-files/module.ts';
import { playlistsModule } from './playlists/module.ts';
import { podcastsModule, type PodcastsTuning } from './podcasts/module.ts';
import { radioModule, type RadioTuning } from './radio/module.ts';
import { relocationModule } from './relocation/module.ts';
import { scanModule } from './scan/module.ts';
import { scrobblingModule, type ScrobblingTuning } from './scrobbling/module.ts';
import { searchModule } from './search/module.ts';
import { settingsModule } from './settings/module.ts';
import { sharesModule } from './shares/module.ts';
import { sourcesModule, type SourcesTuning } from './sources/module.ts';
import { statsModule } from './stats/module.ts';
import { storageModule, type StorageTuning } from './storage/module.ts';
import { streamingModule } from './streaming/module.ts';
import { subsonicModule } from './subsonic/module.ts';
import { tagRatingsModule } from './tag-ratings/module.ts';
import { uploadsModule } from './uploads/module.ts';
import { watchModule, type WatchTuning } from './watch/module.ts';
import { EVENTS } from './wire.ts';
import { zipsModule } from './zips/module.ts';

/** Rate and time limits that tests set; each module reads its own. */
export type Tuning = DomainTuning & BackupTuning & LanTuning & MaintenanceTuning & SourcesTuning & StorageTuning;
type DomainTuning = FoundTuning & ListTuning & PodcastsTuning & RadioTuning & ScrobblingTuning & WatchTuning;
type ListTuning = LikenessTuning & PlaylistFilesTuning;
type FoundTuning = AboutTuning & CoversTuning & EnrichmentTuning & LyricsTuning;

export interface AppOptions extends DataFolderOptions {
  version: string;
  now?: () => Date;
  tuning?: Tuning;
  /** True to check every answer against its declared schema; for tests. */
  checkReplies?: boolean;
  /** False to run no background jobs; those of an earlier run then stay in the queue. True by default. */
  work?: boolean;
}

export type App = Awaited<ReturnType<typeof createApp>>;

export async function createApp(options: AppOptions) {
  const { paths, version, log, now = () => new Date(), tuning = {}, checkReplies = false, work = true } = options;
  const modules = createModules();
  const { add } = modules;
  // Base
  const { config, db, inPlace, owner, secretStore, secrets, reserve } = add(await openDataFolder(options));
  const nowForAges = openClock({ db, file: config.paths.clock, log, now, isSystemClock: options.now === undefined });
  const { settings, musicFolders } = add(settingsModule({ config, secretStore, db, version, log }));

  // Tools
  const events = createEventHub({ now });
  const { jobs, activity, isServing, isInUse } = add(jobsModule({ db, log, now, nowForAges, events }));
  const base: Base = { config, paths, version, log, now, nowForAges, db, settings, musicFolders, events, jobs };
  const { storage, leases, audioStore } = add(await storageModule({ ...base, owner, tuning }));
  const { findTool, fingerprinter } = add(mediaModule(base));

  // Domain
  const auth = add(await authModule({ ...base, secrets }));
  const {
    library,
    tracks,
    trash,
    merges,
    editing,
    measured: measuredValues,
    audio,
    changes,
    readAside,
    onMerge,
    onAnnotationsMove,
    onTagRating,
  } = add(libraryModule({ ...base, storage, leases, audioStore }));
  const likes = add(likesModule({ ...base, onMerge, onAnnotationsMove }));
  const { sourceFiles, reader, scanReader, readTags, storeFile, quota } = add(
    filesModule({ ...base, storage, leases, audioStore, changes, tracks, trash, audio }),
  );
  const { history, nowPlaying, tagPlays, onPlays, onPlaying } = add(
    historyModule({ ...base, library, changes, readAside, onMerge, quota }),
  );
  add(tagRatingsModule({ ...base, settings, audioStore, tracks, changes, onTagRating, readTags, likes, tagPlays }));
  add(scrobblingModule({ ...base, onPlays, onPlaying, likes, secrets, tuning }));
  const { queue, bookmarks } = add(playbackModule({ ...base, library, onMerge }));
  add(lyricsModule({ ...base, library, editing, tracks, changes, readAside, onMerge, audioStore, tuning }));
  const { playlists, matcher } = add(playlistsModule({ ...base, library, onMerge }));
  const streaming = add(streamingModule({ ...base, audioStore, findTool, audio }));
  const zips = add(zipsModule({ ...base, playlists, streaming }));
  const jukebox = add(jukeboxModule(base));
  const devices = add(devicesModule({ ...base, library }));
  const { radio, relay } = add(radioModule({ ...base, tuning }));
  const { sources, catalogue } = add(sourcesModule({ ...base, findTool, tuning }));
  const { covers, placeholders, pictures } = add(
    coversModule({
      ...base,
      storage,
      audioStore,
      changes,
      editing,
      onAnnotationsMove,
      quota,
      catalogue,
      secrets,
      tuning,
    }),
  );
  const shares = add(sharesModule({ ...base, covers, library, onMerge, streaming, zips, auth }));
  const search = add(searchModule({ ...base, library, sources, catalogue, placeholders }));
  const { hearing, musicBrainz } = add(
    enrichmentModule({
      ...base,
      audioStore,
      fingerprinter,
      library,
      editing,
      tracks,
      merges,
      changes,
      onMerge,
      readTags,
      covers,
      tuning,
    }),
  );
  const { about } = add(
    aboutModule({ ...base, library, changes, onAnnotationsMove, covers, placeholders, musicBrainz, tuning }),
  );
  const { analysis } = add(
    analysisModule({ ...base, findTool, measured: measuredValues, changes, hearing, isInUse, tuning }),
  );
  const { likeness } = add(
    likenessModule({ ...base, library, onMerge, onAnnotationsMove, analysis, playlists, isServing, tuning }),
  );
  const relocation = add(
    relocationModule({ ...base, library, editing, tracks, merges, changes, onMerge, sourceFiles }),
  );
  add(uploadsModule({ ...base, library, tracks, changes, trash, storeFile, quota, audioStore }));
  const { podcasts, sendEpisode } = add(podcastsModule({ ...base, quota, tuning }));
  const downloads = add(
    downloadsModule({ ...base, library, tracks, trash, changes, onMerge, storeFile, quota, sources, catalogue }),
  );
  const { playlistFiles } = add(
    playlistFilesModule({ ...base, auth, settings, changes, onMerge, playlists, matcher, tuning }),
  );
  const scan = add(
    scanModule({
      ...base,
      storage,
      leases,
      library,
      tracks,
      trash,
      changes,
      scanReader,
      playlistFiles,
      findTool,
      sources,
      hearing,
      relocation,
      isServing,
    }),
  );
  const watcher = add(watchModule({ ...base, tuning }));
  const { folders, checkFolders } = add(musicFoldersModule({ ...base, trash, changes, readAside, settings, watcher }));
  const { backups, exports } = add(
    backupModule({ ...base, storage, leases, audioStore, playlists, secrets, secretStore, tuning }),
  );
  const { dailyVerify, problems } = add(
    maintenanceModule({
      ...base,
      storage,
      leases,
      audioStore,
      audio,
      reader,
      covers,
      settings,
      backups,
      streaming,
      inPlace,
      checkFolders,
      isServing,
      isScanning: scan.isScanning,
      tuning,
    }),
  );
  add(statsModule({ ...base, storage, library }));

  // APIs
  const subsonic = add(
    subsonicModule({
      ...base,
      about,
      auth,
      bookmarks,
      changes,
      covers,
      downloads,
      history,
      inPlace,
      jukebox,
      library,
      likeness,
      likes,
      nowPlaying,
      pictures,
      placeholders,
      playlists,
      podcasts,
      queue,
      radio,
      relay,
      scan,
      search,
      sendEpisode,
      shares,
      sources,
      streaming,
      zips,
    }),
  );
  const { inFlight, openAnswers, isStillAllowed, authenticate } = auth;
  add({
    offers: events,
    routes: eventRoutes({ authenticate, events, kinds: EVENTS, onDevice: devices.connect }),
    stop: events.close,
  });
  const sharing = add(lanModule({ ...base, settings, tuning }));
  const web = createWebApp({
    ...base,
    activity,
    authenticate,
    changes,
    checkReplies,
    inFlight,
    inPlace,
    isStillAllowed,
    library,
    modules,
    openAnswers,
    problems,
    reserve,
    sharing,
    subsonic,
  });

  if (work) {
    jobs.start(modules.tasks());
    modules.resume();
  }

  return {
    analysis,
    auth,
    backups,
    config,
    dailyVerify,
    db,
    events,
    exports,
    folders,
    jobs,
    library,
    likeness,
    musicFolders,
    nowForAges,
    scan,
    settings,
    sharing,
    sources,
    trash,
    watcher,
    ...web,
    /** Starts to listen and returns the address. Throws an AppError that names the port when it is already in use. */
    async listen(): Promise<string> {
      const url = await sharing.start(web.handler);
      modules.start();
      return url;
    },

    /** Runs queued jobs until none is left. */
    drain: () => jobs.drain(),

    /** Ends running work so that the next start continues it, then closes everything. */
    close: modules.close,
  };
}
