// Replaces `electron` in tests (an alias in vitest.config.ts) with the behaviour that the shell relies on: what can be
// called before the app is ready, the order of events on quit, which navigations raise which event, structured cloning
// and wrapped errors over IPC. Tests control and inspect the replacement with `fake`.
import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Electron from 'electron';

/** Restricts a fake to members of the real type, so that a fake of a nonexistent member does not compile. */
type FakeOf<T> = Partial<Record<keyof T, unknown>>;
type Handler = (event: unknown, ...args: unknown[]) => unknown;
interface Frame {
  url: string;
}

const cancellable = <T extends object>(details: T) => {
  const event = {
    ...details,
    defaultPrevented: false,
    preventDefault: () => {
      event.defaultPrevented = true;
    },
  };
  return event;
};

class FakeApp
  extends EventEmitter
  implements
    Pick<
      Electron.App,
      | 'isReady'
      | 'quit'
      | 'getVersion'
      | 'getAppPath'
      | 'requestSingleInstanceLock'
      | 'enableSandbox'
      | 'getPreferredSystemLanguages'
      | 'setAsDefaultProtocolClient'
      | 'setBadgeCount'
      | 'setLoginItemSettings'
      | 'setJumpList'
    >
{
  jumpList: Electron.JumpListCategory[] = [];
  isPackaged = false;
  hasLock = true;
  hasExited = false;
  isSandboxed = false;
  switches = new Set<string>();
  paths: Record<string, string> = {};
  appPath = '/app';
  languages = ['en-GB'];
  protocols: string[] = [];
  modelId = '';
  badges: (number | string)[] = [];
  loginItem = { openAtLogin: false, wasOpenedAtLogin: false };
  dock = {
    setBadge: (text: string) => void this.badges.push(text),
    setMenu: (menu: unknown) => void (fake.dockMenu = menu as FakeMenu),
  } satisfies FakeOf<Electron.Dock>;
  commandLine = { hasSwitch: (name: string) => this.switches.has(name) } satisfies FakeOf<Electron.CommandLine>;
  private whenAppReady = Promise.withResolvers<void>();
  private readyNow = false;
  private isQuitting = false;

  isReady(): boolean {
    return this.readyNow;
  }
  whenReady(): Promise<void> {
    return this.whenAppReady.promise;
  }
  getVersion(): string {
    return '1.2.3';
  }
  getAppPath(): string {
    return this.appPath;
  }
  requestSingleInstanceLock(): boolean {
    return this.hasLock;
  }
  getPreferredSystemLanguages(): string[] {
    return this.languages;
  }
  setAsDefaultProtocolClient(protocol: string): boolean {
    return this.protocols.push(protocol) > 0;
  }
  setAppUserModelId(id: string): void {
    this.modelId = id;
  }
  setJumpList(categories: Electron.JumpListCategory[] | null): ReturnType<Electron.App['setJumpList']> {
    this.jumpList = categories ?? [];
    return 'ok';
  }
  setBadgeCount(count = 0): boolean {
    return this.badges.push(count) > 0;
  }
  getLoginItemSettings(): typeof this.loginItem {
    return this.loginItem;
  }
  setLoginItemSettings({ openAtLogin = false }: Electron.Settings): void {
    this.loginItem = { ...this.loginItem, openAtLogin };
  }

  enableSandbox(): void {
    if (this.readyNow) throw new Error('app.enableSandbox() can only be called before app is ready');
    this.isSandboxed = true;
  }

  getPath(name: string): string {
    const path = this.paths[name];
    if (path === undefined) throw new Error(`Failed to get '${name}' path`);
    return path;
  }

  setPath(name: string, path: string): void {
    if (!existsSync(path)) throw new Error(`Failed to set path: ${path} does not exist`);
    this.paths[name] = path;
  }

  /**
   * Quits: before-quit → every window closes → will-quit → quit. A listener of `before-quit` or `will-quit` may stop
   * it.
   */
  quit(): void {
    if (this.isQuitting || this.hasExited) return;
    const eventBefore = cancellable({});
    this.emit('before-quit', eventBefore);
    if (eventBefore.defaultPrevented) return;
    this.isQuitting = true;
    if (fake.windows.length === 0) return this.end();
    for (const window of fake.windows) window.close();
    if (fake.windows.length > 0) this.isQuitting = false; // a window refused to close
  }

  lastWindowClosed(): void {
    if (this.isQuitting) this.end();
    else if (this.listenerCount('window-all-closed') === 0) this.quit();
    else this.emit('window-all-closed');
  }

  becomeReady(): void {
    if (this.hasExited) return;
    this.readyNow = true;
    this.whenAppReady.resolve();
  }

  private end(): void {
    const will = cancellable({});
    this.emit('will-quit', will);
    this.isQuitting = false;
    if (will.defaultPrevented) return;
    this.hasExited = true;
    this.emit('quit');
  }
}

export class FakeContents
  extends EventEmitter
  implements Pick<Electron.WebContents, 'getURL' | 'reload' | 'replaceMisspelling' | 'send' | 'setWindowOpenHandler'>
{
  mainFrame: Frame = { url: '' };
  reloads = 0;
  /** Messages from the shell to this page. */
  heardMessages: unknown[] = [];
  private openHandler: Parameters<Electron.WebContents['setWindowOpenHandler']>[0] = () => ({ action: 'allow' });

  getURL(): string {
    return this.mainFrame.url;
  }
  /** Steps through the history that the shell requested. */
  steps: string[] = [];
  navigationHistory = {
    goBack: () => void this.steps.push('back'),
    goForward: () => void this.steps.push('forward'),
  } satisfies FakeOf<Electron.NavigationHistory>;
  replaced: string[] = [];
  replaceMisspelling(word: string): void {
    this.replaced.push(word);
  }
  reload(): void {
    this.reloads += 1;
    this.emit('did-navigate', {}, this.getURL(), 200, 'OK');
  }

  send(channel: string, ...args: unknown[]): void {
    const message = structuredClone(args);
    this.heardMessages.push(...message);
    if (this === fake.windows[0]?.webContents) ipcRenderer.emitter.emit(channel, { sender: ipcRenderer }, ...message);
  }

  setWindowOpenHandler(handler: typeof this.openHandler): void {
    this.openHandler = handler;
  }

  /** Simulates a navigation by the page itself; loading by the app raises none of these events. */
  navigate(url: string, { frame = this.mainFrame }: { frame?: Frame } = {}): boolean {
    const isMainFrame = frame === this.mainFrame;
    const inFrame = cancellable({ url, isMainFrame, frame });
    this.emit('will-frame-navigate', inFrame);
    const inPage = cancellable({ url, isMainFrame, frame });
    if (isMainFrame) this.emit('will-navigate', inPage);
    if (inFrame.defaultPrevented || inPage.defaultPrevented) return false;
    frame.url = url;
    if (isMainFrame) this.emit('did-navigate', {}, url, 200, 'OK');
    return true;
  }

  /** Simulates a navigation that the server redirects. */
  redirect(url: string): boolean {
    const event = cancellable({ url, isMainFrame: true, frame: this.mainFrame });
    this.emit('will-redirect', event);
    return !event.defaultPrevented;
  }

  /** Simulates window.open() or a link with target=_blank. */
  open(url: string): 'allow' | 'deny' {
    return this.openHandler({
      url,
      frameName: '',
      features: '',
      disposition: 'foreground-tab',
      referrer: { url: this.getURL(), policy: 'no-referrer' },
    }).action;
  }

  attachWebview(): boolean {
    const event = cancellable({});
    this.emit('will-attach-webview', event, {}, {});
    return !event.defaultPrevented;
  }
}

let lastWindow = 0;

export class BrowserWindow
  extends EventEmitter
  implements
    Pick<
      Electron.BrowserWindow,
      | 'show'
      | 'hide'
      | 'focus'
      | 'close'
      | 'restore'
      | 'minimize'
      | 'isMinimized'
      | 'maximize'
      | 'isMaximized'
      | 'isVisible'
      | 'getNormalBounds'
      | 'setProgressBar'
      | 'setAlwaysOnTop'
      | 'isAlwaysOnTop'
      | 'setContentSize'
      | 'setThumbarButtons'
      | 'id'
    >
{
  id = ++lastWindow;
  isOnTop: boolean;
  thumbarButtons: Electron.ThumbarButton[] = [];
  webContents = new FakeContents();
  options: Electron.BrowserWindowConstructorOptions;
  isShown: boolean;
  focuses = 0;
  /** Bounds of the window when it is neither minimized nor maximized. */
  bounds: Electron.Rectangle;
  progress = -1;
  private maximized = false;
  private minimized = false;
  private destroyed = false;

  static fromWebContents(contents: unknown): BrowserWindow | null {
    return fake.windows.find((window) => window.webContents === contents) ?? null;
  }

  static getAllWindows(): BrowserWindow[] {
    return [...fake.windows];
  }
  static getFocusedWindow(): BrowserWindow | null {
    return fake.focused && fake.windows.includes(fake.focused) ? fake.focused : null;
  }

  constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
    super();
    if (!app.isReady()) throw new Error('Cannot create BrowserWindow before app is ready');
    this.options = options;
    this.isShown = options.show ?? true;
    this.isOnTop = options.alwaysOnTop ?? false;
    this.bounds = {
      x: options.x ?? 100,
      y: options.y ?? 100,
      width: options.width ?? 800,
      height: options.height ?? 600,
    };
    fake.windows.push(this);
    app.emit('web-contents-created', {}, this.webContents);
  }

  async loadURL(url: string): Promise<void> {
    this.alive();
    this.webContents.mainFrame = { url: new URL(url).href };
    this.webContents.emit('did-navigate', {}, url, 200, 'OK');
    this.emit('ready-to-show');
  }

  show(): void {
    this.alive();
    this.isShown = true;
  }
  hide(): void {
    this.alive();
    this.isShown = false;
  }
  isVisible(): boolean {
    this.alive();
    return this.isShown && !this.minimized;
  }
  focus(): void {
    this.alive();
    this.focuses += 1;
    fake.focused = this;
  }
  maximize(): void {
    this.alive();
    this.maximized = true;
    this.isShown = true;
  }
  isMaximized(): boolean {
    this.alive();
    return this.maximized;
  }
  getNormalBounds(): Electron.Rectangle {
    this.alive();
    return this.bounds;
  }
  setAlwaysOnTop(flag: boolean): void {
    this.alive();
    this.isOnTop = flag;
  }
  isAlwaysOnTop(): boolean {
    this.alive();
    return this.isOnTop;
  }
  setContentSize(width: number, height: number): void {
    this.alive();
    this.bounds = { ...this.bounds, width, height };
    this.emit('resize');
  }
  setThumbarButtons(buttons: Electron.ThumbarButton[]): boolean {
    this.alive();
    this.thumbarButtons = buttons;
    return true;
  }
  setProgressBar(progress: number): void {
    this.alive();
    this.progress = progress;
  }
  minimize(): void {
    this.alive();
    this.minimized = true;
  }
  restore(): void {
    this.alive();
    this.minimized = false;
  }
  isMinimized(): boolean {
    this.alive();
    return this.minimized;
  }

  close(): void {
    this.alive();
    const event = cancellable({});
    this.emit('close', event);
    if (event.defaultPrevented) return;
    this.destroyed = true;
    fake.windows = fake.windows.filter((window) => window !== this);
    this.emit('closed');
    if (fake.windows.length === 0) app.lastWindowClosed();
  }

  private alive(): void {
    if (this.destroyed) throw new TypeError('Object has been destroyed');
  }
}

/**
 * Code that gives plain Node the `parentPort` of a utility process, which queues messages until there is a listener,
 * and keeps the process alive.
 */
const PARENT_PORT = `data:text/javascript,${encodeURIComponent(`
  import { EventEmitter } from 'node:events';
  const port = new EventEmitter();
  port.postMessage = (message) => process.send(message);
  port.once('newListener', () => process.on('message', (data) => port.emit('message', { data })));
  Object.defineProperty(process, 'parentPort', { value: port });
  setInterval(() => undefined, 60_000);
`)}`;

/**
 * A utility process made of plain Node instead of Chromium's service process, with the same output streams, messages,
 * pid and exit event.
 */
class FakeUtilityProcess extends EventEmitter {
  stdout: NodeJS.ReadableStream | null;
  stderr: NodeJS.ReadableStream | null;
  pid: number | undefined;

  static fork(modulePath: string, args: string[] = [], options: Electron.ForkOptions = {}): FakeUtilityProcess {
    if (!app.isReady()) throw new Error('utilityProcess cannot be created before app is ready.');
    fake.forks.push({ modulePath, options });
    return new FakeUtilityProcess(
      spawn(process.execPath, [...(options.execArgv ?? []), '--import', PARENT_PORT, modulePath, ...args], {
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        env: { ...(options.env ?? process.env) },
      }),
    );
  }

  postMessage(message: unknown): void {
    if (this.child.connected) this.child.send(structuredClone(message) as object, () => undefined);
  }

  private child: ChildProcess;

  private constructor(child: ChildProcess) {
    super();
    this.child = child;
    child.on('message', (message) => this.emit('message', message));
    ({ stdout: this.stdout, stderr: this.stderr, pid: this.pid } = child);
    child.once('close', (code) => {
      this.pid = undefined;
      this.emit('exit', code ?? 1);
      this.stdout = this.stderr = null;
    });
  }
}

class FakeIpcMain extends EventEmitter {
  handlers = new Map<string, Handler>();

  handle(channel: string, handler: Handler): void {
    if (this.handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
    this.handlers.set(channel, handler);
  }
}

interface FakeMenuItem extends Omit<Electron.MenuItemConstructorOptions, 'submenu' | 'click'> {
  enabled: boolean;
  submenu?: FakeMenu;
  click(): void;
}

/** Makes an item; a checkbox changes before its click event. */
function makeItem({ submenu, click, ...options }: Electron.MenuItemConstructorOptions): FakeMenuItem {
  const item: FakeMenuItem = {
    enabled: true,
    ...options,
    ...(Array.isArray(submenu) && { submenu: FakeMenu.buildFromTemplate(submenu) }),
    click() {
      if (item.type === 'checkbox') item.checked = !item.checked;
      click?.(item as unknown as Electron.MenuItem, undefined, {});
    },
  };
  return item;
}

class FakeMenu {
  items: FakeMenuItem[];
  constructor(items: FakeMenuItem[]) {
    this.items = items;
  }
  static buildFromTemplate(template: Electron.MenuItemConstructorOptions[]): FakeMenu {
    return new FakeMenu(template.map(makeItem));
  }
  static setApplicationMenu(menu: FakeMenu | null): void {
    fake.applicationMenu = menu;
  }

  popup(): void {
    fake.poppedUp = this;
  }

  /** Returns the visible labels, without separators. */
  get labels(): string[] {
    return this.items.flatMap(({ label }) => label ?? []);
  }

  findItem(label: string): FakeMenuItem {
    const allItems = this.items.flatMap((item) => [item, ...(item.submenu?.items ?? [])]);
    const item = allItems.find((candidate) => candidate.label === label);
    if (!item) throw new Error(`The menu has no "${label}".`);
    return item;
  }

  /** Clicks an item unless it is disabled. */
  pick(label: string): void {
    const item = this.findItem(label);
    if (!item.enabled) throw new Error(`"${label}" cannot be picked now.`);
    item.click();
  }
}

export class FakeTray extends EventEmitter {
  menu: FakeMenu | null = null;
  toolTip = '';
  private destroyed = false;
  constructor(_image: unknown) {
    super();
    if (!app.isReady()) throw new Error('Cannot create Tray before app is ready');
    fake.tray = this;
  }
  setContextMenu(menu: FakeMenu | null): void {
    this.alive();
    this.menu = menu;
  }
  setToolTip(text: string): void {
    this.alive();
    this.toolTip = text;
  }
  isDestroyed(): boolean {
    return this.destroyed;
  }
  destroy(): void {
    this.destroyed = true;
  }
  private alive(): void {
    if (this.destroyed) throw new TypeError('Tray is destroyed');
  }
}

export class FakeNotification extends EventEmitter {
  options: Electron.NotificationConstructorOptions;
  constructor(options: Electron.NotificationConstructorOptions = {}) {
    super();
    this.options = options;
  }
  static isSupported(): boolean {
    return true;
  }
  show(): void {
    fake.notices.push(this);
  }
}

class FakeShortcuts {
  keys = new Map<string, () => void>();
  /** Shortcuts that another program has registered. */
  takenKeys = new Set<string>();
  register(key: string, run: () => void): boolean {
    if (!app.isReady()) throw new Error('globalShortcut cannot be used before the app is ready');
    if (this.takenKeys.has(key) || this.keys.has(key)) return false;
    this.keys.set(key, run);
    return true;
  }
  isRegistered(key: string): boolean {
    return this.keys.has(key);
  }
  unregister(key: string): void {
    this.keys.delete(key);
  }
  unregisterAll(): void {
    this.keys.clear();
  }
}

export class FakeSession implements FakeOf<Electron.Session> {
  requests: Parameters<Electron.Session['setPermissionRequestHandler']>[0] = null;
  checks: Parameters<Electron.Session['setPermissionCheckHandler']>[0] = null;
  devices: Parameters<Electron.Session['setDevicePermissionHandler']>[0] = null;
  setPermissionRequestHandler(handler: typeof this.requests): void {
    this.requests = handler;
  }
  setPermissionCheckHandler(handler: typeof this.checks): void {
    this.checks = handler;
  }
  setDevicePermissionHandler(handler: typeof this.devices): void {
    this.devices = handler;
  }
}

export let app = new FakeApp();
export let ipcMain = new FakeIpcMain();
export let session = { defaultSession: new FakeSession() };
export let globalShortcut = new FakeShortcuts();
export let powerMonitor = new EventEmitter();
export const Menu = FakeMenu;
export const Tray = FakeTray;
export const Notification = FakeNotification;
export const nativeImage = {
  createFromPath: (path: string) => ({ path, setTemplateImage: () => undefined }),
  createFromDataURL: (url: string) => ({ url }),
} satisfies FakeOf<typeof Electron.nativeImage>;
export const screen = {
  getAllDisplays: () => {
    if (!app.isReady()) throw new Error('The screen module cannot be used before the app is ready');
    return fake.displays.map((workArea, id) => ({ id, workArea }));
  },
  getPrimaryDisplay: () => screen.getAllDisplays()[0],
} satisfies FakeOf<Electron.Screen>;
export const utilityProcess = FakeUtilityProcess;
export const nativeTheme = { shouldUseDarkColors: false } satisfies FakeOf<Electron.NativeTheme>;

export const shell = {
  openExternal: async (url: string) => void fake.openedOutside.push(url),
  showItemInFolder: (path: string) => void fake.shownFiles.push(path),
} satisfies FakeOf<Electron.Shell>;

export const dialog = {
  showOpenDialog: async (...args: unknown[]) => {
    fake.folderDialogs.push(args);
    if (fake.chosenFiles.length > 0) return { canceled: false, filePaths: fake.chosenFiles };
    return fake.chosenFolder === undefined
      ? { canceled: true, filePaths: [] }
      : { canceled: false, filePaths: [fake.chosenFolder] };
  },
  showMessageBox: (options: Electron.MessageBoxOptions) =>
    new Promise<{ response: number; checkboxChecked: boolean }>((resolve) => {
      fake.messages.push({
        options,
        answer: (button) => resolve({ response: options.buttons?.indexOf(button) ?? -1, checkboxChecked: false }),
      });
      options.signal?.addEventListener('abort', () => {
        fake.messages = fake.messages.filter((message) => message.options !== options);
        resolve({ response: options.cancelId ?? 0, checkboxChecked: false });
      });
    }),
} satisfies FakeOf<Electron.Dialog>;

export const powerSaveBlocker = {
  start: (kind: string) => fake.blockers.push(kind) - 1,
  stop: (id: number) => {
    fake.blockers[id] = 'stopped';
    return true;
  },
} satisfies FakeOf<Electron.PowerSaveBlocker>;

export const clipboard = {
  writeText: (text: string) => void fake.copied.push(text),
} satisfies FakeOf<Electron.Clipboard>;

export const crashReporter = {
  start: (options: Electron.CrashReporterStartOptions) => {
    fake.crashReports = options;
  },
} satisfies FakeOf<Electron.CrashReporter>;

export const contextBridge = {
  exposeInMainWorld: (name: string, api: unknown) => {
    fake.exposed[name] = api;
  },
} satisfies FakeOf<Electron.ContextBridge>;

export const ipcRenderer = {
  emitter: new EventEmitter(),
  on: (channel: string, listener: (...args: unknown[]) => void) => void ipcRenderer.emitter.on(channel, listener),
  off: (channel: string, listener: (...args: unknown[]) => void) => void ipcRenderer.emitter.off(channel, listener),
  invoke: (channel: string, ...args: unknown[]) => {
    const [window] = fake.windows;
    if (!window) throw new Error('There is no page that could ask.');
    return fake.invoke(window, channel, args);
  },
} satisfies FakeOf<Electron.IpcRenderer> & { emitter: EventEmitter };

interface Message {
  options: Electron.MessageBoxOptions;
  answer(button: string): void;
}

export const pathsIn = (appData: string): Record<string, string> => ({
  appData,
  userData: join(appData, 'tonearm'),
  home: join(appData, 'home'),
  exe: '/opt/Tonearm/tonearm',
});

export const fake = {
  windows: [] as BrowserWindow[],
  openedOutside: [] as string[],
  shownFiles: [] as string[],
  /** Message boxes, open and answered. */
  messages: [] as Message[],
  crashReports: undefined as Electron.CrashReporterStartOptions | undefined,
  folderDialogs: [] as unknown[][],
  chosenFolder: undefined as string | undefined,
  chosenFiles: [] as string[],
  tray: undefined as FakeTray | undefined,
  dockMenu: null as FakeMenu | null,
  poppedUp: null as FakeMenu | null,
  blockers: [] as string[],
  copied: [] as string[],
  applicationMenu: null as FakeMenu | null,
  notices: [] as FakeNotification[],
  focused: undefined as BrowserWindow | undefined,
  displays: [{ x: 0, y: 0, width: 1_920, height: 1_080 }] as Electron.Rectangle[],
  forks: [] as { modulePath: string; options: Electron.ForkOptions }[],
  exposed: {} as Record<string, unknown>,

  /** Invokes a channel as a page, by default from its main frame. Of an error only the message is passed. */
  invoke(
    window: BrowserWindow,
    channel: string,
    args: unknown[],
    frame: Frame | null = window.webContents.mainFrame,
  ): Promise<unknown> {
    const answer = async (invokeArgs: unknown[]): Promise<unknown> => {
      const handler = ipcMain.handlers.get(channel);
      if (!handler) throw new Error(`No handler registered for '${channel}'`);
      return handler({ sender: window.webContents, senderFrame: frame }, ...invokeArgs);
    };
    return answer(structuredClone(args)).then(
      (value) => structuredClone(value),
      (error: unknown) => Promise.reject(new Error(`Error invoking remote method '${channel}': ${String(error)}`)),
    );
  },

  /** Creates a new app that is not ready yet. Removes the folders of the previous app. */
  reset(): void {
    const oldAppData = app.paths['appData'];
    if (oldAppData) rmSync(oldAppData, { recursive: true, force: true });
    app = new FakeApp();
    app.paths = pathsIn(mkdtempSync(join(tmpdir(), 'tonearm-electron-')));
    ipcMain = new FakeIpcMain();
    session = { defaultSession: new FakeSession() };
    globalShortcut = new FakeShortcuts();
    powerMonitor = new EventEmitter();
    ipcRenderer.emitter.removeAllListeners();
    Object.assign(fake, {
      windows: [],
      openedOutside: [],
      shownFiles: [],
      messages: [],
      crashReports: undefined,
      folderDialogs: [],
      chosenFolder: undefined,
      chosenFiles: [],
      forks: [],
      tray: undefined,
      dockMenu: null,
      poppedUp: null,
      blockers: [],
      copied: [],
      applicationMenu: null,
      notices: [],
      focused: undefined,
      displays: [{ x: 0, y: 0, width: 1_920, height: 1_080 }],
    });
  },
};
