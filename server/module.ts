// What a module is: a folder makes itself out of what it needs (in its module.ts) and gives back what it offers to
// others, and what the app has to mount, run, start and close for it. The app lists modules and decides nothing.
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
  /** For deleting what is old, see runtime/time-for-ages.ts. */
  nowForAges: TimeForAges;
  db: MainDb;
  settings: WatchedSettings;
  musicFolders: MusicFolders;
  events: EventHub;
  jobs: Jobs;
}

export interface Module<Offer = unknown> {
  /** What other modules call. */
  offers: Offer;
  /** Below /api/v1. */
  routes?: Route[];
  /** Below /. */
  rootRoutes?: Route[];
  /** Background tasks with their handlers. */
  tasks?: HandledTask[];
  /** Resumes what the last run left unfinished; called once jobs can run. */
  resume?: () => void;
  /** Called when the server listens. */
  start?: () => void;
  /** Begins nothing any more: timers, watches, connections that stay open. Running jobs may still use the module. */
  stop?: () => void | Promise<void>;
  /** Ends worker threads and child processes, when no job runs any more. */
  close?: () => void | Promise<void>;
}

export function createModules() {
  const modules: Module[] = [];
  const inReverse = async (end: 'stop' | 'close'): Promise<void> => {
    for (const module of modules.toReversed()) await module[end]?.();
  };

  return {
    /** Modules come behind those that they use. */
    add<Offer>(module: Module<Offer>): Offer {
      modules.push(module);
      return module.offers;
    },
    routes: (): Route[] => modules.flatMap(({ routes = [] }) => routes),
    rootRoutes: (): Route[] => modules.flatMap(({ rootRoutes = [] }) => rootRoutes),
    tasks: (): HandledTask[] => modules.flatMap(({ tasks = [] }) => tasks),
    resume: (): void => modules.forEach(({ resume }) => resume?.()),
    start: (): void => modules.forEach(({ start }) => start?.()),
    /** Those that came last go first: nobody loses what it still uses. */
    async close(): Promise<void> {
      await inReverse('stop');
      await inReverse('close');
    },
  };
}
