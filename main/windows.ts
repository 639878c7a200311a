// The windows: one of each name, opened at its last position, and the messages to their pages.
import { BrowserWindow, nativeTheme, screen, type WebContents } from 'electron';
import { PAGE_MESSAGE, type PageMessage } from './ipc.ts';
import { arrangementOf, placeWindow, type Area, type Place, type Size } from './window-placement.ts';
import type { WindowName } from './window-paths.ts';

/** The page's background, so that a window does not flash while it loads. */
const BACKGROUND = { light: '#f4f3f1', dark: '#0c0c0d' };
const SIZES: Record<WindowName, { usual: Size; least: Size }> = {
  library: { usual: { width: 1_280, height: 840 }, least: { width: 380, height: 480 } },
  player: { usual: { width: 380, height: 640 }, least: { width: 280, height: 72 } }, // down to one line
  settings: { usual: { width: 980, height: 760 }, least: { width: 380, height: 480 } },
};
const PAGES: Record<WindowName, string> = { library: '/', player: '/player', settings: '/settings' };

/** After that many crashes the page is not reloaded; its window can be closed and reopened. */
const MOST_CRASHES = 3;

interface WindowsDeps {
  preload: string;
  /** Address of the running server; without one no window opens. */
  url(): string | undefined;
  isOurs(address: string): boolean;
  /** Where it was with these screens. */
  lastPlace(name: WindowName, arrangement: string): Place | undefined;
  keepPlace(name: WindowName, arrangement: string, place: Place): void;
  /** The player window stays above those of other programs. */
  isPlayerOnTop(): boolean;
  /** Whether closing only hides the window, because something goes on in it. */
  staysBehind(name: WindowName): boolean;
  onClosed(): void;
}

interface Held {
  window: BrowserWindow;
  isListening: boolean;
  isBroken: boolean;
  waiting: PageMessage[];
}

export type Windows = ReturnType<typeof createWindows>;

export function createWindows({
  preload,
  url,
  isOurs,
  lastPlace,
  keepPlace,
  isPlayerOnTop,
  staysBehind,
  onClosed,
}: WindowsDeps) {
  const open = new Map<WindowName, Held>();

  function make(name: WindowName, address: string, isHidden: boolean): Held {
    const { usual, least } = SIZES[name];
    const place = lastPlace(name, arrangementOf(screens()));
    const window = new BrowserWindow({
      title: 'Tonearm',
      ...placeWindow(screens(), place, usual),
      minWidth: least.width,
      minHeight: least.height,
      show: false,
      backgroundColor: nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light,
      autoHideMenuBar: true,
      alwaysOnTop: name === 'player' && isPlayerOnTop(),
      webPreferences: { preload, contextIsolation: true, sandbox: true, nodeIntegration: false, webSecurity: true },
    });
    const held: Held = { window, isListening: false, isBroken: false, waiting: [] };
    open.set(name, held);
    if (place?.isMaximized) window.maximize();
    if (isHidden) window.hide(); // maximizing shows it
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
      open.delete(name);
      onClosed();
    });
    // the back and forward buttons of a mouse; macOS has gestures for that, and no such command
    window.on('app-command', (_event, command) => {
      if (command === 'browser-backward') window.webContents.navigationHistory.goBack();
      else if (command === 'browser-forward') window.webContents.navigationHistory.goForward();
    });
    watchPage(held);
    load(held, address);
    return held;
  }

  /** Shows the page in its window; without a path just the window. */
  function show(name: WindowName, path?: string): void {
    const base = url();
    const held = open.get(name);
    if (held) {
      if (path !== undefined && path !== PAGES[name]) goTo(name, held, path);
      return focus(held.window);
    }
    if (base !== undefined) make(name, base + (path ?? PAGES[name]), false);
  }

  function goTo(name: WindowName, held: Held, path: string): void {
    if (name === 'library') tell(held, { kind: 'open', path }); // reloading would stop the music
    else load(held, `${url() ?? ''}${path}`);
  }

  return {
    show,

    /**
     * To the library's page or, for the player when there is none, to the player's. With `isNeeded` a hidden
     * library window is opened for it.
     */
    tell(message: PageMessage, { isNeeded = false } = {}): void {
      const base = url();
      const listener =
        open.get('library') ?? (['player', 'sleep'].includes(message.kind) ? open.get('player') : undefined);
      const held =
        listener ?? (isNeeded && base !== undefined ? make('library', base + PAGES.library, true) : undefined);
      if (held) tell(held, message);
    },

    tellAll(message: PageMessage): void {
      for (const held of open.values()) if (held.isListening) tell(held, message);
    },

    /**
     * A page has reported its player, so it receives messages from now on. True when its report counts: the library's,
     * or any while there is no library window.
     */
    heardFrom(page: WebContents): boolean {
      for (const held of open.values()) {
        if (held.window.webContents !== page) continue;
        held.isListening = true;
        for (const message of held.waiting.splice(0)) tell(held, message);
      }
      return nameOf(page) === 'library' || !open.has('library');
    },

    nameOf,

    playerOnTop: (isWanted: boolean): void => open.get('player')?.window.setAlwaysOnTop(isWanted),

    /**
     * The server is back, perhaps at another address. Pages that are still loaded reconnect by themselves, without
     * interrupting the music.
     */
    serverIsBack(base: string): void {
      for (const [name, held] of open) {
        if (!isOurs(held.window.webContents.getURL())) load(held, base + PAGES[name]);
        else if (held.isBroken) held.window.webContents.reload();
        held.isBroken = false;
      }
    },

    isOpen: (name: WindowName): boolean => open.has(name),
    isVisible: (): boolean => [...open.values()].some(({ window }) => window.isVisible()),
  };

  function nameOf(page: WebContents): WindowName | undefined {
    return [...open].find(([, { window }]) => window.webContents === page)?.[0];
  }
}

/** The primary one first. */
function screens(): Area[] {
  const main = screen.getPrimaryDisplay();
  return [main, ...screen.getAllDisplays().filter(({ id }) => id !== main.id)].map(({ workArea }) => workArea);
}

function tell({ window, isListening, waiting }: Held, message: PageMessage): void {
  if (isListening) window.webContents.send(PAGE_MESSAGE, message);
  else waiting.push(message);
}

function watchPage(held: Held): void {
  const page = held.window.webContents;
  let crashes = 0;
  page.on('did-navigate', () => {
    held.isListening = false;
  });
  page.on('did-fail-load', (_event, _code, _text, _url, isMainFrame) => {
    held.isBroken ||= isMainFrame;
  });
  page.on('render-process-gone', (_event, { reason }) => {
    held.isListening = false;
    crashes += 1;
    if (reason !== 'clean-exit' && crashes <= MOST_CRASHES) page.reload(); // the queue is in the page's storage
  });
}

/** A page that fails to load shows an error; when the server is back it is loaded again. */
function load(held: Held, address: string): void {
  held.window.loadURL(address).catch(() => {
    held.isBroken = true;
  });
}

function focus(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}
