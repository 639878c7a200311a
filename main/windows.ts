// The windows, one of each name, opened at their last positions, and the messages to their pages.
import { BrowserWindow, nativeTheme, screen, type WebContents } from 'electron';
import { PAGE_MESSAGE, type PageMessage } from './ipc.ts';
import { arrangementOf, placeWindow, type Area, type WindowPlace, type Size } from './window-placement.ts';
import type { WindowName } from './window-paths.ts';

/** The background colour of the pages, so that a window does not flash while it loads. */
const BACKGROUND_COLORS = { light: '#f4f3f1', dark: '#0c0c0d' };
const SIZES: Record<WindowName, { defaultSize: Size; minSize: Size }> = {
  library: { defaultSize: { width: 1_280, height: 840 }, minSize: { width: 380, height: 480 } },
  player: { defaultSize: { width: 380, height: 640 }, minSize: { width: 280, height: 72 } }, // one line
  settings: { defaultSize: { width: 980, height: 760 }, minSize: { width: 380, height: 480 } },
};
const PAGE_PATHS: Record<WindowName, string> = { library: '/', player: '/player', settings: '/settings' };

/** Chromium's code for a load that was stopped, for example by a reload: the window still has a page. */
const ERR_ABORTED = -3;
/** After this many crashes the page is not reloaded; the user can close and reopen its window. */
const MAX_CRASHES = 3;

interface WindowsDeps {
  preload: string;
  /** Returns the address of the running server; without an address no window opens. */
  url(): string | undefined;
  isOwnPage(address: string): boolean;
  /** Returns the last position of the window with these screens. */
  lastPlace(name: WindowName, arrangement: string): WindowPlace | undefined;
  keepPlace(name: WindowName, arrangement: string, place: WindowPlace): void;
  /** Returns whether the player window stays above those of other programs. */
  isPlayerOnTop(): boolean;
  /** Returns whether closing only hides the window, because its page keeps playing. */
  staysBehind(name: WindowName): boolean;
  onClosed(): void;
}

interface AppWindow {
  window: BrowserWindow;
  isListening: boolean;
  isBroken: boolean;
  waiting: PageMessage[];
}

export type Windows = ReturnType<typeof createWindows>;

export function createWindows({
  preload,
  url,
  isOwnPage,
  lastPlace,
  keepPlace,
  isPlayerOnTop,
  staysBehind,
  onClosed,
}: WindowsDeps) {
  const appWindows = new Map<WindowName, AppWindow>();

  function createWindow(name: WindowName, address: string, isHidden: boolean): AppWindow {
    const { defaultSize, minSize } = SIZES[name];
    const place = lastPlace(name, arrangementOf(screens()));
    const window = new BrowserWindow({
      title: 'Tonearm',
      ...placeWindow(screens(), place, defaultSize),
      minWidth: minSize.width,
      minHeight: minSize.height,
      show: false,
      backgroundColor: nativeTheme.shouldUseDarkColors ? BACKGROUND_COLORS.dark : BACKGROUND_COLORS.light,
      autoHideMenuBar: true,
      alwaysOnTop: name === 'player' && isPlayerOnTop(),
      webPreferences: { preload, contextIsolation: true, sandbox: true, nodeIntegration: false, webSecurity: true },
    });
    const appWindow: AppWindow = { window, isListening: false, isBroken: false, waiting: [] };
    appWindows.set(name, appWindow);
    if (place?.isMaximized) window.maximize();
    if (isHidden) window.hide(); // maximizing shows the window
    else window.once('ready-to-show', () => window.show());
    window.on('close', (event) => {
      const isMaximized = window.isMaximized();
      if (!window.isMinimized())
        keepPlace(name, arrangementOf(screens()), { ...window.getNormalBounds(), isMaximized });
      if (!staysBehind(name)) return;
      event.preventDefault();
      window.hide();
    });
    window.once('closed', () => {
      appWindows.delete(name);
      onClosed();
    });
    // handles the back and forward buttons of a mouse; macOS uses gestures and has no such command
    window.on('app-command', (_event, command) => {
      if (command === 'browser-backward') window.webContents.navigationHistory.goBack();
      else if (command === 'browser-forward') window.webContents.navigationHistory.goForward();
    });
    watchPage(appWindow);
    load(appWindow, address);
    return appWindow;
  }

  /** Shows a page in its window; without a path only the window. */
  function show(name: WindowName, path?: string): void {
    const base = url();
    const appWindow = appWindows.get(name);
    if (appWindow) {
      if (path !== undefined && path !== PAGE_PATHS[name]) goTo(name, appWindow, path);
      return focus(appWindow.window);
    }
    if (base !== undefined) createWindow(name, base + (path ?? PAGE_PATHS[name]), false);
  }

  function goTo(name: WindowName, appWindow: AppWindow, path: string): void {
    if (name === 'library') sendMessage(appWindow, { kind: 'open', path }); // reloading would stop the music
    else load(appWindow, `${url() ?? ''}${path}`);
  }

  return {
    show,

    /**
     * Sends a message to the library window. Player messages go to the player window if the library is closed. With
     * `isNeeded` a hidden library window is opened if there is no receiver.
     */
    tell(message: PageMessage, { isNeeded = false } = {}): void {
      const base = url();
      const listener =
        appWindows.get('library') ??
        (['player', 'sleep'].includes(message.kind) ? appWindows.get('player') : undefined);
      const appWindow =
        listener ??
        (isNeeded && base !== undefined ? createWindow('library', base + PAGE_PATHS.library, true) : undefined);
      if (appWindow) sendMessage(appWindow, message);
    },

    tellAll(message: PageMessage): void {
      for (const appWindow of appWindows.values()) if (appWindow.isListening) sendMessage(appWindow, message);
    },

    /**
     * Notes that a page has reported its player and can receive messages. Returns whether the report counts: the
     * library's does, and any other page's while there is no library window.
     */
    heardFrom(page: WebContents): boolean {
      for (const appWindow of appWindows.values()) {
        if (appWindow.window.webContents !== page) continue;
        appWindow.isListening = true;
        for (const message of appWindow.waiting.splice(0)) sendMessage(appWindow, message);
      }
      return nameOf(page) === 'library' || !appWindows.has('library');
    },

    nameOf,

    playerOnTop: (isWanted: boolean): void => appWindows.get('player')?.window.setAlwaysOnTop(isWanted),

    /**
     * Reloads failed pages when the server is back, perhaps at another address. Pages that are still loaded reconnect
     * by themselves, without interrupting the music.
     */
    serverIsBack(base: string): void {
      for (const [name, appWindow] of appWindows) {
        if (!isOwnPage(appWindow.window.webContents.getURL())) load(appWindow, base + PAGE_PATHS[name]);
        else if (appWindow.isBroken) appWindow.window.webContents.reload();
        appWindow.isBroken = false;
      }
    },

    isOpen: (name: WindowName): boolean => appWindows.has(name),
    isVisible: (): boolean => [...appWindows.values()].some(({ window }) => window.isVisible()),
  };

  function nameOf(page: WebContents): WindowName | undefined {
    return [...appWindows].find(([, { window }]) => window.webContents === page)?.[0];
  }
}

/** Returns the work areas of all screens, the primary screen first. */
function screens(): Area[] {
  const primaryDisplay = screen.getPrimaryDisplay();
  return [primaryDisplay, ...screen.getAllDisplays().filter(({ id }) => id !== primaryDisplay.id)].map(
    ({ workArea }) => workArea,
  );
}

function sendMessage({ window, isListening, waiting }: AppWindow, message: PageMessage): void {
  if (isListening) window.webContents.send(PAGE_MESSAGE, message);
  else waiting.push(message);
}

function watchPage(appWindow: AppWindow): void {
  const page = appWindow.window.webContents;
  let crashes = 0;
  page.on('did-navigate', () => {
    appWindow.isListening = appWindow.isBroken = false;
  });
  page.on('did-fail-load', (_event, code, _text, _url, isMainFrame) => {
    appWindow.isBroken ||= isMainFrame && code !== ERR_ABORTED;
  });
  page.on('render-process-gone', (_event, { reason }) => {
    appWindow.isListening = false;
    crashes += 1;
    if (reason !== 'clean-exit' && crashes <= MAX_CRASHES) page.reload(); // the reloaded page restores its queue
  });
}

/** Loads a page. A page that fails to load shows an error, and is loaded again when the server is back. */
function load(appWindow: AppWindow, address: string): void {
  appWindow.window.loadURL(address).catch(({ errno }: { errno?: number }) => {
    appWindow.isBroken ||= errno !== ERR_ABORTED;
  });
}

function focus(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}
