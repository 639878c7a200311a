import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import type { SettingsService } from '../settings/service.ts';
import type { Watcher } from '../watch/service.ts';
import { handledBy } from '../jobs/tasks.ts';
import { createLook, LOOK_EVERY_MS } from './look.ts';
import { musicFolderRoutes } from './routes.ts';
import { createMusicFolderService } from './service.ts';
import { CLEAR_MUSIC_FOLDER, createMusicFolderTasks, RESTORE_MUSIC_FOLDER } from './tasks.ts';

type MusicFoldersModuleDeps = Base &
  Pick<LibraryOffer, 'trash' | 'changes' | 'readAside'> & {
    settings: SettingsService;
    watcher: Pick<Watcher, 'status'>;
  };

export function musicFoldersModule({
  config,
  log,
  db,
  now,
  settings,
  musicFolders,
  jobs,
  ...deps
}: MusicFoldersModuleDeps) {
  const { trash, changes, readAside, watcher } = deps;
  const { data, storageRoot } = config.paths;
  const look = createLook({ db, musicFolders, log, onNews: changes.changed });
  const service = createMusicFolderService({
    db,
    now,
    settings,
    musicFolders,
    jobs,
    readAside,
    own: { data, storageRoot },
    look,
  });
  const tasks = createMusicFolderTasks({
    db,
    musicFolders,
    trash,
    onDeleted: changes.deleted,
    libraryChanged: changes.changed,
    jobs,
  });
  const isFixed = (name: 'LOCAL_MEDIA_IMPORT_PATH' | 'LOCAL_MEDIA_IMPORT_MODE'): boolean =>
    settings.list().some((setting) => setting.name === name && setting.origin === 'env');
  let looking: NodeJS.Timeout | undefined;
  return {
    offers: { folders: service, lookAtFolders: look },
    routes: musicFolderRoutes({
      service,
      musicFolders,
      own: { data, storageRoot },
      watching: (key) => watcher.status(key).state,
      isFixed: ({ key }) => key === '' && (isFixed('LOCAL_MEDIA_IMPORT_PATH') || isFixed('LOCAL_MEDIA_IMPORT_MODE')),
    }),
    tasks: [handledBy(CLEAR_MUSIC_FOLDER, tasks.clear), handledBy(RESTORE_MUSIC_FOLDER, tasks.restore)],
    start(): void {
      musicFolders.onChange(() => void look());
      looking = setInterval(() => void look(), LOOK_EVERY_MS).unref();
      void look();
    },
    stop: () => clearInterval(looking),
  } satisfies Module;
}
