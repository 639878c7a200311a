// Lifecycle of the app: a single instance, its server, windows and tray, and a quit that waits for the server.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { app, globalShortcut, powerMonitor, session } from 'electron';
import type { Clock } from './clock.ts';
import { createActions } from './actions.ts';
import { offerContextMenus } from './context-menu.ts';
import { catchFaults } from './faults.ts';
import { denyPermissions, guardNavigation } from './navigation-guard.ts';
import { receiveLaunchRequests } from './launch-requests.ts';
import { answerChannels } from './ipc-handlers.ts';
import { createLoginItem } from './login-item.ts';
import { createGlobalShortcuts } from './global-shortcuts.ts';
import { createAskedJobs, isSeen, notify } from './notifications.ts';
import { createServerClient } from './server-client.ts';
import { openLog } from './log.ts';
import { askAfterFailure, createHungDialog } from './server-dialogs.ts';
import { createServerProcess, type ServerChild, type StartFailure } from './server-process.ts';
import { createShellSettings, openSettingsFile } from './shell-settings.ts';
import { createStatusView } from './tray-and-dock.ts';
import { createRecentAlbums } from './recent-albums.ts';
import { isSetUp, isSounding } from './status.ts';
import { sayIn, type Say } from './texts.ts';
import { createUpdater } from './updater.ts';
import { watchServer } from './status-updates.ts';
import { lastPlace, withPlace } from './window-placement.ts';
import { createWhilePlaying } from './while-playing.ts';
import { createWindows } from './windows.ts';

interface DesktopDeps {
  preload: string;
  /** Folder with the images of tray and task bar. */
  icons: string;
  /** Starts the server; `echo` receives its output. */
  launch(options: { args: readonly string[]; echo: (chunk: Buffer) => void }): ServerChild;
  clock: Clock;
  /** Whether this copy knows where updates are published. */
  hasFeed: boolean;
  /** The emitter that reports uncaught errors: `process`. */
  faults: NodeJS.EventEmitter;
  argv?: readonly string[];
  platform?: NodeJS.Platform;
}

const SCHEME = 'tonearm';
/**
 * The app id, equal to the one in electron-builder.yml: Windows shows notifications only of apps whose id is in the
 * start menu.
 */
const APP_ID = 'app.tonearm.desktop';

/** Starts the app. Must run before Electron is ready. */
export function startDesktop({
  preload,
  icons,
  launch,
  clock,
  hasFeed,
  faults,
  argv = process.argv,
  platform = process.platform,
}: DesktopDeps): void {
  const profile = keepProfileApart();
  if (!app.requestSingleInstanceLock()) return app.quit();
  app.enableSandbox();
  if (platform === 'win32') app.setAppUserModelId(APP_ID);

  let url: string | undefined;
  /** False once the server has ended, because another program may listen at its address then. */
  let isServerUp = false;
  let inLanguage = sayIn([]); // the system's language is unknown until the app is ready
  const say: Say = (...words) => inLanguage(...words);
  let isQuitting = false;
  let isDrained = false;
  const log = openLog(join(profile, 'logs'), { version: app.getVersion(), now: clock.now });
  const settingsFile = openSettingsFile(join(profile, 'shell.json'), (words) => log.warn(words));
  catchFaults(faults, log, say);
  const untilUp: (() => void)[] = [];
  const whenUp = (run: () => void): void => {
    if (url === undefined) untilUp.push(run);
    else run();
  };
  const untilSetUp: (() => void)[] = [];
  const whenSetUp = (run: () => void): void => {
    if (isSetUp(watch.status())) run();
    else untilSetUp.push(run);
  };

  // Pages of a dead server stay valid until the next server listens, so the last address counts. The slash matters:
  // http://127.0.0.1:47470/ and http://127.0.0.1:4747@elsewhere/ begin with http://127.0.0.1:4747.
  const isOwnPage = (address: string): boolean => url !== undefined && address.startsWith(`${url}/`);

  const windows = createWindows({
    preload,
    isOwnPage,
    url: () => url,
    lastPlace: (name, arrangement) => lastPlace(settingsFile.get().places, arrangement, name),
    keepPlace: (name, arrangement, place) =>
      settingsFile.change({ places: withPlace(settingsFile.get().places, arrangement, name, place) }),
    isPlayerOnTop: () => settingsFile.get().playerOnTop,
    // the hidden library window keeps playing
    staysBehind: (name) => name === 'library' && !isQuitting && keepsRunning() && isSounding(watch.status()),
    onClosed: () => {
      if (!windows.isOpen('library') && !windows.isOpen('player')) watch.playerIs(null);
    },
  });
  const server = createServerProcess({
    launch: (args) => launch({ args, echo: log.server }),
    clock,
    onReady,
    onDown,
    onHung,
    onFailed,
  });
  const hungDialog = createHungDialog({ clock, say, restart: server.endHung });
  const client = createServerClient({ url: () => (isServerUp ? url : undefined), requestTicket: server.requestTicket });
  const requestedJobs = createAskedJobs();
  let view: ReturnType<typeof createStatusView> | undefined;
  const watch = watchServer({
    client,
    clock,
    onChange(status) {
      view?.show(status, say);
      whilePlaying.show(status);
      recentAlbums.show(status);
      if (isSetUp(status)) for (const run of untilSetUp.splice(0)) run();
    },
    onJob(job) {
      const notice = requestedJobs.noticeOfEnd(job, say);
      if (notice && !isSeen()) notify({ ...notice, onClick: () => windows.show('library', `/activity?job=${job.id}`) });
    },
  });
  const launchRequests = receiveLaunchRequests({
    windows,
    client,
    clock,
    whenUp,
    whenSetUp,
    isSounding: () => isSounding(watch.status()),
    say,
  });
  const updater = createUpdater({ clock, isWanted: () => hasFeed && settingsFile.get().lookForUpdates, say });
  const actions = createActions({
    windows,
    client,
    platform,
    say,
    openPaths: launchRequests.openPaths,
    keepPlayerOnTop: (playerOnTop) => void settings.change({ playerOnTop }),
    onAsked: requestedJobs.note,
    onNetwork: (network) => (network ? watch.networkIs(network) : view?.redrawTray()),
    lookForUpdate: hasFeed ? () => void updater.check() : undefined,
  });
  const whilePlaying = createWhilePlaying({
    announces: () => settingsFile.get().notifyTracks,
    onClick: actions.open,
    player: actions.player,
  });
  const recentAlbums = createRecentAlbums({ settingsFile, platform, say });
  const shortcuts = createGlobalShortcuts(actions.player);
  const settings = createShellSettings({
    settingsFile,
    hasFeed,
    login: createLoginItem({ platform, env: process.env }),
    takenShortcuts: shortcuts.taken,
    onChange({ mediaKeys, shortcuts: chosenShortcuts, playerOnTop }) {
      if (mediaKeys !== undefined || chosenShortcuts) shortcuts.use(settingsFile.get());
      if (playerOnTop !== undefined) showOnTop();
    },
  });
  function showOnTop(): void {
    windows.playerOnTop(settingsFile.get().playerOnTop);
    watch.playerOnTop(settingsFile.get().playerOnTop);
  }

  function onReady(readyUrl: string): void {
    log.info(`the server listens on ${readyUrl}`);
    url = readyUrl;
    isServerUp = true;
    if (settingsFile.get().lastGood !== app.getVersion() || settingsFile.get().failedStarts > 0)
      settingsFile.change({ lastGood: app.getVersion(), failedStarts: 0 });
    windows.serverIsBack(url);
    watch.serverIs('running');
    windows.tellAll({ kind: 'server', state: 'running' });
    for (const run of untilUp.splice(0)) run();
  }

  function onDown(): void {
    isServerUp = false;
    log.warn('the server process ended and is being restarted');
    watch.serverIs('restarting');
    windows.tellAll({ kind: 'server', state: 'restarting' });
    if (!windows.isVisible()) notify({ title: say('crash.title'), body: say('crash.text'), onClick: actions.open });
  }

  /** Restarts the server without a notification, because the user requested it. */
  function restartServer(): Promise<void> {
    watch.serverIs('restarting');
    windows.tellAll({ kind: 'server', state: 'restarting' });
    return server.restart();
  }

  /**
   * Displays that the server does not respond. Its pages and connections stay, because the server may respond again.
   */
  function onHung(isHung: boolean): void {
    log.warn(isHung ? 'the server is not responding' : 'the server is responding again, or has ended');
    watch.serverHangs(isHung);
    hungDialog.show(isHung);
  }

  function onFailed(failure: StartFailure): void {
    log.warn(`the server cannot start: ${failure.reason}`);
    watch.serverIs('restarting');
    const { lastGood } = settingsFile.get();
    const failedStarts = failure.port === undefined ? settingsFile.get().failedStarts + 1 : 0;
    settingsFile.change({ failedStarts });
    const previousVersion = failedStarts >= 2 && lastGood !== app.getVersion() ? lastGood : undefined;
    void askAfterFailure({ ...failure, previousVersion }, say).then((args) => {
      if (!args) return app.quit();
      watch.serverIs('starting');
      server.start(args);
    });
  }

  function wantedLanguages(): string[] {
    return [settingsFile.get().language, ...app.getPreferredSystemLanguages()].filter(
      (language) => language !== undefined,
    );
  }
  const keepsRunning = (): boolean => platform === 'darwin' || settingsFile.get().keepRunning;

  offerContextMenus(say);
  app.on('activate', actions.open);
  app.on('window-all-closed', () => {
    if (!keepsRunning()) app.quit();
  });
  app.on('web-contents-created', (_event, page) =>
    guardNavigation(page, { isOwnPage, nameOf: windows.nameOf, show: windows.show }),
  );
  app.on('before-quit', () => {
    isQuitting = true;
  });
  app.on('will-quit', (event) => {
    if (isDrained) return;
    event.preventDefault();
    globalShortcut.unregisterAll();
    watch.close();
    whilePlaying.close();
    void server.stop().then(() => {
      isDrained = true;
      view?.close();
      app.quit();
    });
  });

  void app.whenReady().then(() => {
    inLanguage = sayIn(wantedLanguages());
    denyPermissions(session.defaultSession, isOwnPage);
    if (app.isPackaged) app.setAsDefaultProtocolClient(SCHEME);
    answerChannels({
      isOwnPage,
      settings,
      restartServer,
      fileOf: client.fileOf,
      setupToken: server.setupToken,
      requestTicket: server.requestTicket,
      onLanguage(language) {
        settingsFile.change({ language });
        inLanguage = sayIn(wantedLanguages());
        view?.show(watch.status(), say);
      },
      onReport(page, report) {
        if (windows.heardFrom(page)) watch.playerIs(report);
      },
    });
    view = createStatusView({ platform, icons, actions, clock });
    view.show(watch.status(), say);
    shortcuts.use(settingsFile.get());
    showOnTop();
    updater.start();
    powerMonitor.on('suspend', whilePlaying.suspend);
    powerMonitor.on('resume', () => {
      watch.wakeUp();
      whilePlaying.resume();
    });
    powerMonitor.on('shutdown', ((event: Electron.Event) => {
      event.preventDefault(); // the system then waits for the app to quit
      app.quit();
    }) as () => void);
    if (!wasStartedByLogin(platform)) launchRequests.startedWith(argv, process.cwd());
    server.start();
  });
}

/** Gives the profile its own folder, which by default is the server's data folder on macOS and Windows. */
function keepProfileApart(): string {
  if (!app.commandLine.hasSwitch('user-data-dir')) {
    const profile = join(app.getPath('appData'), 'tonearm-desktop');
    mkdirSync(profile, { recursive: true, mode: 0o700 }); // Electron rejects a path that does not exist
    app.setPath('userData', profile);
  }
  return app.getPath('userData');
}

/** Returns whether macOS started the app at login. On other systems the option `--hidden` tells. */
const wasStartedByLogin = (platform: NodeJS.Platform): boolean =>
  platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin;
