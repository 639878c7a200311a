// The interface of modules: each folder creates its module from its dependencies (in its module.ts) and returns what it
// offers to others, and what the app has to mount, run, start and close. The app lists modules and decides nothing.
import type { Config } from './config/config.ts';
import type { WatchedSettings } from './config/live-settings.ts';
import type { MusicFolders } from './config/music-folders.ts';
import type { MainDb } from './db/client.ts';
import type { EventHub } from './events/hub.ts';
import type { Route } from './http/route.ts';
import type { Jobs } from './jobs/service.ts';
import type { HandledTask } from './jobs/tasks.ts';
import type { Log } from './log/log.ts';
import type { ProductPaths } from './paths.ts';
import type { TimeForAges } from './runtime/time-for-ages.ts';

/** What every module may use. */
export interface Base {
  config: Config;
  paths: ProductPaths;
  version: string;
  log: Log;
  now: () => Date;
  /** The time for deleting old data, see runtime/time-for-ages.ts. */
  nowForAges: TimeForAges;
  db: MainDb;
  settings: WatchedSettings;
  musicFolders: MusicFolders;
  events: EventHub;
  jobs: Jobs;
}

export interface Module<Offer = unknown> {
  /** The functions that other modules call. */
  offers: Offer;
  /** Routes below /api/v1. */
  routes?: Route[];
  /** Routes below /. */
  rootRoutes?: Route[];
  /** Background tasks with their handlers. */
  tasks?: HandledTask[];
  /** Resumes work that the last run left unfinished; called as soon as jobs can run. */
  resume?: () => void;
  /** Called when the server listens. */
  start?: () => void;
  /** Ends timers, watches and connections that stay open. Running jobs may still use the module. */
  stop?: () => void | Promise<void>;
  /** Ends worker threads and child processes; called when no job runs any more. */
  close?: () => void | Promise<void>;
}

export function createModules() {
  const modules: Module[] = [];
  const inReverse = async (end: 'stop' | 'close'): Promise<void> => {
    for (const module of modules.toReversed()) await module[end]?.();
  };

  return {
    /** Adds a module. Modules have to be added after those that they use. */
    add<Offer>(module: Module<Offer>): Offer {
      modules.push(module);
      return module.offers;
    },
    routes: (): Route[] => modules.flatMap(({ routes = [] }) => routes),
    rootRoutes: (): Route[] => modules.flatMap(({ rootRoutes = [] }) => rootRoutes),
    tasks: (): HandledTask[] => modules.flatMap(({ tasks = [] }) => tasks),
    resume: (): void => modules.forEach(({ resume }) => resume?.()),
    start: (): void => modules.forEach(({ start }) => start?.()),
    /** Closes all modules, the last added first, so that no module loses one that it still uses. */
    async close(): Promise<void> {
      await inReverse('stop');
      await inReverse('close');
    },
  };
}
