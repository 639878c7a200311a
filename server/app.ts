// The table of contents: every module, layer by layer, with what it is given. Nothing is decided here.
import { aboutModule, type AboutTuning } from './about/module.ts';
import { analysisModule } from './analysis/module.ts';
import { authModule } from './auth/module.ts';
import { backupModule, type BackupTuning } from './backup/module.ts';
import { coversModule, type CoversTuning } from './covers/module.ts';
import { openDataFolder, type DataFolderOptions } from './data-folder.ts';
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
import { uploadsModule } from './uploads/module.ts';
import { watchModule, type WatchTuning } from './watch/module.ts';
import { EVENTS } from './wire.ts';
import { zipsModule } from './zips/module.ts';

/** Paces and limits that tests set; each module reads its own. */
export type Tuning = DomainTuning & BackupTuning & LanTuning & MaintenanceTuning & SourcesTuning & StorageTuning;
type DomainTuning = FoundTuning & LikenessTuning & PodcastsTuning & RadioTuning & ScrobblingTuning & WatchTuning;
type FoundTuning = AboutTuning & CoversTuning & EnrichmentTuning & LyricsTuning;

export interface AppOptions extends DataFolderOptions {
  version: string;
  now?: () => Date;
  tuning?: Tuning;
  /** Check every answer against its declared shape; for tests. */
  checkReplies?: boolean;
  /** Take up and run background jobs; default true. Without, those of an earlier run stay where they are. */
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
  const stored = add(await storageModule({ ...base, owner, tuning }));
  const media = add(mediaModule(base));

  // Domain
  const auth = add(await authModule({ ...base, secrets }));
  const music = add(libraryModule({ ...base, ...stored }));
  const likes = add(likesModule({ ...base, ...music }));
  const files = add(filesModule({ ...base, ...stored, ...music }));
  const history = add(historyModule({ ...base, ...music, ...files }));
  add(scrobblingModule({ ...base, ...history, likes, secrets, tuning }));
  const playback = add(playbackModule({ ...base, ...music }));
  add(lyricsModule({ ...base, ...stored, ...music, tuning }));
  const playlists = add(playlistsModule({ ...base, ...music }));
  const streaming = add(streamingModule({ ...base, ...stored, ...media, ...music }));
  const zips = add(zipsModule({ ...base, playlists, streaming }));
  const shares = add(sharesModule({ ...base, ...music, streaming, zips, auth }));
  const jukebox = add(jukeboxModule(base));
  const radio = add(radioModule({ ...base, tuning }));
  const sources = add(sourcesModule({ ...base, ...media, tuning }));
  const pictures = add(coversModule({ ...base, ...stored, ...music, ...files, ...sources, secrets, tuning }));
  const search = add(searchModule({ ...base, ...music, ...sources, ...pictures }));
  const enrichment = add(enrichmentModule({ ...base, ...stored, ...media, ...music, ...files, ...pictures, tuning }));
  const about = add(aboutModule({ ...base, ...music, ...pictures, ...enrichment, tuning }));
  const analysis = add(analysisModule({ ...base, ...media, ...music, ...enrichment, isInUse, tuning }));
  const alike = add(likenessModule({ ...base, ...music, ...analysis, playlists, isServing, tuning }));
  const relocation = add(relocationModule({ ...base, ...music, ...files }));
  add(uploadsModule({ ...base, ...stored, ...music, ...files }));
  const podcasts = add(podcastsModule({ ...base, ...files, tuning }));
  const downloads = add(downloadsModule({ ...base, ...music, ...files, ...sources }));
  const found = { ...enrichment, ...sources, relocation, isServing };
  const scan = add(scanModule({ ...base, ...stored, ...media, ...music, ...files, ...found }));
  const watcher = add(watchModule({ ...base, tuning }));
  const folders = add(musicFoldersModule({ ...base, ...music, settings, watcher }));
  const backup = add(backupModule({ ...base, ...stored, playlists, secrets, secretStore, tuning }));
  const kept = { ...stored, ...music, ...files, ...pictures, ...backup, ...scan, isServing, streaming };
  const { dailyVerify, problems } = add(maintenanceModule({ ...base, ...kept, ...folders, inPlace, settings, tuning }));
  add(statsModule({ ...base, ...stored, ...music }));

  // APIs
  const heard = { ...music, ...about, ...history, ...playback, ...sources, ...pictures, ...podcasts, ...alike };
  const asked = { auth, inPlace, streaming, zips, likes, search, playlists, shares, jukebox, downloads, scan };
  const subsonic = add(subsonicModule({ ...base, ...heard, ...asked, ...radio }));
  add({ offers: events, routes: eventRoutes({ ...auth, events, kinds: EVENTS }), stop: events.close });
  const sharing = add(lanModule({ ...base, settings, tuning }));
  const served = { activity, inPlace, reserve, problems, subsonic, modules };
  const web = createWebApp({ ...base, ...auth, ...music, ...served, sharing, checkReplies });

  if (work) {
    jobs.start(modules.tasks());
    modules.resume();
  }

  const { library, trash } = music;
  const state = { config, db, nowForAges, settings, musicFolders, auth, jobs, events, library, trash };
  const parts = { ...analysis, ...alike, ...backup, ...folders, ...sources, sharing, watcher, dailyVerify, scan };
  return {
    ...state,
    ...parts,
    ...web,
    /** Starts to listen; gives the address. Throws an AppError that names the port when it is taken. */
    async listen(): Promise<string> {
      const url = await sharing.start(web.handler);
      modules.start();
      return url;
    },

    /** Runs queued jobs until none is left. */
    drain: () => jobs.drain(),

    /** Ends running work so that the next start goes on with it, then closes everything. */
    close: modules.close,
  };
}
