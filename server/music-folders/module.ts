import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import type { SettingsService } from '../settings/service.ts';
import type { Watcher } from '../watch/service.ts';
import { handledBy } from '../jobs/tasks.ts';
import { createFolderCheck, CHECK_INTERVAL_MS, WATCHED_CHECK_INTERVAL_MS } from './folder-check.ts';
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
  events,
  ...deps
}: MusicFoldersModuleDeps) {
  const { trash, changes, readAside, watcher } = deps;
  const { data, storageRoot } = config.paths;
  const checkFolders = createFolderCheck({ db, musicFolders, log, onChange: changes.announceChange });
  musicFolders.checkWith(checkFolders);
  let checkedAtMs = 0;
  const checkWhenDue = (): void => {
    if (!events.hasListeners() && performance.now() - checkedAtMs < CHECK_INTERVAL_MS) return;
    checkedAtMs = performance.now();
    void checkFolders();
  };
  const service = createMusicFolderService({
    db,
    now,
    settings,
    musicFolders,
    jobs,
    readAside,
    ownFolders: { data, storageRoot },
    checkFolders,
  });
  const tasks = createMusicFolderTasks({
    db,
    musicFolders,
    trash,
    onDeleted: changes.announceDeleted,
    libraryChanged: changes.announceChange,
    jobs,
  });
  const isFromEnvironment = (name: 'LOCAL_MEDIA_IMPORT_PATH' | 'LOCAL_MEDIA_IMPORT_MODE'): boolean =>
    settings.list().some((setting) => setting.name === name && setting.origin === 'env');
  let timer: NodeJS.Timeout | undefined;
  return {
    offers: { folders: service, checkFolders },
    routes: musicFolderRoutes({
      service,
      musicFolders,
      ownFolders: { data, storageRoot },
      ignoredNames: () => settings.get('LOCAL_MEDIA_IGNORE'),
      watchStateOf: (key) => watcher.status(key).state,
      isFixed: ({ key }) =>
        key === '' && (isFromEnvironment('LOCAL_MEDIA_IMPORT_PATH') || isFromEnvironment('LOCAL_MEDIA_IMPORT_MODE')),
    }),
    tasks: [handledBy(CLEAR_MUSIC_FOLDER, tasks.clear), handledBy(RESTORE_MUSIC_FOLDER, tasks.restore)],
    start(): void {
      musicFolders.onChange(() => void checkFolders());
      timer = setInterval(checkWhenDue, WATCHED_CHECK_INTERVAL_MS).unref();
      void checkFolders();
    },
    stop: () => clearInterval(timer),
  } satisfies Module;
}
